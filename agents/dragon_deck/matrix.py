"""The matrix player of Dragon Deck: every battle is a matrix game, and it mixes as that asks."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numba import njit

from ...envs.core.game import Game
from ...envs.core.randomness import below
from ...envs.dragon_deck import rules
from ..compiled import MixingAgent, next_word
from ..matrix_game import solve
from .drafting import recruit
from .reading import FIELDS, OWN_HAND, RIVAL_HAND, cards_in, result, still_needed

_STEPS = 2**30


@njit(cache=True)
def choose(agent, observation, mask):
    """Recruit by ``worth``, then battle with a card drawn from the equilibrium of the battle."""
    if mask[rules.KEEP]:
        return recruit(agent, observation)
    own_hand, own_mix = mix(agent, observation)
    return rules.FIRST_CARD + own_hand[draw(agent, own_mix)]


@njit(cache=True)
def policy(agent, observation, mask, out):
    """Nothing is left to chance but the card of a battle."""
    if mask[rules.KEEP]:
        out[recruit(agent, observation)] = 1
        return
    own_hand, own_mix = mix(agent, observation)
    for index in range(own_hand.shape[0]):
        out[rules.FIRST_CARD + own_hand[index]] = own_mix[index]


@njit(cache=True)
def mix(agent, observation):
    """The cards in hand, and how likely the equilibrium of the battle plays each of them."""
    own_hand = cards_in(agent, observation, OWN_HAND)
    rival_hand = cards_in(agent, observation, RIVAL_HAND)
    own_need, rival_need = still_needed(agent, observation)
    matrix = chances(agent, own_hand, rival_hand, own_need, rival_need)
    own_mix, rival_mix = np.empty(own_hand.shape[0]), np.empty(rival_hand.shape[0])
    solve(matrix, own_mix, rival_mix)
    return own_hand, own_mix


@njit(cache=True)
def chances(agent, own_hand, rival_hand, own_need, rival_need):
    """The chance to win the match after each pair of cards: float64 ``[own hand, rival hand]``.

    The result of the battle is exact, and the rest of the match is taken as a series of battles
    between random cards of what is then left in the hands, for one victory card each.
    """
    m, n = own_hand.shape[0], rival_hand.shape[0]
    beaten = np.zeros((m, n), np.int64)
    by_own, by_rival, by_all = np.zeros(m, np.int64), np.zeros(n, np.int64), 0
    for i in range(m):
        for j in range(n):
            if rules.beats(agent, own_hand[i], rival_hand[j]):
                beaten[i, j] = 1
                by_own[i] += 1
                by_rival[j] += 1
                by_all += 1
    # The last cards decide the match, so it does not matter what no pairs at all are divided by.
    pairs_left = max(1, (m - 1) * (n - 1))
    matrix = np.empty((m, n))
    for i in range(m):
        for j in range(n):
            gain = result(agent, own_hand[i], rival_hand[j])
            beaten_left = by_all - by_own[i] - by_rival[j] + beaten[i, j]
            matrix[i, j] = chance_to_win(
                own_need - max(0, gain), rival_need - max(0, -gain), beaten_left / pairs_left
            )
    return matrix


@njit(cache=True)
def chance_to_win(own_need, rival_need, chance):
    """The chance to win ``own_need`` rounds before the opponent wins ``rival_need``.

    ``chance`` is that of winning a round. This is Pascal's problem of points: the sum over how
    many rounds the opponent wins before the last one that is needed, a negative binomial
    distribution (Feller, "An Introduction to Probability Theory and Its Applications", VI.8).
    """
    if own_need <= 0:
        return 1.0
    total, term = 0.0, 1.0
    for _ in range(own_need):
        term *= chance
    for lost in range(rival_need):
        total += term
        term *= (1 - chance) * (own_need + lost) / (lost + 1)
    return total


@njit(cache=True)
def draw(agent, probabilities):
    """An index, in proportion to ``probabilities``."""
    left = below(next_word(agent), _STEPS) / _STEPS
    for index in range(probabilities.shape[0]):
        left -= probabilities[index]
        if left < 0:
            return index
    return probabilities.argmax()


class MatrixAgent(MixingAgent):
    """Plays every battle as a zero-sum matrix game and draws its card from the equilibrium.

    It drafts like ``greedy``. In a battle both hands are known and both players choose at once, so
    it sets up the matrix of all pairs of cards and plays the mix of its own that is best against an
    opponent who foresees it (``matrix_game.solve``). An entry is the chance to win the match after
    that battle: 1 or 0 where it decides the match, and otherwise the rest is judged as a race
    between random cards of the remaining hands, for one victory card a battle (``chances``). So it
    counts what a battle gains at this score as well as which cards it uses up.
    """

    name = "matrix"
    games = ("dragon_deck",)
    module = sys.modules[__name__]
    fields = FIELDS

    def parameters(self, game: Game) -> dict[str, Any]:
        """The options of the game."""
        return game.parameters()
