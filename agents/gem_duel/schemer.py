"""The scheming player of Gem Duel: it reasons, and minds whom it helps."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numba import njit

from ...envs.core.game import Game
from ...envs.gem_duel import rules
from ..compiled import CompiledAgent
from . import reading
from .asking import worth_of_turn, worths_of_questions
from .duels import duel_with, expected, unseen_by_rival, worths
from .race import race_prizes
from .reading import best_of, options_of
from .telling import can_be_told, possible_after, told_bits

CARE = 0.1
"""What it costs, in gems of the rival, to tell it one bit about its cards."""


@njit(cache=True)
def choose(agent, observation, mask):
    """Ask or challenge as promises most at this standing, play the best card, and tell little."""
    options = options_of(agent)
    table = reading.read(options, observation)
    due = reading.phase(observation)
    if due == rules.ANSWER:
        return answer(agent, options, observation, mask, table)
    needed = reading.gems_needed(options, observation)
    if due == rules.TURN:
        return turn(agent, options, observation, mask, table, needed)
    stake = reading.stake(options, observation)
    prizes = race_prizes(needed, stake, options.hand_size)
    rival = reading.partner(options, observation)
    duel_type = reading.duel_type(options, observation)
    duel = duel_with(options, table, rival, duel_type)
    if due == rules.CLUE:
        clues = worths_of_clues(options, observation, table, duel, prizes)
        return rules.NUM_PROPERTIES + best_of(agent, clues)
    against = expected(options, table, duel, table.possible[rival])
    return rules.first_play(options) + best_of(
        agent, worths(duel, against, table.own_places, stake, prizes)
    )


@njit(cache=True)
def answer(agent, options, observation, mask, table):
    """Tell what leaves the asking player in most doubt about its open cards."""
    rival, slot = reading.partner(options, observation), reading.asked_slot(options, observation)
    unseen = unseen_by_rival(table, rival)
    worth = np.full(rules.NUM_PROPERTIES, -np.inf)
    for told in range(rules.NUM_PROPERTIES):
        if mask[told]:
            after = possible_after(options, table, rival, slot, told)
            worth[told] = -told_bits(table, rival, unseen, after)
    return best_of(agent, worth)


@njit(cache=True)
def worths_of_clues(options, observation, table, duel, prizes):
    """What a duel is worth after each clue, less what the clue tells: float64 ``[clues]``."""
    size, rival = options.hand_size, duel.rival
    worth = np.full(rules.NUM_PROPERTIES * size, -np.inf)
    for told in range(rules.NUM_PROPERTIES):
        for slot in range(size):
            if can_be_told(options, observation, table, rival, slot, told):
                after = possible_after(options, table, rival, slot, told)
                against = expected(options, table, duel, after)
                bits = told_bits(table, rival, duel.unseen, after)
                worth[told * size + slot] = (
                    worths(duel, against, table.own_places, 1, prizes).max()
                    - CARE * bits * prizes.lost[rival, 1]
                )
    return worth


@njit(cache=True)
def turn(agent, options, observation, mask, table, needed):
    """The challenge with the best duel after the best clue, or a question worth more than a turn."""
    rivals = options.num_players - 1
    prizes = race_prizes(needed, 1, options.hand_size)
    duels = [
        duel_with(options, table, rival, duel_type)
        for rival in range(rivals)
        for duel_type in (rules.ELEMENT, rules.POWER)
    ]
    questions = worths_of_questions(options, observation, mask, table, duels, prizes)
    if questions.max() > worth_of_turn(rivals):
        rival, slot = best_of(agent, needed[1:] * 1.0), best_of(agent, questions)
        return rules.first_ask(options) + rival * options.hand_size + slot
    promised = np.zeros(len(duels))
    for announced, duel in enumerate(duels):
        promised[announced] = worths_of_clues(options, observation, table, duel, prizes).max()
        if promised[announced] == -np.inf:
            against = expected(options, table, duel, table.possible[duel.rival])
            promised[announced] = worths(duel, against, table.own_places, 1, prizes).max()
    return rules.first_challenge(options) + best_of(agent, promised)


class SchemerAgent(CompiledAgent):
    """Reasons like ``reasoner``, and minds whom it helps and how much.

    Gems count by what they change in its chance to win the game, taken as a race in which every gem
    goes to any player alike (``race.chance_to_win``). So a gem for the leader costs more than one
    for the last, and among equally good duels it picks the one with the rival who can use a gem
    least. Before a duel it tries every clue: how the rival would play with it, less a price for how
    much it tells, which is higher for a rival close to winning. A challenge is judged with its best
    clue. If asked it tells what leaves more cards possible, counting also the open cards that would
    be pointed out or not; and it asks the player who is furthest behind. It believes that rivals
    judge their cards as it would itself, so bluffs and odd play mislead it, and who knows its ways
    can foresee its card.
    """

    name = "schemer"
    games = ("gem_duel",)
    module = sys.modules[__name__]
    fields = reading.FIELDS

    def parameters(self, game: Game) -> dict[str, Any]:
        """The options of the game."""
        return reading.parameters(game)
