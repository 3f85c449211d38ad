"""Gymnasium's interface onto every game: one seat decides, agents play the others.

    import duelgym, gymnasium
    env = gymnasium.make("duelgym/GemDuel-v0", opponents=["reasoner", "bold"], num_players=3)
    envs = gymnasium.make_vec("duelgym/GemDuel-v0", num_envs=4096, opponents="bold")

The legal actions of a decision are in ``info["action_mask"]``.
"""

from __future__ import annotations

import operator
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ..envs.core import observation
from ..envs.core.errors import IllegalActionError, OptionError, OrderError, suggest
from ..envs.core.game import Game
from ..envs.core.randomness import row_seeds
from ..envs.core.state import State
from .one_seat import (
    OneSeatGames,
    Opponents,
    check_illegal_action,
    checked_seat,
    seated,
    the_game,
)

ROW = np.zeros(1, np.int64)


def observation_space(game: Game) -> spaces.Box:
    """Space of the observations: float32 ``[observation_size]``."""
    low, high = observation.bounds(game.sections)
    return spaces.Box(low, high, dtype=np.float32)


def action_space(game: Game) -> spaces.Discrete[Any]:
    """Space of the actions; which of them are legal is in the masks."""
    return spaces.Discrete(game.num_actions)


def check_render_mode(mode: str | None, known: list[str]) -> None:
    """Raise ``OptionError`` unless ``mode`` is None or ``known``."""
    if mode is not None and mode not in known:
        raise OptionError(f"there is no render_mode {mode!r}; {suggest(mode, known)}")


class SingleAgentEnv(gymnasium.Env[np.ndarray, int]):
    """One seat of a game against given opponents.

    Observations are float32 ``[observation_size]``, what the seat knows. ``info["action_mask"]`` is
    int8 ``[num_actions]``, its legal actions, all zero when the game is over. The reward is the
    return of the game, given once, at its end. A game that ends before the seat was ever asked is
    dealt again by ``reset``.

    As any action of the space may be sent to ``step``, an illegal one loses: the game ends with the
    least return there is, and ``info["illegal_action"]`` is there. ``illegal_action="error"`` raises
    ``IllegalActionError`` instead and changes nothing.

    Attributes:
        game: What is played.
        seat: The caller's seat in the present game.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi", "human", "rgb_array"],
        "render_fps": 1,
    }

    def __init__(
        self,
        game: Game | str,
        opponents: Opponents = "random",
        seat: int | str = "random",
        render_mode: str | None = None,
        *,
        illegal_action: str = "lose",
        skip_forced: bool = False,
        variant: str | None = None,
        **options: Any,
    ) -> None:
        """Choose the game, the seat and who plays the others.

        Args:
            game: A game, or the name of one.
            opponents: Agents or their names, run folders and checkpoints included: one for all
                other seats, or one for each, clockwise from the caller's.
            seat: The caller's seat, or ``random`` for another one in each game.
            render_mode: ``ansi``, ``human``, ``rgb_array`` or None; it shows what the seat sees.
            illegal_action: ``lose`` or ``error``.
            skip_forced: Play decisions with a single legal action without asking.
            variant: A named variant of the game.
            options: Options of the game, such as ``num_players``.

        Raises:
            OptionError: An unknown name, or an impossible value.
        """
        check_render_mode(render_mode, self.metadata["render_modes"])
        check_illegal_action(illegal_action)
        self.game = the_game(game, variant, options)
        self.opponents = seated(self.game, opponents)
        self.render_mode = render_mode
        self.observation_space = observation_space(self.game)
        self.action_space = action_space(self.game)
        self._fixed_seat = checked_seat(self.game, seat)
        self.seat = self._fixed_seat or 0
        self._illegal_action = illegal_action
        self._skip_forced = skip_forced
        self._state: State | None = None
        self._lost = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a game. ``seed`` settles it and, in turn, the games after it."""
        super().reset(seed=seed)
        if seed is not None or self._state is None:
            for player in self.opponents:
                player.begin(self.game, row_seeds(self._word(), 1))
        self._lost = False
        while True:
            self._deal()
            if not self._playing().is_over:
                break
        self._show()
        return self._view()

    def _word(self) -> np.uint64:
        return self.np_random.integers(2**64, dtype=np.uint64)

    def _deal(self) -> None:
        """Begin a game and go to the seat's first decision."""
        if self._fixed_seat is None:
            self.seat = int(self.np_random.integers(self.game.num_players))
        self._state = self.game.start(int(self._word()))
        for player in self.opponents:
            player.begin_games(ROW)
        self._play_on()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Make the seat's move, and all moves up to its next decision.

        Raises:
            IllegalActionError: The rules forbid the action and that is an error.
            OrderError: The game is over, or ``reset`` was not called.
        """
        state = self._playing()
        if state.is_over or self._lost:
            raise OrderError(f"{self.game.label}: the game is over; call reset() first")
        try:
            state.apply(operator.index(action))
        except IllegalActionError:
            if self._illegal_action == "error":
                raise
            self._lost = True
            seen, info = self._view()
            least = self.game.facts.min_return
            return seen, least, True, False, {**info, "illegal_action": True}
        self._play_on()
        self._show()
        reward = state.returns()[self.seat] if state.is_over else 0.0
        seen, info = self._view()
        return seen, reward, state.is_over and not state.is_truncated, state.is_truncated, info

    def _playing(self) -> State:
        if self._state is None:
            raise OrderError(f"{self.game.label}: call reset() first")
        return self._state

    def _play_on(self) -> None:
        """Let the opponents move until the seat has to decide or the game is over."""
        state, actions = self._playing(), np.zeros(1, np.int64)
        while not state.is_over:
            mask = state.legal_mask()
            if self._skip_forced and mask.sum() == 1:
                actions[0] = mask.argmax()
            elif state.player == self.seat:
                return
            else:
                place = (state.player - self.seat) % self.game.num_players - 1
                seen = state.observation()
                self.opponents[place].choose(seen[None], mask[None], ROW, actions)
            state.apply(int(actions[0]))

    def _view(self) -> tuple[np.ndarray, dict[str, Any]]:
        """What the seat knows, and its mask."""
        return self._playing().observation(self.seat), {"action_mask": self._mask()}

    def _mask(self) -> np.ndarray:
        mask = self._playing().legal_mask()
        if self._lost:
            mask[:] = 0
        return mask

    def action_masks(self) -> np.ndarray:
        """The legal actions as sb3-contrib asks for them: bool ``[num_actions]``.

        Raises:
            OrderError: ``reset`` has not been called.
        """
        return self._mask().astype(np.bool_)

    def render(self) -> str | np.ndarray | None:
        """What the seat sees: text for ``ansi``, uint8 ``[height, width, 3]`` for ``rgb_array``.

        ``human`` prints every position by itself, and here gives None.

        Raises:
            OrderError: ``reset`` has not been called.
            OptionError: The environment was made without a ``render_mode``.
        """
        if self.render_mode is None:
            raise OptionError("nothing to render; make the environment with render_mode='ansi'")
        state = self._playing()
        if self.render_mode == "rgb_array":
            return self.game.picture(state.record, self.seat)
        return state.render(self.seat) if self.render_mode == "ansi" else None

    def _show(self) -> None:
        if self.render_mode == "human":
            print(self._playing().render(self.seat), flush=True)


class SingleAgentVectorEnv(gymnasium.vector.VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """Thousands of games at once, one seat of each against given opponents.

    What ``SingleAgentEnv`` is for a single game, with autoreset in the same step: a game that ends
    gives its last observation and info in ``final_obs`` and ``final_info``, and its successor's
    first observation as ``obs``. ``info["action_mask"]`` is int8 ``[num_envs, num_actions]``.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi", "rgb_array"],
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1,
        opponents: Opponents = "random",
        seat: int | str = "random",
        render_mode: str | None = None,
        *,
        illegal_action: str = "lose",
        skip_forced: bool = False,
        num_threads: int | None = None,
        variant: str | None = None,
        **options: Any,
    ) -> None:
        """Choose the game, the seat and who plays the others.

        Args:
            game: A game, or the name of one.
            num_envs: How many games.
            opponents: As for ``SingleAgentEnv``.
            seat: The caller's seat, or ``random`` for another one in each game.
            render_mode: ``ansi``, ``rgb_array`` or None; it shows what the seats see.
            illegal_action: ``lose`` or ``error``.
            skip_forced: Play decisions with a single legal action without asking.
            num_threads: Threads for the rules in large batches; None takes one a core.
            variant: A named variant of the game.
            options: Options of the game, such as ``num_players``.

        Raises:
            OptionError: An unknown name, or an impossible value.
        """
        check_render_mode(render_mode, self.metadata["render_modes"])
        self.game = the_game(game, variant, options)
        self.games = OneSeatGames(
            self.game,
            num_envs,
            opponents,
            seat,
            illegal_action=illegal_action,
            skip_forced=skip_forced,
            num_threads=num_threads,
        )
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space = observation_space(self.game)
        self.single_action_space = action_space(self.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a game in every row. ``seed`` settles them all and, in turn, later resets."""
        super().reset(seed=seed)
        self.games.reset(int(self.np_random.integers(2**64, dtype=np.uint64)))
        return self.games.observations.copy(), self._info()

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One move of the seat in every game, and all moves up to its next decision.

        Raises:
            IllegalActionError: An action is illegal and that is an error; no game has been changed.
            OrderError: ``reset`` has not been called.
        """
        games = self.games
        games.step(actions)
        info = self._info()
        ended = games.terminated | games.truncated
        if ended.any():
            info |= self._final(ended)
        ends = games.terminated.copy(), games.truncated.copy()
        return games.observations.copy(), games.rewards.astype(np.float64), *ends, info

    def _info(self) -> dict[str, Any]:
        every = np.ones(self.num_envs, np.bool_)
        return {"action_mask": self.games.masks.copy(), "_action_mask": every}

    def _final(self, ended: np.ndarray) -> dict[str, Any]:
        """What Gymnasium keeps of the games ``ended`` bool ``[num_envs]``."""
        seen = np.full(self.num_envs, None, object)
        for row in np.flatnonzero(ended):
            seen[row] = self.games.final_observations[row].copy()
        last: dict[str, Any] = {
            "action_mask": np.zeros_like(self.games.masks),
            "_action_mask": ended.copy(),
        }
        if self.games.illegal.any():
            illegal = self.games.illegal
            last |= {"illegal_action": illegal.copy(), "_illegal_action": illegal.copy()}
        return {
            "final_obs": seen,
            "_final_obs": ended.copy(),
            "final_info": last,
            "_final_info": ended.copy(),
        }

    def render(self) -> tuple[Any, ...]:
        """What each seat sees: texts for ``ansi``, pictures for ``rgb_array``.

        Raises:
            OrderError: ``reset`` has not been called.
            OptionError: The environment was made without a ``render_mode``.
        """
        if self.render_mode is None:
            raise OptionError("nothing to render; make the environment with render_mode='ansi'")
        states = [self.games.state(row) for row in range(self.num_envs)]
        seats = self.games.seats.tolist()
        if self.render_mode == "ansi":
            return tuple(state.render(seat) for state, seat in zip(states, seats, strict=True))
        return tuple(
            self.game.picture(state.record, seat) for state, seat in zip(states, seats, strict=True)
        )
