"""The reasoning player of Gem Duel: it works out its own open cards and plays the best duel."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numba import njit

from ...envs.core.game import Game
from ...envs.core.randomness import below, pick_legal
from ...envs.gem_duel import rules
from ..compiled import CompiledAgent, next_word
from . import reading
from .asking import worth_of_turn, worths_of_questions
from .duels import duel_with, even_prizes, expected, worths
from .reading import best_of, options_of


@njit(cache=True)
def choose(agent, observation, mask):
    """Ask or challenge as promises most gems, play the best card, and tell anything."""
    options = options_of(agent)
    due = reading.phase(observation)
    if due == rules.ANSWER:
        return pick_legal(mask, next_word(agent))
    if due == rules.CLUE:
        return reading.careless_clue(agent, options, observation, mask)
    table = reading.read(options, observation)
    prizes = even_prizes(reading.gems_needed(options, observation), options.hand_size)
    if due == rules.PLAY:
        rival = reading.partner(options, observation)
        duel_type = reading.duel_type(options, observation)
        duel = duel_with(options, table, rival, duel_type)
        against = expected(options, table, duel, table.possible[rival])
        stake = reading.stake(options, observation)
        return rules.first_play(options) + best_of(
            agent, worths(duel, against, table.own_places, stake, prizes)
        )
    return turn(agent, options, observation, mask, table, prizes)


@njit(cache=True)
def turn(agent, options, observation, mask, table, prizes):
    """The challenge with the best expected duel, or a question that promises more than a turn."""
    rivals = options.num_players - 1
    duels = [
        duel_with(options, table, rival, duel_type)
        for rival in range(rivals)
        for duel_type in (rules.ELEMENT, rules.POWER)
    ]
    questions = worths_of_questions(options, observation, mask, table, duels, prizes)
    if questions.max() > worth_of_turn(rivals):
        rival, slot = below(next_word(agent), rivals), best_of(agent, questions)
        return rules.first_ask(options) + rival * options.hand_size + slot
    promised = np.zeros(len(duels))
    for announced, duel in enumerate(duels):
        against = expected(options, table, duel, table.possible[duel.rival])
        promised[announced] = worths(duel, against, table.own_places, 1, prizes).max()
    return rules.first_challenge(options) + best_of(agent, promised)


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
    fields = reading.FIELDS

    def parameters(self, game: Game) -> dict[str, Any]:
        """The options of the game."""
        return reading.parameters(game)
