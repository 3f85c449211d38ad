"""The reasoning player of Gem Duel: it works out its own open cards and plays the best duel."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numba import njit

from ...envs.core.game import Game
from ...envs.gem_duel import rules
from ..compiled import CompiledAgent, best_of
from .asking import add_questions
from .duels import RIVAL, all_duels, duel_with, expected, worth_of_duel, worths_of_cards
from .options import FIELDS, parameters
from .reading import (
    PLACES,
    POSSIBLE,
    avoid_clues_for_duel,
    duel_type,
    gems_needed,
    partner,
    phase,
    read,
    stake,
    worths_of_legal,
    write,
)


@njit(cache=True)
def choose(agent, observation, mask):
    """Ask or challenge as promises most gems, play the best card, and tell anything."""
    options = agent.options
    worths = worths_of_legal(mask)
    due = phase(options, observation)
    if due == rules.CLUE:
        avoid_clues_for_duel(options, observation, worths)
    elif due == rules.PLAY:
        table, rival = read(options, observation), partner(options, observation)
        prizes = even_prizes(gems_needed(options, observation), stake(options, observation))
        duel = duel_with(options, table, rival, duel_type(options, observation))
        against = expected(options, table, duel, table[POSSIBLE][rival])
        cards = worths_of_cards(options, duel, against, table[PLACES][0], prizes)
        write(cards, worths, rules.first_play(options))
    elif due == rules.TURN:
        table = read(options, observation)
        prizes = even_prizes(gems_needed(options, observation), 1)
        duels = all_duels(options, table)
        first = rules.first_challenge(options)
        for announced, duel in enumerate(duels):
            possible = table[POSSIBLE][duel[RIVAL]]
            worths[first + announced] = worth_of_duel(options, table, duel, possible, prizes)
        add_questions(options, observation, table, duels, prizes, worths)
    return best_of(agent, worths)


@njit(cache=True)
def even_prizes(needed, stake):
    """Gems count as such, up to those that win; what a rival gets is shared out among all rivals."""
    players = needed.shape[0]
    won_by = np.zeros((2, players))
    for tied in range(2):
        won_by[tied, 0] = min(stake + tied, needed[0])
        for rival in range(1, players):
            won_by[tied, rival] = -min(stake + tied, needed[rival]) / (players - 1)
    return won_by, 0.0


class ReasonerAgent(CompiledAgent):
    """Works out what its open cards may be and chooses what promises most gems.

    An own open card is to it any card that fits what it was told, as likely as there are such cards
    unseen; a rival's hidden card is any unseen one. Of a rival it expects half of the time what looks
    best to that rival, which sees the observer's open cards and knows its own as far as it was told,
    and half of the time any card. So each duel with each own card gets a worth: gems won, less gems
    lost, which with several rivals hurt less, and after a tie what the rest of both hands promises
    for one gem more. It challenges where that is best, and asks, of anybody, if what it can expect to
    learn makes its best duel better by more than a turn is worth, which happens only among few
    players. Clues say nothing about what the duel goes by if that can be helped; apart from that it
    tells anything to anybody, the leader too, and that is its weakness. It also plays without
    bluffing, the best card each time.
    """

    name = "reasoner"
    games = ("gem_duel",)
    module = sys.modules[__name__]
    fields = FIELDS

    def parameters(self, game: Game) -> dict[str, Any]:
        """The options of the game."""
        return parameters(game)
