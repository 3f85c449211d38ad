"""How likely each player is to be the first with enough gems: the problem of points for many."""

from __future__ import annotations

import numpy as np
from numba import njit

from .duels import Prizes


@njit(cache=True)
def chance_to_win(needed, player):
    """The chance of a player to get all gems that it needs before anybody else does.

    Each gem goes to any player alike. ``needed`` int64 ``[players]``, all at least 1. This is the
    problem of points for many players: the sum, over the number of gems that the others have when the
    player gets its last one, of the chance for that number (a negative binomial distribution) times
    the chance that none of them has enough then, for gems thrown among them evenly.
    """
    players = needed.shape[0]
    most = 1
    for other in range(players):
        if other != player:
            most += needed[other] - 1
    short = chance_that_all_are_short(needed, player, most)
    total, chance = 0.0, (1 / players) ** needed[player]
    for gems in range(most):
        total += chance * short[gems]
        chance *= (1 - 1 / players) * (needed[player] + gems) / (gems + 1)
    return total


@njit(cache=True)
def chance_that_all_are_short(needed, player, most):
    """By how many gems the other players got, the chance that each still needs one: float64 ``[most]``.

    They join one after the other, and of so many gems the one who joins got a binomial number.
    """
    short = np.ones(most)
    joined = 0
    for other in range(needed.shape[0]):
        if other == player:
            continue
        joined += 1
        if joined == 1:
            short[needed[other] :] = 0
            continue
        before = short.copy()
        for gems in range(most):
            chance = (1 - 1 / joined) ** gems
            short[gems] = 0
            for own in range(min(gems + 1, needed[other])):
                short[gems] += chance * before[gems - own]
                chance *= (gems - own) / (own + 1) / (joined - 1)
    return short


@njit(cache=True)
def chance_after(needed, player, gems):
    """The observer's chance to win the game once a player has got so many gems more."""
    if gems >= needed[player]:
        return 1.0 if player == 0 else 0.0
    after = needed.copy()
    after[player] -= gems
    return chance_to_win(after, 0)


@njit(cache=True)
def race_prizes(needed, stake, size):
    """Gems count by what they change in the observer's chance to win the game.

    The unit is what one gem is worth to the observer. Only the given stake and the next are judged.
    """
    players = needed.shape[0]
    now = chance_to_win(needed, 0)
    unit = chance_after(needed, 0, 1) - now
    won, lost = np.zeros(size + 2), np.zeros((players - 1, size + 2))
    for gems in range(stake, stake + 2):
        won[gems] = (chance_after(needed, 0, gems) - now) / unit
        for rival in range(players - 1):
            lost[rival, gems] = (now - chance_after(needed, 1 + rival, gems)) / unit
    return Prizes(won, lost, (1 / players - now) / unit)
