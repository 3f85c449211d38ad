"""``DuelEnv``: the PettingZoo agent-environment-cycle interface onto every game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from . import loops, observation
from .errors import IllegalActionError, OptionError, OrderError, is_whole, suggest
from .game import Game
from .game_records import GameRecord, record_moves
from .records import TRUNCATED
from .state import State, fresh_seed


class DuelEnv(AECEnv[str, dict[str, np.ndarray], int]):
    """A game in PettingZoo's AEC interface, with the checks of its stock wrappers built in.

    Observations are ``{"observation": float32 [observation_size], "action_mask": int8
    [num_actions]}``; the mask is also in ``infos[agent]["action_mask"]``. It is all zero for every
    agent but the one to move. Rewards are the returns of the game, given once, at its end.
    Arrays that are handed out are never written to again.
    """

    def __init__(self, game: Game, render_mode: str | None = None) -> None:
        """Wrap ``game``.

        Raises:
            OptionError: ``render_mode`` is not ``None``, ``ansi``, ``rgb_array`` or ``human``.
        """
        super().__init__()
        modes = ["ansi", "human", "rgb_array"]
        if render_mode is not None and render_mode not in modes:
            raise OptionError(
                f"{game.name} has no render_mode {render_mode!r}; {suggest(render_mode, modes)}"
            )
        self.metadata = {
            "name": f"{game.name}_v{game.version}",
            "render_modes": modes,
            "render_fps": 1,
            "is_parallelizable": False,
        }
        self.game = game
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_players)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        low, high = observation.bounds(game.sections)
        self.observation_spaces: dict[str, spaces.Space[Any]] = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(low, high, dtype=np.float32),
                    "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces: dict[str, spaces.Space[Any]] = {
            agent: spaces.Discrete(game.num_actions) for agent in self.possible_agents
        }
        self.state_space = spaces.Box(0, 255, (game.record.itemsize,), np.uint8)
        facts = game.facts
        self._states = game.template.copy()
        self._mask = np.zeros(game.num_actions, np.int8)
        self._weights = np.zeros(facts.num_chance_outcomes, np.int32)
        self._returns = np.zeros(game.num_players, np.float32)
        self._seeds = np.random.default_rng()
        self._ready = False

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. ``seed`` settles its chance and, in turn, that of the resets after it.

        The option ``game_seed`` is the seed of this game itself, as records of games have it.
        """
        if seed is not None:
            self._seeds = np.random.default_rng(fresh_seed(seed))
        drawn = self._seeds.integers(2**64, dtype=np.uint64)
        if options and "game_seed" in options:
            drawn = np.uint64(fresh_seed(options["game_seed"]))
        self._moves: list[int] = []
        loops.begin_one(self._states, self.game.template, drawn, self._mask, self._weights)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: self._no_mask() for agent in self.agents}
        self._skip_agent_selection = None
        self._ready = True
        self._to_move(self.agents[0])
        if self.render_mode == "human":
            self.render()

    def _no_mask(self) -> dict[str, np.ndarray]:
        return {"action_mask": np.zeros(self.game.num_actions, np.int8)}

    def _to_move(self, previous: str) -> None:
        """Select the agent that decides next, or score the game."""
        player = int(self._states["player"][0])
        self.infos[previous] = self._no_mask()
        if player >= 0:
            self.agent_selection = self.possible_agents[player]
            self.infos[self.agent_selection] = {"action_mask": self._mask.copy()}
            return
        loops.returns_one(self._states, self._returns)
        over = self.truncations if player == TRUNCATED else self.terminations
        for agent, reward in zip(self.agents, self._returns.tolist(), strict=True):
            over[agent] = True
            self.rewards[agent] = self._cumulative_rewards[agent] = reward
        self.agent_selection = self.agents[(self._seats[previous] + 1) % len(self.agents)]

    def step(self, action: int | None) -> None:
        """Make a move for ``agent_selection``; ``None`` for an agent whose game is over.

        Raises:
            IllegalActionError: The rules forbid the action; nothing has changed.
            OrderError: There is nobody left to step, or ``reset`` was not called.
        """
        if not self.agents:
            why = "the game is over for all agents" if self._ready else "not started"
            raise OrderError(f"{self.metadata['name']}: {why}; call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise IllegalActionError(
                    f"{self.metadata['name']}: the game is over for {agent}, "
                    f"so the only valid action is None, not {action!r}"
                )
            self._was_dead_step(None)  # pyright: ignore[reportArgumentType]
            return
        self._check(action)
        loops.move_one(self._states, int(action), self._mask, self._weights)  # type: ignore[arg-type]
        self._moves.append(int(action))  # type: ignore[arg-type]
        self._to_move(agent)
        if self.render_mode == "human":
            self.render()

    def _check(self, action: int | None) -> None:
        whole = is_whole(action) or (
            isinstance(action, np.ndarray) and action.shape == () and action.dtype.kind in "iu"
        )
        if whole and 0 <= action < len(self._mask) and self._mask[action]:  # type: ignore[operator]
            return
        agent = self.agent_selection
        names = ", ".join(
            f"{legal} ({self.game.action_name(legal, self._seats[agent])})"
            for legal in np.flatnonzero(self._mask).tolist()
        )
        raise IllegalActionError(
            f"{self.metadata['name']}: action {action!r} of {agent} is illegal here; legal: {names}"
        )

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What ``agent`` knows now; its mask is zero unless it is to move.

        Raises:
            OrderError: ``reset`` has not been called.
        """
        if not self._ready:
            raise OrderError(f"{self.metadata['name']}: call reset() before observe()")
        seat = self._seats[agent]
        out = np.empty(self.game.observation_size, np.float32)
        loops.observe_one(self._states, seat, out)
        moving = self._states["player"][0] == seat
        mask = self._mask.copy() if moving else np.zeros(len(self._mask), np.int8)
        return {"observation": out, "action_mask": mask}

    def last(
        self, observe: bool = True
    ) -> tuple[dict[str, np.ndarray] | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last step, ends and info of the agent to move.

        Raises:
            OrderError: ``reset`` has not been called, or nobody is left.
        """
        if not self.agents:
            why = "the game is over for all agents" if self._ready else "not started"
            raise OrderError(f"{self.metadata['name']}: {why}; call reset() first")
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def state(self) -> np.ndarray:
        """The full state, hidden things included: uint8 ``[bytes of the record]``."""
        return self._states.view(np.uint8).reshape(-1).copy()

    def game_record(self, agents: Sequence[str | None] | None = None) -> GameRecord:
        """The finished game as a record to write down and play again; ``agents`` by seat.

        Raises:
            OrderError: The game is not over, or ``reset`` has not been called.
        """
        if not self._ready:
            raise OrderError(f"{self.metadata['name']}: call reset() before game_record()")
        return record_moves(self.game, int(self._states["seed"][0]), self._moves, agents)

    def snapshot(self) -> State:
        """A copy of the position, as the friendly single-state object."""
        return State(self.game, self._states.copy())

    def render(self) -> str | np.ndarray | None:
        """The table: text for ``ansi``, uint8 ``[height, width, 3]`` for ``rgb_array``.

        ``human`` prints the text and gives None.

        Raises:
            OrderError: ``reset`` has not been called.
            OptionError: The environment was made without a ``render_mode``.
        """
        if not self._ready:
            raise OrderError(f"{self.metadata['name']}: call reset() before render()")
        if self.render_mode is None:
            raise OptionError(
                f"{self.metadata['name']}: nothing to render; make it with env(render_mode='ansi')"
            )
        if self.render_mode == "rgb_array":
            return self.game.picture(self._states[0])
        text = self.game.text(self._states[0])
        if self.render_mode == "ansi":
            return text
        print(text, flush=True)
        return None

    def close(self) -> None:
        """Nothing is held open."""

    def __getstate__(self) -> dict[str, Any]:
        saved = self.__dict__.copy()
        saved["_states"] = self.game.save_states(self._states)
        return saved

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self.__dict__.update(saved)
        self._states = self.game.load_states(saved["_states"])
        self.game.check_sizes(
            self.observation_spaces[self.possible_agents[0]]["observation"].shape[0],  # type: ignore[index]
            len(self._mask),
        )
        if self._ready and self._states["player"][0] >= 0:
            # What is legal follows from the state, by the rules of this process.
            loops.mask_one(self._states, self._mask)
            self.infos[self.agent_selection] = {"action_mask": self._mask.copy()}
