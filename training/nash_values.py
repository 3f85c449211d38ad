"""Nash value iteration: networks that value the positions of Dragon Deck's battles.

Read it from top to bottom: ``train`` goes from few cards to many, ``solved_labels`` and
``backed_up_labels`` say what positions are worth, ``fit`` teaches a network to agree.

In a battle both players choose at once and see everything else, so the value of a position is that of
a matrix game over the values of the positions that can follow (Shapley, "Stochastic games", 1953).
With few cards, all of them are solved exactly. With more, the entries are what the network for one
card less has learnt: fitted value iteration, from the last battles to the first (Perolat et al.,
"Approximate dynamic programming for two-player zero-sum Markov games", 2015). Positions come from
random play, so that no opponent leads the agent to where it has learnt nothing.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch

from ..agents.dragon_deck.battle import solve_from
from ..agents.dragon_deck.lookahead import KIND, LookaheadAgent, begin_battle, look_ahead
from ..agents.dragon_deck.response import view_positions
from ..agents.neural import ValueNet, predict, save_tensors, single_threaded_torch, tensors_under
from ..envs.core.compilation import borrowed, kernel
from ..envs.core.dispatch import observe
from ..envs.core.observation import offsets
from ..envs.core.randomness import below, random_word, row_seeds
from ..envs.dragon_deck import rules
from ..envs.dragon_deck.game import DragonDeck
from .config import ValueConfig
from .run_folder import (
    MetricsLog,
    Report,
    TrainingError,
    load_checkpoint,
    scores,
    start_folder,
)

DEEPER = 2
"""Battles before the positions to learn from where an exact solution begins."""
PER_SOLUTION = 4000
"""The most positions that are learnt from one solution."""
PER_TASK = 2048
"""Positions that a worker thread looks ahead from at a time."""
HELD_OUT = 0.05
"""Share of the labels that is not learnt from, but tells how far off a network is."""
REPORT_EVERY = 2000
"""Gradient steps between two lines of metrics."""


def train(
    config: ValueConfig, folder: Path, *, resume: bool = False, report: Report | None = None
) -> Path:
    """Train a network for each number of cards and keep everything about it in a run folder.

    Args:
        config: The settings. To resume, those that the run was started with.
        folder: The run folder; it must not hold a run yet, unless ``resume``.
        resume: Go on after the last network that is finished, with the same results as if the run had
            never stopped.
        report: Called now and then with what is also a line of ``metrics.jsonl``.

    Returns:
        The file of the final agent.

    Raises:
        OptionError: ``folder`` already holds a run.
        CheckpointError: There is nothing to resume from, or it is damaged.
        TrainingError: The loss is no longer finite.
    """
    game = config.make_game()
    assert isinstance(game, DragonDeck)
    with single_threaded_torch(), ThreadPoolExecutor(config.threads) as workers:
        learner = Learner(config, game, workers)
        if resume:
            learner.load(folder)
        else:
            start_folder(config, folder)
        log = MetricsLog(folder, learner.decisions, report)
        for size in config.sizes[len(learner.nets) :]:
            learner.learn(size, log)
            if size == config.sizes[-1]:
                log.write(learner.progress() | scores(config, game, learner.agent()))
            learner.save(folder / "checkpoints" / f"{learner.decisions:012d}.safetensors")
        log.close()
        agent = folder / "agent.safetensors"
        learner.save(agent)
        return agent


class Learner:
    """The networks, which are all that is kept from one number of cards to the next."""

    def __init__(self, config: ValueConfig, game: DragonDeck, workers: ThreadPoolExecutor) -> None:
        """No networks yet."""
        self.config = config
        self.game = game
        self.workers = workers
        self.nets: dict[int, ValueNet] = {}
        self.decisions = self.updates = 0

    def learn(self, size: int, log: MetricsLog) -> None:
        """Train the network for hands of ``size`` cards, from that for one card less if there is one."""
        config, game, start = self.config, self.game, time.perf_counter()
        words = row_seeds(np.uint64(config.seed), game.num_cards)[size]
        seed, net_seed = (int(word >> np.uint64(1)) for word in row_seeds(words, 2))
        if size <= config.solved or not self.nets:
            observations, values = solved_labels(game, size, config.labels, seed, config.threads)
        else:
            observations, values = backed_up_labels(
                game, self.nets[size - 1], size, config.labels, seed, self.workers
            )
        self.decisions += len(values)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(net_seed)
            net = ValueNet(game, config.hidden)
        if size - 1 in self.nets:
            net = copy.deepcopy(self.nets[size - 1])
        self.fit(net, size, observations, values, net_seed, log, start)
        self.nets[size] = net

    def fit(
        self,
        net: ValueNet,
        size: int,
        observations: np.ndarray,
        values: np.ndarray,
        seed: int,
        log: MetricsLog,
        start: float,
    ) -> None:
        """Bring ``net`` near the labels, in the mean of squares; it sees them turned in every way."""
        config, parameters = self.config, list(net.parameters())
        inputs, targets = torch.from_numpy(observations), torch.from_numpy(values)
        held_out = int(HELD_OUT * len(targets))
        turns = symmetries(self.game)
        optimiser = torch.optim.Adam(parameters, config.learning_rate, fused=True)
        shuffling = torch.Generator().manual_seed(seed)
        squares, before = 0.0, 0

        def gradients(rows: torch.Tensor) -> tuple[tuple[torch.Tensor, ...], torch.Tensor]:
            index, sign = turns[int(rows[0]) % len(turns)]  # the first row is drawn at random
            error = net(inputs[rows].float()[:, index]) - sign * targets[rows]
            loss = error.square().sum() / config.minibatch_size
            return torch.autograd.grad(loss, parameters), loss.detach()

        for step in range(1, config.updates + 1):
            for group in optimiser.param_groups:
                group["lr"] = config.learning_rate * (1 - (step - 1) / config.updates)
            rows = torch.randint(
                held_out, len(targets), (config.minibatch_size,), generator=shuffling
            )
            shares = list(self.workers.map(gradients, rows.chunk(config.threads)))
            for number, parameter in enumerate(parameters):
                parameter.grad = sum(share[number] for share, _ in shares)  # type: ignore[assignment]
            optimiser.step()
            squares += float(sum(loss for _, loss in shares))
            if step % REPORT_EVERY == 0 or step == config.updates:
                if not np.isfinite(squares):
                    raise TrainingError(
                        f"training diverged with hands of {size} cards: the loss is not finite; "
                        "lower learning_rate"
                    )
                self.updates += step - before
                error = predict(net, observations[:held_out].astype(np.float32)) - values[:held_out]
                now = time.perf_counter()
                log.write(
                    self.progress()
                    | {
                        "cards": size,
                        "error": float(np.sqrt(squares / (step - before))),
                        "held_out_error": float(np.sqrt(np.square(error).mean())),
                        "seconds": now - start,
                    }
                )
                squares, before, start = 0.0, step, now

    def progress(self) -> dict[str, float]:
        """Positions that have got a label so far, and gradient steps."""
        return {"decisions": self.decisions, "updates": self.updates}

    def agent(self) -> LookaheadAgent:
        """The agent that plays by these networks."""
        return LookaheadAgent(self.nets, self.game)

    def save(self, path: Path) -> None:
        """Write all networks that are finished."""
        tensors = {
            f"values.{size}.{name}": tensor
            for size, net in self.nets.items()
            for name, tensor in net.state_dict().items()
        }
        facts = {
            "kind": KIND,
            "identity": self.game.identity(),
            "hidden": list(self.config.hidden),
            "sizes": list(self.nets),
            "config": self.config.model_dump(),
            **self.progress(),
        }
        save_tensors(path, tensors, facts)

    def load(self, folder: Path) -> None:
        """Go on from the newest checkpoint in ``folder``; from the start if the run made none yet."""
        found = load_checkpoint(folder, self.config, self.game)
        if found is None:
            return
        tensors, facts = found
        for size in facts["sizes"]:
            self.nets[size] = ValueNet(self.game, self.config.hidden)
            self.nets[size].load_state_dict(tensors_under(tensors, f"values.{size}."))
        self.decisions, self.updates = facts["decisions"], facts["updates"]


def solved_labels(
    game: DragonDeck, size: int, count: int, seed: int, threads: int
) -> tuple[np.ndarray, np.ndarray]:
    """Positions with ``size`` cards in each hand and their exact values, for seat 0, which sees them.

    Each solution of a position with ``DEEPER`` cards more has many of them.

    Returns:
        Observations, uint8 ``[count, observation_size]``, and values, float32 ``[count]``.
    """
    observations = np.zeros((count, game.observation_size), np.uint8)
    values = np.empty(count, np.float32)
    hand = min(size + DEEPER, game.num_cards // 2)
    random, done = np.random.default_rng(seed), 0
    while done < count:
        state = positions(game, hand, 1, int(random.integers(2**63)))[0]
        hands = [np.flatnonzero(state["place"] == rules.HAND + seat) for seat in range(2)]
        score = int(state["victory_cards"][0]), int(state["victory_cards"][1])
        solution = solve_from(game, hands, score, num_threads=threads)
        table, scores = solution.table, solution.table.scores[size]
        if not len(scores):
            continue
        # Some pairs of hands cannot be at some scores, so not all of these are positions.
        left, right = random.choice(table.hands[size], (2, 2 * PER_SOLUTION))
        places = np.stack([left, right, random.integers(len(scores), size=len(left))], axis=1)
        found = solution.values[table.left[left] + table.right[right] + places[:, 2]]
        some = np.flatnonzero(~np.isnan(found))[: min(PER_SOLUTION, count - done)]
        seen = np.zeros((len(some), game.observation_size), np.float32)
        masks = np.zeros((len(some), game.num_actions), np.int8)
        states = np.repeat(game.template, len(some))
        view_positions(states, places[some], scores, 0, table.cards, seen, masks)
        observations[done : done + len(some)] = seen
        values[done : done + len(some)] = found[some]
        done += len(some)
    order = random.permutation(count)  # so that those held out are not all of the same solutions
    return observations[order], values[order]


def backed_up_labels(
    game: DragonDeck,
    net: ValueNet,
    size: int,
    count: int,
    seed: int,
    workers: ThreadPoolExecutor,
) -> tuple[np.ndarray, np.ndarray]:
    """The same with the values of the matrix games that ``net`` makes, which knows one card less."""
    states = positions(game, size, count, seed)

    def label(low: int) -> tuple[np.ndarray, np.ndarray]:
        some = states[low : low + PER_TASK]
        seen = np.zeros((len(some), game.observation_size), np.float32)
        view_rows(some, seen)
        return seen.astype(np.uint8), look_ahead(game, net, some)[0].astype(np.float32)

    seen, values = zip(*workers.map(label, range(0, count, PER_TASK)), strict=True)
    return np.concatenate(seen), np.concatenate(values)


def positions(game: DragonDeck, size: int, count: int, seed: int) -> np.ndarray:
    """Records ``[count]`` before a battle with ``size`` cards in each hand, after random play.

    All cards are dealt out at random, and random battles are fought until so many are left.
    """
    states = np.repeat(game.template, count)
    deal_rows(states, size, row_seeds(np.uint64(seed), count))
    return states


@kernel
def deal_rows(states, size, seeds):
    """See ``positions``; where somebody has won by then, the cards are dealt again."""
    states = borrowed(states)
    for row in range(states.shape[0]):
        state, word = states[row], 0
        cards = np.arange(rules.num_cards(state))
        hand = cards.shape[0] // 2
        state.player = rules.TERMINAL
        while state.player == rules.TERMINAL:
            for left in range(cards.shape[0], 1, -1):
                other = below(random_word(seeds[row], 0, word), left)
                cards[left - 1], cards[other] = cards[other], cards[left - 1]
                word += 1
            begin_battle(state)
            state.victory_cards[:] = 0
            for number in range(hand):
                state.place[cards[number]] = rules.HAND
                state.place[cards[hand + number]] = rules.HAND + 1
            for number in range(hand - size):
                if state.player != rules.TERMINAL:
                    rules.commit(state, cards[number])
                    rules.reveal(state, cards[hand + number])


@kernel
def view_rows(states, observations):
    """What seat 0 sees: ``observations`` float32 ``[rows, observation_size]``, zero on entry."""
    states, observations = borrowed(states), borrowed(observations)
    for row in range(states.shape[0]):
        observe(states[row], 0, observations[row])


def symmetries(game: DragonDeck) -> Sequence[tuple[torch.Tensor, float]]:
    """What can be done to an observation of a battle, and what it does to the value.

    The types can change places in a circle, and the players can exchange hands and victory cards,
    which turns the value round. Each is an index, int64 ``[observation_size]``, and 1 or -1.
    """
    where, values = offsets(game.sections), game.options.values_per_type
    found = []
    for turn in range(3):
        index = np.arange(game.observation_size)
        for place in where.values():
            if place.stop - place.start == game.num_cards:
                index[place] = np.roll(index[place], turn * values)
        exchanged = index.copy()
        for part in ("hand", "victory_cards", "hand_beats"):
            own, rival = where[f"own_{part}"], where[f"rival_{part}"]
            exchanged[own], exchanged[rival] = index[rival], index[own]
        found += [(torch.from_numpy(index), 1.0), (torch.from_numpy(exchanged), -1.0)]
    return found
