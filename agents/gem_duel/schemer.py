"""The scheming player of Gem Duel: it reasons, and minds whom it helps."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numba import njit

from ...envs.core.game import Game
from ...envs.gem_duel import rules
from ..compiled import CompiledAgent, best_of
from .asking import add_questions
from .duels import (
    RIVAL,
    RIVAL_UNSEEN,
    WON_BY,
    all_duels,
    duel_with,
    expected,
    unseen_by,
    worth_of_duel,
    worths_of_cards,
)
from .options import FIELDS, parameters
from .race import race_prizes
from .reading import (
    PLACES,
    POSSIBLE,
    asked_slot,
    duel_type,
    gems_needed,
    greatest,
    partner,
    phase,
    read,
    stake,
    worths_of_legal,
    write,
)
from .telling import can_be_told, possible_after, told_bits

CARE = 0.1
"""What it costs, in gems of the rival, to tell it one bit about its cards."""


@njit(cache=True)
def choose(agent, observation, mask):
    """Ask or challenge as promises most at this standing, play the best card, and tell little."""
    options = agent.options
    worths = worths_of_legal(mask)
    table = read(options, observation)
    due = phase(options, observation)
    if due == rules.ANSWER:
        judge_answers(options, observation, table, worths)
    elif due == rules.TURN:
        needed = gems_needed(options, observation)
        judge_turn(options, observation, table, needed, race_prizes(needed, 1), worths)
    else:
        rival = partner(options, observation)
        prizes = race_prizes(gems_needed(options, observation), stake(options, observation))
        duel = duel_with(options, table, rival, duel_type(options, observation))
        if due == rules.CLUE:
            clues = worths_of_clues(options, observation, table, duel, prizes)
            write(clues, worths, rules.NUM_PROPERTIES)
        else:
            against = expected(options, table, duel, table[POSSIBLE][rival])
            cards = worths_of_cards(options, duel, against, table[PLACES][0], prizes)
            write(cards, worths, rules.first_play(options))
    return best_of(agent, worths)


@njit(cache=True)
def judge_answers(options, observation, table, worths):
    """Best is what leaves the asking player in most doubt about its open cards."""
    rival, slot = partner(options, observation), asked_slot(options, observation)
    unseen = unseen_by(options, table, rival)
    for told in range(rules.NUM_PROPERTIES):
        if worths[told] == 0:
            after = possible_after(options, observation, table, rival, slot, told)
            worths[told] = -told_bits(options, table, rival, unseen, after)


@njit(cache=True)
def worths_of_clues(options, observation, table, duel, prizes):
    """What a duel is worth after each clue, less what the clue tells: float64 ``[clues]``.

    -inf for clues that cannot be given.
    """
    size, rival = options.hand_size, duel[RIVAL]
    worths = np.full(rules.NUM_PROPERTIES * size, -np.inf)
    for told in range(rules.NUM_PROPERTIES):
        for slot in range(size):
            if can_be_told(options, observation, table, rival, slot, told):
                after = possible_after(options, observation, table, rival, slot, told)
                worth = worth_of_duel(options, table, duel, after, prizes)
                bits = told_bits(options, table, rival, duel[RIVAL_UNSEEN], after)
                worths[told * size + slot] = worth + CARE * bits * prizes[WON_BY][0, rival]
    return worths


@njit(cache=True)
def judge_turn(options, observation, table, needed, prizes, worths):
    """Best is the challenge with the best clue, or a question to a player who is furthest behind."""
    duels = all_duels(options, table)
    first = rules.first_challenge(options)
    for announced, duel in enumerate(duels):
        worth = greatest(worths_of_clues(options, observation, table, duel, prizes))
        if worth == -np.inf:
            possible = table[POSSIBLE][duel[RIVAL]]
            worth = worth_of_duel(options, table, duel, possible, prizes)
        worths[first + announced] = worth
    add_questions(options, observation, table, duels, prizes, worths)
    first = rules.first_ask(options)
    for rival in range(1, options.num_players):
        if needed[rival] < needed[1:].max():
            for slot in range(options.hand_size):
                worths[first + (rival - 1) * options.hand_size + slot] = -np.inf


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
    fields = FIELDS

    def parameters(self, game: Game) -> dict[str, Any]:
        """The options of the game."""
        return parameters(game)
