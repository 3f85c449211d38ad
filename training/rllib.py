"""RLlib's new API stack (RLModule, Learner, EnvRunner): every game, for all of its seats.

``SelfPlayEnv`` is the environment, ``MaskedNet`` the network, ``self_play_config`` puts them together
for PPO, and ``export`` writes what was learned to a file that ``make_agent`` reads without Ray. See
``rllib_selfplay`` for a script.
"""

# pyright: reportMissingImports=false
# Ray is in an environment of its own, as it pins an older Gymnasium.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from ..envs import make
from ..envs.core.errors import OptionError, OrderError
from ..envs.core.game import Game
from ..envs.core.state import State
from .gymnasium_env import action_space, check_render_mode, observation_space

try:
    import ray
    import torch
    from ray.rllib.algorithms.algorithm import Algorithm
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
    from ray.rllib.utils.metrics import ENV_RUNNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME
except ImportError as error:
    raise OptionError(f"this needs {error.name}: pip install 'duelgym[rllib]'") from None

from ..agents.neural import PolicyValueNet, save_tensors

LEARNER = "learner"
"""The module that learns; the others are ``snapshot_0``, ``snapshot_1`` and so on."""


def module_of(agent: str, *_: Any, **__: Any) -> str:
    """The module that plays for an agent of ``SelfPlayEnv``: RLlib's ``policy_mapping_fn``."""
    return agent.partition("@")[2] or LEARNER


class SelfPlayEnv(MultiAgentEnv):
    """All seats of a game, one of which decides at a time.

    An observation is a dictionary with ``observations`` float32 ``[observation_size]`` and
    ``action_mask`` int8 ``[num_actions]``, the keys that RLlib's own masking module wants. Only the
    seat to move gets one; at the end all do, with nothing legal, and every seat its return, also if
    it was never asked. Decisions with a single legal action are played without asking.

    Agents are ``player_0`` and so on. With ``snapshots`` some games have the learner in one seat only
    and in the others a module of that name, as ``player_1@snapshot_0``. Who plays is drawn by the
    environment, from its seed.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        """Make the environment from RLlib's ``env_config``.

        Args:
            config: ``game``, the name of a game; ``options``, a dictionary; ``snapshots``, how many
                modules besides the learner, 0 unless given; ``latest``, the probability that the
                learner plays all seats, 0.5 unless given; ``render_mode``, ``ansi`` or ``rgb_array``.

        Raises:
            OptionError: An unknown name, or an impossible value.
        """
        self.game = game_of(config)
        self.render_mode = config.get("render_mode")
        self.metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 1}
        check_render_mode(self.render_mode, self.metadata["render_modes"])
        self.modules = [f"snapshot_{number}" for number in range(config.get("snapshots", 0))]
        self._latest = config.get("latest", 0.5) if self.modules else 1.0
        # RLlib seeds worker 1's second game and worker 2's first one alike.
        self._worker = getattr(config, "worker_index", 0)
        self._state: State | None = None
        self.agents = [f"player_{seat}" for seat in range(self.game.num_players)]
        others = [f"{agent}@{module}" for agent in self.agents for module in self.modules]
        self.possible_agents = [*self.agents, *others]
        seen = spaces.Dict(
            {
                "observations": observation_space(self.game),
                "action_mask": spaces.Box(0, 1, (self.game.num_actions,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, seen)
        self.action_spaces = dict.fromkeys(self.possible_agents, action_space(self.game))
        super().__init__()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a game; ``seed`` settles it and, in turn, the games after it."""
        if seed is not None:
            self._np_random = np.random.default_rng([self._worker, seed])
        self.agents = self._seated()
        while True:
            self._state = self.game.start(int(self.np_random.integers(2**64, dtype=np.uint64)))
            self._play_forced()
            if not self._state.is_over:
                return self._observations(), {}

    def _seated(self) -> list[str]:
        """Who plays the next game, by seat."""
        agents = self.possible_agents[: self.game.num_players]
        if self.np_random.random() < self._latest:
            return agents
        own = self.np_random.integers(len(agents))
        return [
            agent if seat == own else f"{agent}@{self.np_random.choice(self.modules)}"
            for seat, agent in enumerate(agents)
        ]

    def step(self, action_dict: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """Make the move of the agent whose turn it is.

        Raises:
            IllegalActionError: The rules forbid it; the game is as before.
            OrderError: ``reset`` was not called, the game is over, or it is somebody else's turn.
        """
        state = self._playing()
        if state.is_over:
            raise OrderError(f"{self.game.label}: the game is over; call reset() first")
        mover = self.agents[state.player]
        if list(action_dict) != [mover]:
            raise OrderError(
                f"{self.game.label}: it is {mover}'s turn, not that of {sorted(action_dict)}"
            )
        state.apply(int(action_dict[mover]))
        self._play_forced()
        rewards: dict[str, Any] = {mover: 0.0}
        if state.is_over:
            rewards = dict(zip(self.agents, state.returns(), strict=True))
        ended = {"__all__": state.is_over and not state.is_truncated}
        return self._observations(), rewards, ended, {"__all__": state.is_truncated}, {}

    def _playing(self) -> State:
        if self._state is None:
            raise OrderError(f"{self.game.label}: call reset() first")
        return self._state

    def _play_forced(self) -> None:
        state = self._playing()
        while not state.is_over and len(legal := state.legal_actions()) == 1:
            state.apply(legal[0])

    def _observations(self) -> dict[str, Any]:
        """What the seat to move knows, or everybody at the end."""
        state = self._playing()
        seats = range(self.game.num_players) if state.is_over else [state.player]
        return {
            self.agents[seat]: {
                "observations": state.observation(seat),
                "action_mask": state.legal_mask(),
            }
            for seat in seats
        }

    def render(self) -> Any:
        """The whole table: text for ``ansi``, uint8 ``[height, width, 3]`` for ``rgb_array``."""
        state = self._playing()
        if self.render_mode == "rgb_array":
            return self.game.picture(state.record)
        return state.render() if self.render_mode == "ansi" else None


def game_of(config: Mapping[str, Any]) -> Game:
    """The game of an ``env_config`` or ``model_config``."""
    return make(config["game"], **config.get("options", {}))


class MaskedNet(TorchRLModule, ValueFunctionAPI):
    """Duelgym's own network as an RLModule, with ``game``, ``options``, ``hidden`` in ``model_config``.

    Actions that the mask forbids have probability 0.
    """

    def setup(self) -> None:
        """Make the network."""
        self.net = PolicyValueNet(game_of(self.model_config), self.model_config["hidden"])

    def _net_of(self, batch: Mapping[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
        seen = batch[Columns.OBS]
        return self.net(seen["observations"], seen["action_mask"])

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {Columns.ACTION_DIST_INPUTS: self._net_of(batch)[0]}

    def _forward_train(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        logs, values = self._net_of(batch)
        return {Columns.ACTION_DIST_INPUTS: logs, Columns.EMBEDDINGS: values}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """Values ``[n]``; what ``_forward_train`` gave as embeddings are the values already."""
        return self._net_of(batch)[1] if embeddings is None else embeddings


def self_play_config(
    game: Game,
    decisions: int,
    *,
    seed: int = 0,
    workers: int = 2,
    envs_per_worker: int = 64,
    learners: int = 0,
    batch_size: int = 4000,
    hidden: Sequence[int] = (128, 128),
    snapshots: int = 4,
    snapshot_every: int = 5,
) -> PPOConfig:
    """PPO by self-play; what it returns may be changed as any configuration of RLlib.

    Args:
        game: What to play.
        decisions: After how many of all seats the learning rate is 0.
        seed: Of games, weights and shuffling. How workers take turns is not settled by it.
        workers: Processes that play; with 0, the one that learns.
        envs_per_worker: Games at once in each of them.
        learners: Processes that learn; with 0, the one that ``build_algo`` is called in.
        batch_size: Decisions between updates.
        hidden: Units a layer.
        snapshots: How many earlier learners are kept as opponents in half of the games.
        snapshot_every: Updates between them; the oldest makes room.
    """
    identity = game.identity()
    plain = {"game": identity["game"], "options": identity["options"]}
    modules = [LEARNER, *(f"snapshot_{number}" for number in range(snapshots))]
    net = RLModuleSpec(module_class=MaskedNet, model_config={**plain, "hidden": list(hidden)})
    config = (
        PPOConfig()
        .api_stack(enable_rl_module_and_learner=True, enable_env_runner_and_connector_v2=True)
        # Its check of environments plays actions that may be illegal.
        .environment(
            SelfPlayEnv, env_config={**plain, "snapshots": snapshots}, disable_env_checking=True
        )
        .multi_agent(
            policies=set(modules), policy_mapping_fn=module_of, policies_to_train=[LEARNER]
        )
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=dict.fromkeys(modules, net)))
        .env_runners(
            num_env_runners=workers,
            num_envs_per_env_runner=envs_per_worker,
            episodes_to_numpy=False,  # else sampling takes time with the square of its length
        )
        .learners(num_learners=learners)
        .training(
            train_batch_size_per_learner=max(1, batch_size // max(1, learners)),
            minibatch_size=min(512, batch_size),
            num_epochs=4,
            lr=[[0, 1e-3], [decisions, 0.0]],
            gamma=1.0,
            lambda_=0.95,
            entropy_coeff=0.01,
            vf_loss_coeff=0.5,
            vf_clip_param=float("inf"),
            use_kl_loss=False,
            grad_clip=0.5,
        )
        .fault_tolerance(restart_failed_env_runners=True)
        .debugging(seed=seed, log_level="ERROR")
    )
    if snapshots:
        config.callbacks(
            on_train_result=partial(_take_snapshot, snapshots=snapshots, every=snapshot_every)
        )
    return config


def _take_snapshot(*, algorithm: Algorithm, snapshots: int, every: int, **_: Any) -> None:
    """Let the learner as it is be the next of its own opponents, when it is time."""
    number, early = divmod(algorithm.training_iteration, every)
    if early:
        return
    weights = {f"snapshot_{number % snapshots}": _weights(algorithm)[LEARNER]}
    algorithm.learner_group.foreach_learner(partial(_take, weights=weights))
    _tell_workers(algorithm, weights)


def _take(owner: Any, weights: Mapping[str, Any], **_: Any) -> None:
    """Give modules of a Learner or an EnvRunner their weights."""
    for module, state in weights.items():
        owner.module[module].set_state(state)


def _tell_workers(algorithm: Algorithm, weights: Mapping[str, Any]) -> None:
    shared = ray.put(weights)
    algorithm.env_runner_group.foreach_env_runner(
        lambda runner: _take(runner, ray.get(shared)), timeout_seconds=None
    )


def _weights(algorithm: Algorithm) -> dict[str, dict[str, np.ndarray]]:
    """The states of all modules, by the names of their tensors."""
    return algorithm.learner_group.get_state("learner/rl_module")["learner"]["rl_module"]


def restore(algorithm: Algorithm, path: Path) -> None:
    """Go on from a checkpoint of ``algorithm.save_to_path``, which runs the code in it."""
    algorithm.restore_from_path(str(path.resolve()))
    # RLlib leaves out workers that are still busy with an earlier message.
    _tell_workers(algorithm, _weights(algorithm))


def decisions_of(algorithm: Algorithm) -> int:
    """How many decisions have been played, over all resumptions."""
    return int(
        algorithm.metrics.peek((ENV_RUNNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME), default=0)
    )


def export(algorithm: Algorithm, path: Path) -> None:
    """Write what was learned to a checkpoint file of Duelgym, which ``make_agent`` takes.

    It is a safetensors file, whole or not at all, and needs no Ray to play.
    """
    settings = algorithm.config.rl_module_spec.rl_module_specs[LEARNER].model_config
    facts = {
        "identity": game_of(settings).identity(),
        "hidden": settings["hidden"],
        "config": {"seed": algorithm.config.seed},
        "decisions": decisions_of(algorithm),
        "updates": algorithm.training_iteration,
    }
    weights = _weights(algorithm)[LEARNER]
    save_tensors(path, {name: torch.from_numpy(each) for name, each in weights.items()}, facts)
