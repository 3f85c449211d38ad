"""The bold player of Gem Duel: it never asks, and challenges where it sees cards that it beats."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numba import njit

from ...envs.core.game import Game
from ...envs.gem_duel import rules
from ..compiled import CompiledAgent, best_of
from .duels import by_value, chances, in_hand, mean_of, odds
from .options import FIELDS, parameters
from .reading import (
    CARDS,
    PLACES,
    avoid_clues_for_duel,
    duel_type,
    greatest,
    is_in_hand,
    partner,
    phase,
    read,
    worths_of_legal,
    write,
)


@njit(cache=True)
def choose(agent, observation, mask):
    """Challenge by the best card, play it, and tell whatever is not what the duel is about."""
    options = agent.options
    worths = worths_of_legal(mask)
    due = phase(options, observation)
    if due == rules.CLUE:
        avoid_clues_for_duel(options, observation, worths)
    elif due == rules.PLAY:
        table, rival = read(options, observation), partner(options, observation)
        cards = edges(options, table, rival, duel_type(options, observation))
        write(cards, worths, rules.first_play(options))
    elif due == rules.TURN:
        table = read(options, observation)
        first, end = rules.first_challenge(options), rules.first_ask(options)
        for challenge in range(first, end):
            rival, announced = 1 + (challenge - first) // 2, (challenge - first) % 2
            worths[challenge] = greatest(edges(options, table, rival, announced))
        for question in range(end, worths.shape[0]):
            worths[question] = -np.inf
    return best_of(agent, worths)


@njit(cache=True)
def edges(options, table, rival, announced):
    """The chance to win less that to lose of each card against what is seen in a rival's hand.

    float64 ``[slots]``, -inf for other slots. A rival without open cards plays any unseen one, for
    all that can be seen.
    """
    own = by_value(options, table[CARDS][0], announced)
    cards = by_value(options, table[CARDS][rival], announced)
    shown = table[PLACES][rival] == rules.OPEN
    if not shown.any():
        shown = in_hand(options, table[PLACES][rival])
    against_values = odds(options, announced, mean_of(cards, shown))
    found = np.full(options.hand_size, -np.inf)
    for slot in range(options.hand_size):
        if is_in_hand(options, table[PLACES][0, slot]):
            win, lose = chances(own[slot], against_values)
            found[slot] = win - lose
    return found


class BoldAgent(CompiledAgent):
    """Never asks, and challenges where it sees cards that it beats.

    It compares each of its cards with the cards that lie open before a rival, as if the rival were to
    play one of them: how many it beats less how many it loses to, an own open card being taken for
    any unseen one that fits what was told. The best comparison is its challenge, and that card it
    plays. A rival without open cards is taken to play any unseen card. Its clues say nothing about
    what the duel goes by if that can be helped, and it tosses for its answers. It forgets the hidden
    cards of rivals, which they know best and like to play, learns about its own cards only by chance,
    and does not look at the score.
    """

    name = "bold"
    games = ("gem_duel",)
    module = sys.modules[__name__]
    fields = FIELDS

    def parameters(self, game: Game) -> dict[str, Any]:
        """The options of the game."""
        return parameters(game)
