"""How likely each player is to be the first with enough gems: the problem of points for many."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def chance_to_win(needed):
    """The chance of the first player to get all gems that it needs before anybody else does.

    Each gem goes to any player alike. ``needed`` int64 ``[players]``, all at least 1. This is the
    problem of points for many players: the sum, over the number of gems that the others have when
    the player gets its last one, of the chance for that number (a negative binomial distribution)
    times the chance that none of them has enough then, the gems being thrown among them evenly.
    """
    players, own = needed.shape[0], needed[0]
    short = chance_that_all_are_short(needed[1:])
    total, chance = 0.0, (1 / players) ** own
    for gems in range(short.shape[0]):
        total += chance * short[gems]
        chance *= (1 - 1 / players) * (own + gems) / (gems + 1)
    return total


@njit(cache=True)
def chance_that_all_are_short(needed):
    """The chance that each player still needs gems, by how many they got in all: float64 ``[gems]``.

    They join one after the other, and of so many gems the one who joins got a binomial number.
    With more gems than there are entries somebody has enough.
    """
    short = np.zeros(needed.sum() - needed.shape[0] + 1)
    short[: needed[0]] = 1
    for joining in range(1, needed.shape[0]):
        before = short.copy()
        for gems in range(short.shape[0]):
            chance = (joining / (joining + 1)) ** gems
            short[gems] = 0
            for own in range(min(gems + 1, needed[joining])):
                short[gems] += chance * before[gems - own]
                chance *= (gems - own) / (own + 1) / joining
    return short


@njit(cache=True)
def chance_after(needed, player, gems):
    """The first player's chance once some player has got so many gems more."""
    if gems >= needed[player]:
        return 1.0 if player == 0 else 0.0
    after = needed.copy()
    after[player] -= gems
    return chance_to_win(after)


@njit(cache=True)
def race_prizes(needed, stake):
    """Gems count by what they change in the observer's chance to win the game.

    The unit is what one gem is worth to the observer.
    """
    players = needed.shape[0]
    now = chance_to_win(needed)
    unit = chance_after(needed, 0, 1) - now
    won_by = np.zeros((2, players))
    for tied in range(2):
        for player in range(players):
            won_by[tied, player] = (chance_after(needed, player, stake + tied) - now) / unit
    return won_by, (1 / players - now) / unit
