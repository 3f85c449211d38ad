"""A pool of opponents: another player in every game, as self-play against a league needs it."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np

from ..envs.core.compilation import kernel
from ..envs.core.errors import OptionError
from ..envs.core.game import Game
from ..envs.core.randomness import below, random_word
from .protocol import Agent


class OpponentPool(Agent):
    """Plays each game as one of its members, drawn anew when the game begins.

    Members may be added at any time. Copies made by ``copy.copy`` go on with the same, growing
    list, so that a learner can fill the pools of many environments at once.
    """

    name = "pool"

    def __init__(self, members: Sequence[Agent], latest: float = 0.0) -> None:
        """Take the first members.

        Args:
            members: At least one.
            latest: Probability from 0 to 1 that the newest member plays; otherwise all of them,
                the newest too, are equally likely.

        Raises:
            OptionError: There are no members, or ``latest`` is no probability.
        """
        if not members:
            raise OptionError("a pool of opponents has at least one member")
        if not 0 <= latest <= 1:
            raise OptionError(f"latest is a probability from 0 to 1, not {latest!r}")
        self.members = list(members)
        self.latest = latest

    def add(self, agent: Agent) -> None:
        """Let ``agent`` play in games that begin from now on."""
        self.members.append(agent)

    def check(self, game: Game) -> None:
        """Raise ``OptionError`` if a member cannot play ``game``."""
        for member in self.members:
            member.check(game)

    def _prepare(self, game: Game, seeds: np.ndarray) -> None:
        self._game = game
        self._seeds = seeds
        self._games = np.zeros(len(seeds), np.int64)
        self._drawn = np.zeros(len(seeds), np.int64)
        # Copies, because another pool may have the same members play other games.
        self._players: list[Agent] = []
        self.begin_games(np.arange(len(seeds)))

    def begin_games(self, rows: np.ndarray) -> None:
        """Draw who plays the new games in ``rows``."""
        for number in range(len(self._players), len(self.members)):
            player = copy.copy(self.members[number])
            player.begin(self._game, _member_seeds(self._seeds, number))
            self._players.append(player)
        _draw(self._seeds, self._games, rows, len(self._players), self.latest, self._drawn)
        for player, own in self._shares(rows):
            player.begin_games(own)

    def choose(
        self, observations: np.ndarray, masks: np.ndarray, rows: np.ndarray, actions: np.ndarray
    ) -> None:
        """See ``Agent.choose``."""
        for player, own in self._shares(rows):
            player.choose(observations, masks, own, actions)

    def _shares(self, rows: np.ndarray) -> list[tuple[Agent, np.ndarray]]:
        """Who plays in ``rows``, each with its own part of them."""
        drawn = self._drawn[rows]
        return [(self._players[number], rows[drawn == number]) for number in np.unique(drawn)]


@kernel
def _member_seeds(seeds, number):
    """Seeds of a member's rows: uint64 ``[rows]``."""
    own = np.zeros_like(seeds)
    for row in range(seeds.shape[0]):
        own[row] = random_word(seeds[row], 5, number)
    return own


@kernel
def _draw(seeds, games, rows, count, latest, drawn):
    """Draw one of ``count`` members for the next game of every row in ``rows``."""
    for index in range(rows.shape[0]):
        row = rows[index]
        chance = random_word(seeds[row], 4, 2 * games[row])
        drawn[row] = below(random_word(seeds[row], 4, 2 * games[row] + 1), count)
        if (chance >> np.uint64(40)) / 2**24 < latest:
            drawn[row] = count - 1
        games[row] += 1
