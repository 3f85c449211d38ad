"""The reasoning player of Gem Duel."""

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
from .asking import question, worth_of_turn
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
    slot, worth = question(agent, options, observation, mask, table, duels, prizes)
    if slot >= 0 and worth > worth_of_turn(rivals):
        rival = below(next_word(agent), rivals)
        return rules.first_ask(options) + rival * options.hand_size + slot
    promised = np.zeros(len(duels))
    for announced, duel in enumerate(duels):
        against = expected(options, table, duel, table.possible[duel.rival])
        promised[announced] = worths(duel, against, table.own_places, 1, prizes).max()
    return rules.first_challenge(options) + best_of(agent, promised)


class ReasonerAgent(CompiledAgent):
    """TODO"""

    name = "reasoner"
    games = ("gem_duel",)
    module = sys.modules[__name__]
    fields = reading.FIELDS

    def parameters(self, game: Game) -> dict[str, Any]:
        """The options of the game."""
        return reading.parameters(game)
