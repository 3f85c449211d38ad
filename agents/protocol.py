"""``Agent``: the one small protocol of everything that chooses moves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..envs.core.game import Game
from ..envs.core.randomness import row_seeds
from ..envs.core.state import fresh_seed


class Agent(ABC):
    """Chooses moves from observations and masks alone, in any number of games at once.

    Each game is a row with randomness of its own: what an agent does in one row depends on that
    row's seed and decisions, never on the other rows.
    """

    name: str = ""
    """What commands call it."""

    def begin(self, game: Game, seeds: np.ndarray) -> None:
        """Get ready to play ``game`` in ``len(seeds)`` rows; ``seeds`` are uint64 ``[rows]``.

        Raises:
            OptionError: The agent cannot play this game.
        """
        self.check(game)
        self._prepare(game, seeds)

    def check(self, game: Game) -> None:  # noqa: B027
        """Raise ``OptionError`` if the agent cannot play ``game``."""

    @abstractmethod
    def _prepare(self, game: Game, seeds: np.ndarray) -> None:
        """Make room for ``len(seeds)`` rows."""

    @abstractmethod
    def choose(
        self, observations: np.ndarray, masks: np.ndarray, rows: np.ndarray, actions: np.ndarray
    ) -> None:
        """Write ``actions[row]`` for every row in ``rows``; the other rows are not looked at.

        Args:
            observations: float32 ``[all rows, observation_size]``.
            masks: int8 ``[all rows, num_actions]``.
            rows: int64 ``[m]``, the rows where this agent is to move.
            actions: int64 ``[all rows]``.
        """

    def start(self, game: Game, seed: int | None = None) -> None:
        """Get ready to play a single game with ``act``."""
        self.begin(game, row_seeds(np.uint64(fresh_seed(seed)), 1))

    def act(self, observation: Mapping[str, Any]) -> int:
        """The action for one observation of the AEC environment: observation and action mask."""
        actions = np.zeros(1, np.int64)
        self.choose(
            np.asarray(observation["observation"], np.float32)[None],
            np.asarray(observation["action_mask"], np.int8)[None],
            np.zeros(1, np.int64),
            actions,
        )
        return int(actions[0])
