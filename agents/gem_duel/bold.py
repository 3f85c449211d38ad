"""The bold player of Gem Duel: it never asks, and challenges where it sees cards that it beats."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numba import njit

from ...envs.core.game import Game
from ...envs.core.randomness import pick_legal
from ...envs.gem_duel import rules
from ..compiled import CompiledAgent, next_word
from . import reading
from .duels import by_value, chances, mean_row, odds
from .reading import best_of, in_hand, options_of


@njit(cache=True)
def choose(agent, observation, mask):
    """Challenge by the best card, play it, and tell whatever is not what the duel is about."""
    options = options_of(agent)
    due = reading.phase(observation)
    if due == rules.ANSWER:
        return pick_legal(mask, next_word(agent))
    if due == rules.CLUE:
        return reading.careless_clue(agent, options, observation, mask)
    table = reading.read(options, observation)
    if due == rules.PLAY:
        rival = reading.partner(options, observation)
        duel_type = reading.duel_type(options, observation)
        return rules.first_play(options) + best_of(agent, edges(options, table, rival, duel_type))
    promised = np.zeros(2 * (options.num_players - 1))
    for announced in range(promised.shape[0]):
        rival, duel_type = divmod(announced, 2)
        promised[announced] = edges(options, table, rival, duel_type).max()
    return rules.first_challenge(options) + best_of(agent, promised)


@njit(cache=True)
def edges(options, table, rival, duel_type):
    """The edge of each own card over the cards that are seen in the rival's hand: float64 ``[slots]``.

    A rival without open cards plays any unseen one, for all that can be seen.
    """
    own = by_value(options, table.own, duel_type)
    shown = by_value(options, table.rivals[rival], duel_type)
    places = table.rival_places[rival]
    is_open = places == rules.OPEN
    seen = np.where(is_open, places, rules.EMPTY) if is_open.any() else places
    against_values = odds(duel_type, mean_row(shown, seen))
    found = np.full(options.hand_size, -np.inf)
    for slot in range(options.hand_size):
        if in_hand(table.own_places[slot]):
            win, lose = chances(own[slot], against_values)
            found[slot] = win - lose
    return found


class BoldAgent(CompiledAgent):
    """Never asks, and challenges where it sees cards that it beats.

    It compares each of its cards with the cards that lie open before a rival, as if the rival were to
    play one of them: how many it beats less how many it loses to, with an own open card taken as any
    unseen one that fits what was told. The best such comparison is the challenge, and that card is
    played. Ties count nothing. A rival without open cards is taken to play any unseen card. Clues say nothing
    about what the duel goes by if that can be helped, and answers are tossed for. It forgets that
    rivals have hidden cards, which are the ones that they know best and like to play, and it does not
    look at the score.
    """

    name = "bold"
    games = ("gem_duel",)
    module = sys.modules[__name__]
    fields = reading.FIELDS

    def parameters(self, game: Game) -> dict[str, Any]:
        """The options of the game."""
        return reading.parameters(game)
