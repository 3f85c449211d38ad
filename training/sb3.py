"""Stable-Baselines3's interface onto every game: a real ``VecEnv`` of thousands of games."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ..envs.core.errors import OptionError, OrderError

try:
    from stable_baselines3.common.vec_env.base_vec_env import (
        VecEnv,
        VecEnvIndices,
        VecEnvStepReturn,
    )
except ImportError as error:
    raise OptionError(f"this needs {error.name}: pip install 'duelgym[sb3]'") from None

from ..envs.core.game import Game
from .gymnasium_env import action_space, observation_space
from .one_seat import OneSeatGames, Opponents, the_game


class OneSeatVecEnv(VecEnv):
    """Many games at once, one seat of each against given opponents.

    Observations are float32 ``[num_envs, observation_size]``; ``env_method("action_masks")`` gives
    the legal actions as sb3-contrib asks for them. Rewards are the returns, given at the end of a
    game, where its info has ``terminal_observation`` and ``TimeLimit.truncated``. Arrays that are
    handed out are never written to again. Wrap it in ``VecMonitor`` for statistics of games.

    Attributes:
        games: What is played, and in which seats.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int,
        opponents: Opponents = "random",
        seat: int | str = "random",
        *,
        illegal_action: str = "error",
        skip_forced: bool = False,
        num_threads: int | None = None,
        variant: str | None = None,
        **options: Any,
    ) -> None:
        """Choose the game, the seat and who plays the others.

        Args:
            game: A game, or the name of one.
            num_envs: How many games.
            opponents: Agents or their names: one for all other seats, or one for each, clockwise
                from the learner's. An ``OpponentPool`` draws another one in each game.
            seat: The learner's seat, or ``random`` for another one in each game.
            illegal_action: ``error``, or ``lose`` for algorithms that know no masks: the game ends
                with the least return there is.
            skip_forced: Play decisions with a single legal action without asking.
            num_threads: Threads for the rules in large batches; None takes one a core.
            variant: A named variant of the game.
            options: Options of the game, such as ``num_players``.

        Raises:
            OptionError: An unknown name, or an impossible value.
        """
        self.games = OneSeatGames(
            the_game(game, variant, options),
            num_envs,
            opponents,
            seat,
            illegal_action=illegal_action,
            skip_forced=skip_forced,
            num_threads=num_threads,
        )
        self._actions: np.ndarray | None = None
        played = self.games.game
        super().__init__(num_envs, observation_space(played), action_space(played))

    def reset(self) -> np.ndarray:
        """Begin a game in every row: observations. The seed is that of the last ``seed`` call."""
        self.games.reset(self._seeds[0])
        self._reset_seeds()
        self._reset_options()
        return self.games.observations.copy()

    def step_async(self, actions: np.ndarray) -> None:
        """Note the actions, whole numbers ``[num_envs]``."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Make one move of the seat in every game, and all moves up to its next decision.

        Raises:
            IllegalActionError: An action is illegal and that is an error; no game has been changed.
            OrderError: ``reset`` or ``step_async`` has not been called.
        """
        if self._actions is None:
            raise OrderError("call step_async() before step_wait()")
        games, actions = self.games, self._actions
        self._actions = None
        games.step(actions)
        ended = games.terminated | games.truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(ended).tolist():
            infos[row] = {
                "terminal_observation": games.final_observations[row].copy(),
                "TimeLimit.truncated": bool(games.truncated[row]),
            }
        return games.observations.copy(), games.rewards.copy(), ended, infos

    def action_masks(self) -> np.ndarray:
        """The legal actions of every game: bool ``[num_envs, num_actions]``."""
        return self.games.masks.astype(np.bool_)

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: VecEnvIndices = None,
        **method_kwargs: Any,
    ) -> list[Any]:
        """What a method of each game gives; there is ``action_masks``.

        Raises:
            AttributeError: There is no such method.
        """
        if method_name != "action_masks":
            raise AttributeError(f"the games of {type(self).__name__} have no {method_name!r}")
        return list(self.action_masks()[self._rows(indices)])

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of each game: ``action_masks``, ``game``, ``render_mode`` or ``seat``.

        Raises:
            AttributeError: There is no such attribute.
        """
        rows = self._rows(indices)
        if attr_name == "action_masks":
            return [partial(self._mask, row) for row in rows.tolist()]
        if attr_name == "seat":
            return self.games.seats[rows].tolist()
        shared = {"game": self.games.game, "render_mode": None}
        if attr_name not in shared:
            raise AttributeError(f"the games of {type(self).__name__} have no {attr_name!r}")
        return [shared[attr_name]] * len(rows)

    def _mask(self, row: int) -> np.ndarray:
        return self.action_masks()[row]

    def _rows(self, indices: VecEnvIndices) -> np.ndarray:
        return np.arange(self.num_envs)[list(self._get_indices(indices))]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """The games of a batch have no attributes of their own to set.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError(f"the games of {type(self).__name__} have no {attr_name!r} to set")

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """No game is in a wrapper of its own."""
        return [False] * len(self._rows(indices))

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Pictures of what the seat sees in each game: uint8 ``[height, width, 3]``."""
        states = map(self.games.state, range(self.num_envs))
        seats = self.games.seats.tolist()
        return [
            self.games.game.picture(state.record, seat)
            for state, seat in zip(states, seats, strict=True)
        ]

    def close(self) -> None:
        """Nothing is held open."""
