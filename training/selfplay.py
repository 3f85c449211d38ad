"""Self-play training: proximal policy optimisation with one network for all seats.

Read it from top to bottom: ``train`` is the loop, ``Collector`` plays, ``seat_advantages`` gives
credit, ``loss`` is what is minimised, ``Learner`` holds all that changes.

The algorithm is that of Schulman et al., "Proximal Policy Optimization Algorithms" (2017). Against
itself it runs in circles where an equilibrium is mixed, so a magnet pulls it back, as in magnetic
mirror descent (Sokota et al., "A Unified Approach to Reinforcement Learning, Quantal Response
Equilibria, and Two-Player Zero-Sum Games", 2023). The magnet is a copy of the network that follows
it slowly, so what the pull costs vanishes in the end (Perolat et al., "Mastering the game of
Stratego with model-free multiagent reinforcement learning", 2022).
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..agents.neural import (
    NeuralAgent,
    PolicyValueNet,
    save_tensors,
    single_threaded_torch,
    tensors_under,
)
from ..agents.protocol import Agent
from ..envs.core.compilation import kernel
from ..envs.core.game import Game
from ..envs.core.randomness import row_seeds
from .config import TrainConfig
from .exploitability import exploitability, is_quick
from .run_folder import (
    MetricsLog,
    Report,
    TrainingError,
    load_checkpoint,
    scores,
    start_folder,
)


def train(
    config: TrainConfig, folder: Path, *, resume: bool = False, report: Report | None = None
) -> Path:
    """Train an agent by self-play and keep everything about it in a run folder.

    Args:
        config: The settings. To resume, those that the run was started with.
        folder: The run folder; it must not hold a run yet, unless ``resume``.
        resume: Go on from the newest checkpoint in ``folder``, with the same results as if the run
            had never stopped.
        report: Called after every update with what is also a line of ``metrics.jsonl``.

    Returns:
        The file of the final agent.

    Raises:
        OptionError: ``folder`` already holds a run.
        CheckpointError: There is nothing to resume from, or it is damaged.
    """
    game = config.make_game()
    with single_threaded_torch(), ThreadPoolExecutor(config.threads) as workers:
        learner = Learner(config, game)
        if resume:
            learner.load(folder)
        else:
            start_folder(config, folder)
        log = MetricsLog(folder, learner.decisions, report)
        while learner.decisions < config.decisions:
            metrics = learner.update(workers)
            due = learner.checkpoint_is_due()
            if due:
                metrics |= learner.scores()
            log.write(metrics)
            if due:
                learner.save(folder)
        log.close()
        agent = folder / "agent.safetensors"
        save_tensors(agent, learner.weights(), learner.facts())
        return agent


@dataclass
class Rollout:
    """The decisions of one update; every array begins with ``[num_steps, num_envs]``."""

    observations: np.ndarray
    masks: np.ndarray
    actions: np.ndarray
    log_probs: np.ndarray  # of the actions, under the policy that played
    values: np.ndarray
    players: np.ndarray
    rewards: np.ndarray  # [num_steps, num_envs, num_players], by seat
    ends: np.ndarray
    advantages: np.ndarray
    returns: np.ndarray
    known: np.ndarray  # whether the decision's outcome is known well enough to learn from

    @classmethod
    def empty(cls, game: Game, steps: int, envs: int) -> Rollout:
        """Room for ``steps`` decisions in each of ``envs`` games."""
        shape, actions = (steps, envs), game.num_actions
        return cls(
            observations=np.zeros((*shape, game.observation_size), np.float32),
            masks=np.zeros((*shape, actions), np.int8),
            actions=np.zeros(shape, np.int64),
            log_probs=np.zeros(shape, np.float32),
            values=np.zeros(shape, np.float32),
            players=np.zeros(shape, np.int8),
            rewards=np.zeros((*shape, game.num_players), np.float32),
            ends=np.zeros(shape, np.bool_),
            advantages=np.zeros(shape, np.float32),
            returns=np.zeros(shape, np.float32),
            known=np.zeros(shape, np.bool_),
        )

    def columns(self, part: slice) -> Rollout:
        """A view of some of the games."""
        return Rollout(**{name: array[:, part] for name, array in vars(self).items()})

    def flat(self) -> dict[str, torch.Tensor]:
        """Every array as a tensor ``[num_steps * num_envs, ...]`` that shares its memory."""
        return {
            name: torch.from_numpy(array.reshape(-1, *array.shape[2:]))
            for name, array in vars(self).items()
        }


class Collector:
    """Plays some of the games: one of these a worker thread, with randomness of its own."""

    def __init__(
        self,
        config: TrainConfig,
        game: Game,
        rollout: Rollout,
        seeds: np.ndarray,
        frozen: Agent | None = None,
    ) -> None:
        """Start ``len(seeds)`` games whose decisions go to ``rollout``, ``[steps, len(seeds)]``.

        In each game ``frozen``, if there is one, plays all seats but one, which goes round.
        """
        self.config = config
        self.seats = np.arange(len(seeds)) % game.num_players
        self.frozen = copy.copy(frozen)
        if self.frozen is not None:
            self.frozen.begin(game, seeds)
        self.rollout = rollout
        self.env = game.vector(len(seeds), num_threads=1, skip_forced=True)
        self.env.reset_rows(seeds)
        self.random = torch.Generator().manual_seed(int(seeds[0] >> np.uint64(1)))

    def collect(self, net: PolicyValueNet) -> dict[str, float]:
        """Play ``num_steps`` decisions in every game and give credit for them."""
        env, rollout = self.env, self.rollout
        rules = inference = games = length = 0.0
        for step in range(self.config.num_steps):
            before = time.perf_counter()
            rollout.observations[step] = env.observations
            rollout.masks[step] = env.masks
            rollout.players[step] = env.players
            copied = time.perf_counter()
            with torch.inference_mode():
                logs, values = net(torch.from_numpy(env.observations), torch.from_numpy(env.masks))
                # The greatest of probability over exponential noise is a sample of the policy.
                noise = torch.empty_like(logs).exponential_(generator=self.random)
                actions = (logs.exp() / noise).argmax(-1, keepdim=True)
                log_probs = logs.gather(1, actions)
            rollout.log_probs[step] = log_probs.squeeze(1).numpy()
            rollout.values[step] = values.numpy()
            rollout.actions[step] = actions.squeeze(1).numpy()
            if self.frozen is not None:
                rows = np.flatnonzero(env.players != self.seats)
                self.frozen.decide(env, rows, rollout.actions[step])
            thought = time.perf_counter()
            env.step(rollout.actions[step])
            rollout.rewards[step] = env.rewards
            rollout.ends[step] = env.terminated | env.truncated
            games += rollout.ends[step].sum()
            length += env.lengths[rollout.ends[step]].sum()
            inference += thought - copied
            rules += time.perf_counter() - thought + copied - before
        with torch.inference_mode():
            _, values = net(torch.from_numpy(env.observations), torch.from_numpy(env.masks))
        seat_advantages(
            rollout.rewards,
            rollout.ends,
            rollout.players,
            rollout.values,
            env.players,
            values.numpy(),
            self.config.gamma,
            self.config.gae_lambda,
            rollout.advantages,
            rollout.returns,
            rollout.known,
        )
        if self.frozen is not None:
            rollout.known &= rollout.players == self.seats
        return {"rules": rules, "inference": inference, "games": games, "length": length}


@kernel
def seat_advantages(
    rewards,
    ends,
    players,
    values,
    next_players,
    next_values,
    gamma,
    gae_lambda,
    advantages,
    returns,
    known,
):
    """Generalised advantage estimates along each seat's own decisions.

    A seat's next value is at its own next decision, and all that it is paid until then, on
    whoever's move, is the reward of its decision (Schulman et al., "High-Dimensional Continuous
    Control Using Generalized Advantage Estimation", 2016, applied to each seat by itself).

    The last decision of a seat that is not to move when the rollout ends has no next value yet:
    it is marked as not ``known`` and serves only as the next value of the one before it.

    Args:
        rewards: float32 ``[steps, games, seats]``.
        ends: bool ``[steps, games]``, whether the game ended with the decision.
        players: int8 ``[steps, games]``, the seat that decided.
        values: float32 ``[steps, games]``, its estimate of its return.
        next_players: int8 ``[games]``, the seat to move after the last step.
        next_values: float32 ``[games]``, its estimate.
        gamma: Discount between a seat's decisions.
        gae_lambda: Weight of longer estimates.
        advantages: float32 ``[steps, games]``, written.
        returns: float32 ``[steps, games]``, written: the targets of ``values``.
        known: bool ``[steps, games]``, written.
    """
    steps, games, seats = rewards.shape
    paid = np.zeros(seats, np.float32)  # to each seat since its later decision
    later_value = np.zeros(seats, np.float32)
    later_advantage = np.zeros(seats, np.float32)
    settled = np.zeros(seats, np.bool_)
    for game in range(games):
        paid[:] = 0
        later_value[:] = 0
        later_advantage[:] = 0
        settled[:] = False
        seat = int(next_players[game])
        later_value[seat] = next_values[game]
        settled[seat] = True
        for step in range(steps - 1, -1, -1):
            if ends[step, game]:
                paid[:] = 0
                later_value[:] = 0
                later_advantage[:] = 0
                settled[:] = True
            for seat in range(seats):
                paid[seat] += rewards[step, game, seat]
            seat = int(players[step, game])
            value = values[step, game]
            known[step, game] = settled[seat]
            advantage = np.float32(0)
            if settled[seat]:
                surprise = paid[seat] + gamma * later_value[seat] - value
                advantage = surprise + gamma * gae_lambda * later_advantage[seat]
            advantages[step, game] = advantage
            returns[step, game] = advantage + value
            paid[seat] = 0
            later_value[seat] = value
            later_advantage[seat] = advantage
            settled[seat] = True


def loss(
    net: PolicyValueNet, batch: Mapping[str, torch.Tensor], config: TrainConfig
) -> tuple[torch.Tensor, torch.Tensor]:
    """The loss of a minibatch, and its parts in the order of ``LOSS_PARTS``."""
    logs, values = net(batch["observations"], batch["masks"])
    change = logs.gather(1, batch["actions"][:, None]).squeeze(1) - batch["log_probs"]
    ratio = change.exp()
    limited = ratio.clamp(1 - config.clip, 1 + config.clip)
    policy = -torch.min(ratio * batch["advantages"], limited * batch["advantages"]).mean()
    value = (values - batch["returns"]).square().mean()
    policies = logs.exp()
    entropy = -(policies * logs).sum(-1).mean()
    pull = (policies * (logs - batch["magnet"])).sum(-1).mean()
    total = policy + config.value_weight * value + config.magnet * pull - config.entropy * entropy
    divergence = (ratio - 1 - change).mean()  # an estimate that cannot be negative
    clipped = (ratio != limited).float().mean()
    return total, torch.stack([policy, value, entropy, pull, divergence, clipped]).detach()


LEARNED_FROM = (
    "observations",
    "masks",
    "actions",
    "log_probs",
    "advantages",
    "returns",
    "magnet",
)
LOSS_PARTS = ("policy_loss", "value_loss", "entropy", "magnet_kl", "kl", "clipped")


class Learner:
    """The network, its optimiser and the games: all that changes during training."""

    def __init__(self, config: TrainConfig, game: Game, frozen: Agent | None = None) -> None:
        """Everything as it is before the first decision; see ``Collector`` for ``frozen``."""
        self.config = config
        self.game = game
        self.decisions = self.updates = self.checkpoints = 0
        seeds = row_seeds(np.uint64(config.seed), config.num_envs + 2)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(seeds[-1] >> np.uint64(1)))
            self.net = PolicyValueNet(game, config.hidden)
        self.magnet = copy.deepcopy(self.net)
        self.parameters = list(self.net.parameters())
        self.optimiser = torch.optim.Adam(
            self.parameters, config.learning_rate, eps=1e-5, fused=True
        )
        self.shuffling = torch.Generator().manual_seed(int(seeds[-2] >> np.uint64(1)))
        self._exact = bool(config.evaluate_games) and is_quick(game)
        self.rollout = Rollout.empty(game, config.num_steps, config.num_envs)
        edges = [config.num_envs * n // config.threads for n in range(config.threads + 1)]
        parts = [slice(*edge) for edge in pairwise(edges)]
        self.collectors = [
            Collector(config, game, self.rollout.columns(part), seeds[part], frozen)
            for part in parts
        ]

    def update(self, workers: ThreadPoolExecutor) -> dict[str, float]:
        """Play a rollout and learn from it; returns what happened."""
        config, start = self.config, time.perf_counter()
        played = list(workers.map(lambda player: player.collect(self.net), self.collectors))
        collected = time.perf_counter()
        progress = min(1.0, self.decisions / config.decisions)
        for group in self.optimiser.param_groups:
            group["lr"] = config.learning_rate * (1 - progress)
        data = self.rollout.flat()
        known = data["known"].nonzero().squeeze(1)
        advantages = data["advantages"][known]
        data["advantages"] = (data["advantages"] - advantages.mean()) / (advantages.std() + 1e-8)
        data["magnet"] = self._magnet_policies(workers, data)
        parts, steps = torch.zeros(len(LOSS_PARTS)), 0
        for _ in range(config.epochs):
            shuffled = known[torch.randperm(len(known), generator=self.shuffling)]
            for rows in shuffled.chunk(max(1, round(len(shuffled) / config.minibatch_size))):
                parts += self._descend(workers, data, rows)
                steps += 1
        if not parts.isfinite().all():
            raise TrainingError(
                f"training diverged after {self.decisions:,} decisions: the loss is not finite; "
                "lower learning_rate or the weights of the loss"
            )
        made = config.num_steps * config.num_envs
        self.decisions += made
        self.updates += 1
        horizon = max(config.magnet_horizon, config.magnet_growth * self.decisions)
        follow = min(1.0, made / horizon)
        with torch.no_grad():
            for slow, fast in zip(self.magnet.parameters(), self.parameters, strict=True):
                slow.lerp_(fast, follow)
        end = time.perf_counter()
        games = float(sum(part["games"] for part in played))
        values, returns = data["values"][known], data["returns"][known]
        return {
            "decisions": self.decisions,
            "updates": self.updates,
            "learning_rate": self.optimiser.param_groups[0]["lr"],
            **dict(zip(LOSS_PARTS, (parts / steps).tolist(), strict=True)),
            "explained_variance": float(1 - (returns - values).var() / (returns.var() + 1e-8)),
            "games": games,
            "game_length": float(sum(part["length"] for part in played) / max(1.0, games)),
            "seconds": end - start,
            "seconds_rules": sum(part["rules"] for part in played) / config.threads,
            "seconds_inference": sum(part["inference"] for part in played) / config.threads,
            "seconds_learning": end - collected,
        }

    def _magnet_policies(
        self, workers: ThreadPoolExecutor, data: Mapping[str, torch.Tensor]
    ) -> torch.Tensor:
        """The magnet's log-probabilities of all actions in every decision of the rollout."""

        def share(rows: torch.Tensor) -> torch.Tensor:
            with torch.no_grad():
                return self.magnet(data["observations"][rows], data["masks"][rows])[0]

        rows = torch.arange(len(data["masks"]))
        return torch.cat(list(workers.map(share, rows.chunk(self.config.threads))))

    def _descend(
        self, workers: ThreadPoolExecutor, data: Mapping[str, torch.Tensor], rows: torch.Tensor
    ) -> torch.Tensor:
        """One gradient step on ``rows``, each worker doing the gradient of a share of them."""

        def share(some: torch.Tensor) -> tuple[tuple[torch.Tensor, ...], torch.Tensor]:
            batch = {name: data[name][some] for name in LEARNED_FROM}
            total, parts = loss(self.net, batch, self.config)
            weight = len(some) / len(rows)
            gradients = torch.autograd.grad(total * weight, self.parameters)
            return gradients, parts * weight

        shares = list(workers.map(share, rows.chunk(self.config.threads)))
        for number, parameter in enumerate(self.parameters):
            parameter.grad = sum(gradients[number] for gradients, _ in shares)  # type: ignore[assignment]
        torch.nn.utils.clip_grad_norm_(self.parameters, self.config.max_grad_norm)
        self.optimiser.step()
        return torch.stack([parts for _, parts in shares]).sum(0)

    def checkpoint_is_due(self) -> bool:
        """Whether another ``checkpoint_every`` decisions have been made, or all of them."""
        due = self.decisions // self.config.checkpoint_every
        if due > self.checkpoints or self.decisions >= self.config.decisions:
            self.checkpoints = due
            return True
        return False

    def scores(self) -> dict[str, float]:
        """How the network does: its mean score against each scripted agent in a few games.

        Where it is quick to compute, its exploitability too, and what else the settings ask for of
        what an opponent gains who knows it.
        """
        if not self.config.evaluate_games:
            return {}
        agent = NeuralAgent(self.net, self.game)
        found = scores(self.config, self.game, agent)
        if self._exact:
            found["exploitability"] = exploitability(self.game, agent)
        if self.config.responder_decisions:
            from .responders import responders  # which trains as this module does

            games, budget = self.config.evaluate_games, self.config.responder_decisions
            gain = responders(self.game, agent, 1, budget, games).loss.mean
            found["responder_gain"] = gain
        return found

    def weights(self) -> dict[str, torch.Tensor]:
        """The network's tensors, under the names that ``load_agent`` looks for."""
        return {f"net.{name}": tensor for name, tensor in self.net.state_dict().items()}

    def facts(self) -> dict[str, Any]:
        """What is to be known about the weights."""
        return {
            "identity": self.game.identity(),
            "hidden": list(self.config.hidden),
            "config": self.config.model_dump(),
            "decisions": self.decisions,
            "updates": self.updates,
            "checkpoints": self.checkpoints,
        }

    def save(self, folder: Path) -> Path:
        """Write a checkpoint with all that training depends on."""
        tensors = self.weights()
        for number, parameter in enumerate(self.parameters):
            for name, tensor in self.optimiser.state[parameter].items():
                tensors[f"adam.{number}.{name}"] = tensor
        for name, tensor in self.magnet.state_dict().items():
            tensors[f"magnet.{name}"] = tensor
        tensors["shuffling"] = self.shuffling.get_state()
        for number, collector in enumerate(self.collectors):
            tensors[f"player.{number}.random"] = collector.random.get_state()
            for name, array in collector.env.save().items():
                tensors[f"player.{number}.{name}"] = torch.from_numpy(array)
        path = folder / "checkpoints" / f"{self.decisions:012d}.safetensors"
        save_tensors(path, tensors, self.facts())
        return path

    def load(self, folder: Path) -> None:
        """Go on from the newest checkpoint in ``folder``; from the start if the run made none yet."""
        found = load_checkpoint(folder, self.config, self.game)
        if found is None:
            return
        tensors, facts = found
        self.net.load_state_dict(tensors_under(tensors, "net."))
        self.magnet.load_state_dict(tensors_under(tensors, "magnet."))
        for number, parameter in enumerate(self.parameters):
            self.optimiser.state[parameter] = tensors_under(tensors, f"adam.{number}.")
        self.shuffling.set_state(tensors["shuffling"])
        for number, collector in enumerate(self.collectors):
            saved = tensors_under(tensors, f"player.{number}.")
            collector.random.set_state(saved.pop("random"))
            collector.env.load({name: tensor.numpy() for name, tensor in saved.items()})
        self.decisions, self.updates = facts["decisions"], facts["updates"]
        self.checkpoints = facts["checkpoints"]
