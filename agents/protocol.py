"""``Agent``: the one small protocol of everything that chooses moves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..envs.core.errors import OptionError, OrderError
from ..envs.core.game import Game
from ..envs.core.randomness import row_seeds
from ..envs.core.state import fresh_seed

if TYPE_CHECKING:
    from ..envs.core.state import State
    from ..envs.core.vector import VectorEnv


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

    def begin_games(self, rows: np.ndarray) -> None:  # noqa: B027
        """Forget the games in ``rows``, int64 ``[m]``: new ones begin there.

        For what plays one game after the other in a row; ``begin`` has begun the first ones.
        """

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

    def decide(self, env: VectorEnv, rows: np.ndarray, actions: np.ndarray) -> None:
        """Write ``actions[row]`` for the games in ``rows`` of ``env``, where this agent is to move.

        An agent that plays by observations leaves this to ``choose``; one that searches looks at
        the games themselves, through ``resample``.
        """
        self.choose(env.observations, env.masks, rows, actions)

    def start(self, game: Game, seed: int | None = None) -> None:
        """Get ready to play a single game with ``act`` or ``act_in``."""
        self.begin(game, row_seeds(np.uint64(fresh_seed(seed)), 1))
        self._game = game

    def act(self, observation: Mapping[str, Any]) -> int:
        """The action for one observation of the AEC environment: observation and action mask.

        Raises:
            OrderError: ``start`` has not been called, or it is not this seat's move.
            OptionError: The observation is not one of the game that was started.
        """
        game = self._started("act()")
        if not isinstance(observation, Mapping):
            raise OptionError(
                f"agent {self.name!r} acts on a dictionary with 'observation' and 'action_mask', "
                f"not {type(observation).__name__}"
            )
        seen = np.asarray(observation["observation"], np.float32)
        mask = np.asarray(observation["action_mask"], np.int8)
        if seen.shape != (game.observation_size,) or mask.shape != (game.num_actions,):
            raise OptionError(
                f"agent {self.name!r} was started on {game.label}, which has observations "
                f"[{game.observation_size}] and masks [{game.num_actions}], not "
                f"{list(seen.shape)} and {list(mask.shape)}"
            )
        if not mask.any():
            raise OrderError(f"agent {self.name!r}: no action is legal, so it is not its move")
        actions = np.zeros(1, np.int64)
        self.choose(seen[None], mask[None], np.zeros(1, np.int64), actions)
        return int(actions[0])

    def act_in(self, state: State) -> int:
        """The action for the seat to move in ``state``; any agent can do this, one that searches too.

        Raises:
            OrderError: ``start`` has not been called, or nobody is to move.
            OptionError: The state is not one of the game that was started.
        """
        game = self._started("act_in()")
        if state.game != game:
            raise OptionError(
                f"agent {self.name!r} was started on {game.label}, not on {state.game.label}"
            )
        if state.player < 0:
            raise OrderError(f"agent {self.name!r}: nobody is to move in {state!r}")
        return self._act_in(state)

    def _act_in(self, state: State) -> int:
        return self.act({"observation": state.observation(), "action_mask": state.legal_mask()})

    def _started(self, before: str) -> Game:
        """The game that ``start`` was called with."""
        game = getattr(self, "_game", None)
        if game is None:
            raise OrderError(f"agent {self.name!r}: call start() before {before}")
        return game
