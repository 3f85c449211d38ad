"""``VectorEnv``: thousands of games in one array, all seats played by the caller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import loops, threads
from .errors import (
    IllegalActionError,
    OptionError,
    OrderError,
    StateFormatError,
    is_whole,
)
from .game import Game
from .randomness import random_rows, row_seeds
from .state import State, fresh_seed


class VectorEnv:
    """A batch of games that are stepped together and start over as soon as they end.

    Every array is allocated once and overwritten by each ``step``: copy what has to stay.
    A game that ends is scored and its successor begins in the same step, so
    ``observations``, ``masks`` and ``players`` always belong to a decision that is due.

    Attributes:
        observations: float32 ``[num_envs, observation_size]``, of the seat to move.
        masks: int8 ``[num_envs, num_actions]``, its legal actions.
        players: int8 ``[num_envs]``, the seat to move.
        rewards: float32 ``[num_envs, num_players]``, indexed by seat; not zero only at the end.
        terminated: bool ``[num_envs]``, whether the step ended a game.
        truncated: bool ``[num_envs]``, whether the step ran into a limit that is no rule.
        final_observations: float32 ``[num_envs, num_players, observation_size]``: what each seat
            knew at the end; meaningful in rows whose game has just ended.
        lengths: int32 ``[num_envs]``, decisions by the caller in the game that ended last.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        num_threads: int | None = None,
        skip_forced: bool = False,
    ) -> None:
        """Make room for ``num_envs`` games.

        Args:
            game: The game, with its options.
            num_envs: How many games, at least 1.
            num_threads: Threads for large batches; None takes one a core.
            skip_forced: Play decisions with a single legal action without asking.
        """
        if not is_whole(num_envs) or num_envs < 1:
            raise OptionError(f"num_envs is a whole number of at least 1, not {num_envs!r}")
        if num_threads is not None and (not is_whole(num_threads) or num_threads < 1):
            raise OptionError(f"num_threads is None or at least 1, not {num_threads!r}")
        self.game = game
        self.num_envs = num_envs
        self.num_threads = num_threads
        self.skip_forced = skip_forced
        seats, size = game.num_players, game.observation_size
        self.observations = np.zeros((num_envs, size), np.float32)
        self.masks = np.zeros((num_envs, game.num_actions), np.int8)
        self.players = np.zeros(num_envs, np.int8)
        self.rewards = np.zeros((num_envs, seats), np.float32)
        self.terminated = np.zeros(num_envs, np.bool_)
        self.truncated = np.zeros(num_envs, np.bool_)
        self.final_observations = np.zeros((num_envs, seats, size), np.float32)
        self.lengths = np.zeros(num_envs, np.int32)
        self._states = np.zeros(num_envs, game.record)
        self._seeds = np.zeros(num_envs, np.uint64)
        self._episodes = np.zeros(num_envs, np.int64)
        self._decisions = np.zeros(num_envs, np.int32)
        self._actions = np.zeros(num_envs, np.int64)
        self._legal = np.zeros_like(self.masks)
        self._rows = np.arange(num_envs)
        self._slices = threads.num_slices(num_envs, num_threads)
        self._weights = np.zeros((self._slices, game.facts.num_chance_outcomes), np.int32)
        self._ready = False

    def reset(self, seed: int | None = None) -> None:
        """Begin a game in every row; row ``r`` depends on ``seed`` and ``r`` alone."""
        self.reset_rows(row_seeds(np.uint64(fresh_seed(seed)), self.num_envs))

    def reset_rows(self, seeds: np.ndarray) -> None:
        """Begin a game in every row from a seed of its own: uint64 ``[num_envs]``.

        Rows with equal seeds meet equal chance, however they are played.
        """
        seeds = np.asarray(seeds)
        if seeds.shape != (self.num_envs,) or seeds.dtype != np.uint64:
            raise ValueError(f"seeds are uint64 [{self.num_envs}], not {seeds.dtype} {seeds.shape}")
        self._seeds[:] = seeds
        self._episodes[:] = 0
        self._decisions[:] = 0
        self.terminated[:] = self.truncated[:] = False
        self.rewards[:] = 0
        self.lengths[:] = 0
        self._begin(self._rows)
        self._ready = True

    def restart(self, rows: np.ndarray) -> None:
        """Give up the games in ``rows``, whole numbers ``[m]`` without repetition, for their successors.

        The results of the last step stay.

        Raises:
            OrderError: ``reset`` has not been called.
            ValueError: ``rows`` are not such numbers.
        """
        if not self._ready:
            raise OrderError(f"{self.game.label}: call reset() before restart()")
        rows = self._checked(rows)
        self._episodes[rows] += 1
        self._decisions[rows] = 0
        self._begin(rows)

    def _begin(self, rows: np.ndarray) -> None:
        """Begin the game of each row that ``_episodes`` says."""
        template = self.game.template
        threads.run(
            lambda slot, low, high: loops.begin_rows(
                self._states,
                template,
                self._seeds,
                self._episodes,
                self.skip_forced,
                self.observations,
                self._legal,
                self.players,
                self._weights[slot],
                rows,
                low,
                high,
            ),
            len(rows),
            self._slices_for(rows),
        )
        self.masks[rows] = self._legal[rows]

    def _slices_for(self, rows: np.ndarray) -> int:
        return min(self._slices, threads.num_slices(len(rows), self.num_threads))

    def _checked(self, rows: np.ndarray) -> np.ndarray:
        """``rows`` as int64, each of them a game and none of them twice."""
        rows = np.asarray(rows)
        inside = rows.ndim == 1 and rows.dtype.kind in "iu" and (rows < self.num_envs).all()
        if not inside or (rows < 0).any() or np.bincount(rows, minlength=1).max() > 1:
            raise ValueError(f"rows are different numbers below {self.num_envs}, not {rows}")
        return rows.astype(np.int64)

    def step(self, actions: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Make one move in every game, or only in some.

        Args:
            actions: Whole numbers ``[num_envs]``, each legal by ``masks``.
            rows: The games that are moved on, whole numbers ``[m]`` without repetition; None for all.
                The others stay as they are, and so their ``rewards`` are zero and they did not end.

        Raises:
            IllegalActionError: An action is not legal; no game has been changed.
            OrderError: ``reset`` has not been called.
            ValueError: ``rows`` are not such numbers.
        """
        if not self._ready:
            raise OrderError(f"{self.game.label}: call reset() before step()")
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise IllegalActionError(
                f"{self.game.label}: actions are whole numbers [{self.num_envs}], "
                f"not {actions.dtype} {list(actions.shape)}"
            )
        moved = self._rows if rows is None else self._checked(rows)
        self._actions[:] = actions
        row = loops.first_illegal_row(self._legal, self._actions, moved)
        if row != loops.NO_ERROR:
            seat = int(self.players[row])
            names = ", ".join(
                f"{action} ({self.game.action_name(action, seat)})"
                for action in np.flatnonzero(self._legal[row]).tolist()
            )
            raise IllegalActionError(
                f"{self.game.label}: action {actions[row]} is illegal in game {row}, "
                f"player {seat} is to move; legal: {names}"
            )
        self.rewards[:] = 0
        self.terminated[:] = self.truncated[:] = False
        template = self.game.template
        threads.run(
            lambda slot, low, high: loops.step_rows(
                self._states,
                template,
                self._actions,
                self._seeds,
                self._episodes,
                self.skip_forced,
                self.observations,
                self._legal,
                self.players,
                self.rewards,
                self.terminated,
                self.truncated,
                self.final_observations,
                self.lengths,
                self._decisions,
                self._weights[slot],
                moved,
                low,
                high,
            ),
            len(moved),
            self._slices_for(moved),
        )
        # The caller's masks are a copy, so that writing to them cannot make a move legal.
        if rows is None:
            self.masks[:] = self._legal
        else:
            self.masks[moved] = self._legal[moved]

    def random_actions(self, seed: int, step: int) -> np.ndarray:
        """A uniformly random legal action for every game: int64 ``[num_envs]``.

        Raises:
            OrderError: ``reset`` has not been called.
        """
        if not self._ready:
            raise OrderError(f"{self.game.label}: call reset() before random_actions()")
        actions = np.zeros(self.num_envs, np.int64)
        seeds = row_seeds(np.uint64(fresh_seed(seed)), self.num_envs)
        random_rows(self._legal, seeds, step, actions, 0, self.num_envs)
        return actions

    @property
    def states(self) -> np.ndarray:
        """The record of every game, read-only ``[num_envs]``: all there is, hidden things included.

        For agents that search, which look at a state through ``resample`` alone.
        """
        view = self._states.view()
        view.flags.writeable = False
        return view

    def state(self, row: int) -> State:
        """A copy of the game in a row.

        Raises:
            OrderError: ``reset`` has not been called.
            IndexError: There is no such row.
        """
        if not self._ready:
            raise OrderError(f"{self.game.label}: call reset() before state()")
        if not 0 <= row < self.num_envs:
            raise IndexError(
                f"{self.game.label}: there are games 0 to {self.num_envs - 1}, not {row}"
            )
        return State(self.game, self._states[row : row + 1].copy())

    def save(self) -> dict[str, np.ndarray]:
        """The games as plain arrays, to go on from with ``load``."""
        return {
            "states": self._states.view(np.uint8).reshape(self.num_envs, -1).copy(),
            "seeds": self._seeds.copy(),
            "episodes": self._episodes.copy(),
            "decisions": self._decisions.copy(),
        }

    def load(self, saved: Mapping[str, np.ndarray]) -> None:
        """Go on with the games that ``save`` gave; the results of the last step are not kept.

        Raises:
            StateFormatError: They are of another game, layout or number of games.
        """
        states = np.ascontiguousarray(saved["states"])
        if states.dtype != np.uint8 or states.shape != (self.num_envs, self.game.record.itemsize):
            raise StateFormatError(
                f"{self.game.label}: saved games are {states.dtype} {list(states.shape)}, "
                f"not uint8 {[self.num_envs, self.game.record.itemsize]}"
            )
        records = states.view(self.game.record).reshape(-1)
        self.game.check_states(records)
        self._states[:] = records
        self._seeds[:] = saved["seeds"]
        self._episodes[:] = saved["episodes"]
        self._decisions[:] = saved["decisions"]
        self.terminated[:] = self.truncated[:] = False
        self.rewards[:] = 0
        self._view()
        self._ready = True

    def _view(self) -> None:
        """Write the view of every decision that is due, by the rules of this process."""
        loops.view_rows(
            self._states, self.observations, self._legal, self.players, 0, self.num_envs
        )
        self.masks[:] = self._legal

    def __repr__(self) -> str:
        return f"VectorEnv({self.game.label}, num_envs={self.num_envs})"

    def __getstate__(self) -> dict[str, Any]:
        saved = self.__dict__.copy()
        saved["_states"] = self.game.save_states(self._states)
        return saved

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self.__dict__.update(saved)
        self._states = self.game.load_states(saved["_states"])
        self.game.check_sizes(self.observations.shape[1], self.masks.shape[1])
        if self._ready:
            self._view()


def play_random(
    game: Game, num_envs: int, steps: int, seed: int, num_threads: int | None = None
) -> int:
    """Play ``steps`` uniformly random decisions in each of ``num_envs`` games, without observations.

    Returns:
        How many games were finished on the way.
    """
    seeds = row_seeds(np.uint64(fresh_seed(seed)), num_envs)
    states = np.zeros(num_envs, game.record)
    finished = np.zeros(num_envs, np.int64)
    slices = threads.num_slices(num_envs, num_threads)
    masks = np.zeros((slices, game.num_actions), np.int8)
    weights = np.zeros((slices, game.facts.num_chance_outcomes), np.int32)
    template = game.template
    threads.run(
        lambda slot, low, high: loops.play_random(
            states, template, seeds, steps, finished, masks[slot], weights[slot], low, high
        ),
        num_envs,
        slices,
    )
    return int(finished.sum())
