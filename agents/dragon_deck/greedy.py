"""The greedy player of Dragon Deck: each time the best single card, and nothing to hide."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numba import njit

from ...envs.core.game import Game
from ...envs.dragon_deck import rules
from ..compiled import MixingAgent, best_of
from .drafting import recruit
from .reading import FIELDS, OWN_HAND, RIVAL_HAND, cards_in, result, still_needed


@njit(cache=True)
def choose(agent, observation, mask):
    """Recruit by ``worth``, then battle with the card of the best expected result."""
    if mask[rules.KEEP]:
        return recruit(agent, observation)
    return rules.FIRST_CARD + best_of(agent, totals(agent, observation))


@njit(cache=True)
def policy(agent, observation, mask, out):
    """The best cards of a battle are equally likely; there is no chance in the draft."""
    if mask[rules.KEEP]:
        out[recruit(agent, observation)] = 1
        return
    judged = totals(agent, observation)
    best = judged == judged.max()
    for card in range(best.shape[0]):
        out[rules.FIRST_CARD + card] = best[card] / best.sum()


@njit(cache=True)
def totals(agent, observation):
    """For each card its results against the opponent's hand added up, -inf for those not in hand."""
    own_need, rival_need = still_needed(agent, observation)
    rival_hand = cards_in(agent, observation, RIVAL_HAND)
    found = np.full(rules.num_cards(agent), -np.inf)
    for card in cards_in(agent, observation, OWN_HAND):
        found[card] = 0
        for other in rival_hand:
            found[card] += min(own_need, max(-rival_need, result(agent, card, other)))
    return found


class GreedyAgent(MixingAgent):
    """Takes what looks best against an opponent that plays any of its cards.

    In the draft it keeps a card that is worth more than what it can expect after refusing it,
    where the worth of a card is what it brings in random battles (``drafting.worth``). In a battle
    it plays the card with the best expected result, victory cards won minus lost, against a card
    drawn evenly from the opponent's hand, which it knows; victory cards beyond those that decide
    the match do not count. Equally good cards are drawn from at random. It exploits random play
    thoroughly and uses its best cards first, so whoever foresees its choice beats it easily.
    """

    name = "greedy"
    games = ("dragon_deck",)
    module = sys.modules[__name__]
    fields = FIELDS

    def parameters(self, game: Game) -> dict[str, Any]:
        """The options of the game."""
        return game.parameters()
