"""Many games at once in which one seat is the caller's and agents play the others.

The Gymnasium and Stable-Baselines3 interfaces are thin layers on this.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..agents import make_agent
from ..agents.protocol import Agent
from ..envs import make
from ..envs.core.compilation import kernel
from ..envs.core.errors import IllegalActionError, OptionError, OrderError, is_whole, suggest
from ..envs.core.game import Game
from ..envs.core.randomness import below, random_word, row_seeds
from ..envs.core.state import State, fresh_seed

Opponents = str | Agent | Sequence[str | Agent]
"""Agents, or their names as ``make_agent`` takes them: one for all other seats, or one for each."""

ILLEGAL_ACTIONS = ("lose", "error")


class OneSeatGames:
    """A batch of games that start over as soon as they end, seen from one seat in each.

    Whenever a call returns, every game waits for a decision of its own seat: the opponents have
    moved, by the seeds alone. Games that end before that seat was ever asked are not reported.
    Every array is allocated once and overwritten by each ``step``.

    Attributes:
        seats: int64 ``[num_envs]``, the caller's seat in each game.
        observations: float32 ``[num_envs, observation_size]``, of that seat.
        masks: int8 ``[num_envs, num_actions]``, its legal actions.
        rewards: float32 ``[num_envs]``, its return; not zero only at the end of a game.
        terminated: bool ``[num_envs]``, whether the step ended a game.
        truncated: bool ``[num_envs]``, whether the step ran into a limit that is no rule.
        illegal: bool ``[num_envs]``, whether an illegal action ended it.
        final_observations: float32 ``[num_envs, observation_size]``, what the seat knew at the
            end; meaningful in rows whose game has just ended.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Opponents = "random",
        seat: int | str = "random",
        *,
        illegal_action: str = "error",
        skip_forced: bool = False,
        num_threads: int | None = None,
    ) -> None:
        """Make room for ``num_envs`` games.

        Args:
            game: The game, with its options.
            num_envs: How many games, at least 1.
            opponents: One agent for all other seats, or one for each, clockwise from the caller's.
            seat: The caller's seat, or ``random`` for another one in each game.
            illegal_action: ``error``, or ``lose``: the game ends with the least return there is.
            skip_forced: Play decisions with a single legal action without asking.
            num_threads: Threads for the rules in large batches; None takes one a core.

        Raises:
            OptionError: An impossible value, or an opponent that cannot play this game.
        """
        check_illegal_action(illegal_action)
        self.game = game
        self.num_envs = num_envs
        self.seat = checked_seat(game, seat)
        self.opponents = seated(game, opponents)
        self.illegal_action = illegal_action
        self._env = game.vector(num_envs, num_threads, skip_forced)
        self.observations, self.masks = self._env.observations, self._env.masks
        self.seats = np.zeros(num_envs, np.int64)
        self.rewards = np.zeros(num_envs, np.float32)
        self.terminated = np.zeros(num_envs, np.bool_)
        self.truncated = np.zeros(num_envs, np.bool_)
        self.illegal = np.zeros(num_envs, np.bool_)
        self.final_observations = np.zeros_like(self.observations)
        self._asked = np.zeros(num_envs, np.bool_)
        self._games = np.zeros(num_envs, np.int64)
        self._seat_seeds = np.zeros(num_envs, np.uint64)
        self._ready = False

    def reset(self, seed: int | None = None) -> None:
        """Begin a game in every row; row ``r`` depends on ``seed``, ``r`` and the actions alone."""
        streams = row_seeds(np.uint64(fresh_seed(seed)), 2 + len(self.opponents))
        chance, self._seat_seeds, *own = (row_seeds(stream, self.num_envs) for stream in streams)
        self._env.reset_rows(chance)
        for player, seeds in zip(self.opponents, own, strict=True):
            player.begin(self.game, seeds)
        self._games[:] = 0
        self._clear_results()
        self._deal_seats(np.arange(self.num_envs))
        self._play_on()
        self._ready = True

    def step(self, actions: np.ndarray) -> None:
        """Make the seat's move in every game, and all moves up to its next decision.

        Args:
            actions: Whole numbers ``[num_envs]``.

        Raises:
            IllegalActionError: An action is illegal and that is an error; no game has been changed.
            OrderError: ``reset`` has not been called.
        """
        if not self._ready:
            raise OrderError(f"{self.game.label}: call reset() before step()")
        rows = None if self.illegal_action == "error" else self._legal_rows(actions)
        self._env.step(actions, rows)
        self._clear_results()
        self._asked[:] = True
        if rows is not None and len(rows) < self.num_envs:
            self._lose(np.setdiff1d(np.arange(self.num_envs), rows))
        self._settle()
        self._play_on()

    def _clear_results(self) -> None:
        self.rewards[:] = 0
        self.terminated[:] = self.truncated[:] = self.illegal[:] = False

    def _legal_rows(self, actions: np.ndarray) -> np.ndarray:
        """The rows whose actions are legal."""
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise IllegalActionError(
                f"{self.game.label}: actions are whole numbers [{self.num_envs}], "
                f"not {actions.dtype} {list(actions.shape)}"
            )
        known = (actions >= 0) & (actions < self.game.num_actions)
        legal = self.masks[np.arange(self.num_envs), np.where(known, actions, 0)] > 0
        return np.flatnonzero(known & legal)

    def _lose(self, rows: np.ndarray) -> None:
        """End the games in ``rows``, where an illegal action was made."""
        self.rewards[rows] = self.game.facts.min_return
        self.terminated[rows] = self.illegal[rows] = True
        self.final_observations[rows] = self.observations[rows]
        self._env.restart(rows)
        self._begin_games(rows)

    def _settle(self) -> None:
        """Note the results of the games that the last moves ended, and begin the next ones."""
        env = self._env
        ended = np.flatnonzero(env.terminated | env.truncated)
        if not len(ended):
            return
        known = ended[self._asked[ended]]
        seats = self.seats[known]
        self.rewards[known] = env.rewards[known, seats]
        self.terminated[known] = env.terminated[known]
        self.truncated[known] = env.truncated[known]
        self.final_observations[known] = env.final_observations[known, seats]
        self._begin_games(ended)

    def _begin_games(self, rows: np.ndarray) -> None:
        self._deal_seats(rows)
        for player in self.opponents:
            player.begin_games(rows)

    def _deal_seats(self, rows: np.ndarray) -> None:
        self._asked[rows] = False
        if self.seat is None:
            _draw_seats(self._seat_seeds, self._games, rows, self.game.num_players, self.seats)
        else:
            self.seats[rows] = self.seat
        self._games[rows] += 1

    def _play_on(self) -> None:
        """Let the opponents move until every game waits for its own seat."""
        env, seats = self._env, self.game.num_players
        actions = np.zeros(self.num_envs, np.int64)
        while len(rows := np.flatnonzero(env.players != self.seats)):
            place = (env.players[rows] - self.seats[rows]) % seats - 1
            for number, player in enumerate(self.opponents):
                own = rows[place == number]
                if len(own):
                    player.choose(env.observations, env.masks, own, actions)
            env.step(actions, rows)
            self._settle()

    def state(self, row: int) -> State:
        """A copy of the game in a row.

        Raises:
            OrderError: ``reset`` has not been called.
            IndexError: There is no such row.
        """
        return self._env.state(row)


@kernel
def _draw_seats(seeds, games, rows, num_players, seats):
    """Draw the caller's seat in the next game of every row in ``rows``."""
    for index in range(rows.shape[0]):
        row = rows[index]
        seats[row] = below(random_word(seeds[row], 0, games[row]), num_players)


def the_game(game: Game | str, variant: str | None, options: dict[str, Any]) -> Game:
    """``game`` itself, or the game of that name with a variant and options.

    Raises:
        OptionError: There is no such game, variant or option, or a ``Game`` is given more of them.
    """
    if not isinstance(game, Game):
        return make(game, variant, **options)
    if variant is not None or options:
        raise OptionError(f"{game.label} has its options already; give them to make() instead")
    return game


def seated(game: Game, opponents: Opponents) -> list[Agent]:
    """A player of its own for every other seat of ``game``, clockwise from the caller's.

    Raises:
        OptionError: A wrong number of opponents, an unknown one, or one that cannot play ``game``.
    """
    given = [opponents]
    if isinstance(opponents, Sequence) and not isinstance(opponents, str):
        given = list(opponents)
    others = game.num_players - 1
    if len(given) not in (1, others):
        each = f", or one for each of {others} seats" if others > 1 else ""
        raise OptionError(f"{game.label} takes 1 opponent{each}, not {len(given)}")
    agents: list[Agent] = []
    for agent in given:
        if not isinstance(agent, (str, Agent)):
            raise OptionError(f"an opponent is an agent or the name of one, not {agent!r}")
        agents.append(make_agent(agent, game) if isinstance(agent, str) else agent)
        agents[-1].check(game)
    # Players at one table must not share what they remember.
    return [copy.copy(agents[place % len(agents)]) for place in range(others)]


def checked_seat(game: Game, seat: int | str) -> int | None:
    """A seat of ``game``, or None for ``random``.

    Raises:
        OptionError: It is neither.
    """
    if isinstance(seat, str) and seat == "random":
        return None
    if not is_whole(seat) or not 0 <= seat < game.num_players:
        raise OptionError(
            f"{game.label}: seat is 'random' or 0 to {game.num_players - 1}, not {seat!r}"
        )
    return int(seat)


def check_illegal_action(choice: str) -> None:
    """Raise ``OptionError`` unless ``choice`` says what an illegal action does."""
    if choice not in ILLEGAL_ACTIONS:
        raise OptionError(f"illegal_action is not {choice!r}; {suggest(choice, ILLEGAL_ACTIONS)}")
