"""The planner of Delights & Dragons: a whole turn of its own, and the answer to it."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numba import njit

from ...envs.core.game import Game
from ...envs.delights_and_dragons import rules
from ..compiled import CompiledAgent, best_of
from .judging import bring_out, equip, put_back, worth
from .reading import (
    NOTHING,
    OWN,
    RIVAL,
    is_character,
    read_table,
    starting_fields,
)
from .turns import (
    LINE_FIELDS,
    first_line,
    make_attack,
    next_line,
    take_back,
    take_back_line,
)

MAX_LINES = 100
"""Orders of own attacks that are looked at, at most, for each way to play the cards."""
MAX_ANSWERS = 30
"""Orders of the opponent's attacks, at most, after each of them."""

WON = 10**6


@njit(cache=True)
def choose(agent, observation, mask):
    """Plan the rest of the turn, and make its first move."""
    read_table(agent, observation)
    if agent.phase == rules.HOLDER:
        return rules.first_holder(agent) + best_of(agent, holder_scores(agent, rules.chosen(agent)))
    if agent.phase == rules.TARGET:
        return rules.first_target(agent) + best_of(agent, target_scores(agent, rules.chosen(agent)))
    if agent.phase == rules.RUN_OUT:
        return rules.num_actions(agent) + rules.RESHUFFLE
    card = best_of(agent, character_scores(agent, observation, mask))
    if card == NOTHING:
        card = best_of(agent, item_scores(agent, mask))
    if card != NOTHING:
        return card
    attacker = best_of(agent, attacker_scores(agent))
    if attacker != NOTHING:
        return rules.first_attacker(agent) + attacker
    return rules.num_actions(agent) + rules.END_PHASE


# The rest of the turn, after each move that can be made now.


@njit(cache=True)
def character_scores(agent, observation, mask):
    """How good the turn can become after playing each character, with the best item for the best holder.

    The first entries of an observation are the cards in the own hand.
    """
    scores = np.full(rules.num_cards(agent), -np.inf)
    for card in range(int(agent.num_characters)):
        if mask[card]:
            slot = bring_out(agent, card)
            scores[card] = attacks_score(agent)
            if agent.may_play_item:
                scores[card] = max(scores[card], item_scores(agent, observation).max())
            put_back(agent, slot)
    return scores


@njit(cache=True)
def item_scores(agent, hand):
    """How good the turn can become after giving each item in ``hand`` to the best holder."""
    scores = np.full(rules.num_cards(agent), -np.inf)
    for card in range(int(agent.num_characters), rules.num_cards(agent)):
        if hand[card]:
            scores[card] = holder_scores(agent, card).max()
    return scores


@njit(cache=True)
def holder_scores(agent, item):
    """How good the turn can become after giving an item to each own character."""
    scores = np.full(rules.num_slots(agent), -np.inf)
    for slot in range(rules.num_slots(agent)):
        if is_character(agent, OWN, slot):
            equip(agent, item, slot, 1)
            scores[slot] = attacks_score(agent)
            equip(agent, item, slot, -1)
    return scores


@njit(cache=True)
def attacker_scores(agent):
    """How good the best line of attacks is that each own character begins."""
    scores = np.full(rules.num_slots(agent), -np.inf)
    first_line(agent, OWN)
    for _ in range(MAX_LINES):
        if agent.length[OWN] == 0:
            break
        slot = int(agent.line[OWN, 0]) % rules.num_slots(agent)
        scores[slot] = max(scores[slot], answer_score(agent))
        next_line(agent, OWN)
    take_back_line(agent, OWN)
    return scores


@njit(cache=True)
def target_scores(agent, attacker):
    """How good the turn can become after the attack on each of the opponent's characters."""
    scores = np.full(rules.num_slots(agent), -np.inf)
    for target in range(rules.num_slots(agent)):
        if is_character(agent, RIVAL, target):
            make_attack(agent, OWN, target * rules.num_slots(agent) + attacker)
            scores[target] = attacks_score(agent)
            take_back(agent, OWN)
            agent.ready[OWN, attacker] = 0
    return scores


# Attacks, the answer to them, and what that leaves.


@njit(cache=True)
def attacks_score(agent):
    """How good the table is after the best line of attacks."""
    highest = -np.inf
    first_line(agent, OWN)
    for _ in range(MAX_LINES):
        highest = max(highest, answer_score(agent))
        if not next_line(agent, OWN):
            break
    take_back_line(agent, OWN)
    return highest


@njit(cache=True)
def answer_score(agent):
    """How good the table is after the opponent's best attacks with the characters that it has left."""
    for slot in range(rules.num_slots(agent)):
        agent.ready[RIVAL, slot] = is_character(agent, RIVAL, slot) and agent.health[RIVAL] > 0
    lowest = WON
    first_line(agent, RIVAL)
    for _ in range(MAX_ANSWERS):
        lowest = min(lowest, balance(agent))
        if not next_line(agent, RIVAL):
            break
    take_back_line(agent, RIVAL)
    return lowest


@njit(cache=True)
def balance(agent):
    """Health and characters of the own side less those of the opponent's, in points of health."""
    if agent.health[RIVAL] <= 0:
        return WON
    if agent.health[OWN] <= 0:
        return -WON
    total = int(agent.health[OWN]) - int(agent.health[RIVAL])
    for slot in range(rules.num_slots(agent)):
        if is_character(agent, OWN, slot):
            total += worth(agent, OWN, slot)
        if is_character(agent, RIVAL, slot):
            total -= worth(agent, RIVAL, slot)
    return total


class PlannerAgent(CompiledAgent):
    """Plans its whole turn, and judges it by the opponent's best answer.

    It tries every character that it may play, with every item on every holder, and after each of them
    every order of attacks. Then the opponent attacks as well as it can with the characters that it has
    left, and what is on the table after that is added up: health, and the worth of the characters
    (``judging.worth``). So it finds the two attacks that together bring down the best character, goes
    for the win when it is there, brings out the character that will survive and equips the one that
    needs it. The first move of the best plan is made, and the next decision is planned anew.

    Bounds: attackers with the same attack are tried once, targets are attacked in the order of their
    slots (the result is the same), and at most ``MAX_LINES`` orders of attacks with ``MAX_ANSWERS``
    answers to each are looked at for every way to play the cards. With the decks that come with
    Duelgym no turn has as many; on larger tables the later orders are left out.

    It always plays a character and an item if it can, leaves the cards in the opponent's hand out of
    account, and sees nothing beyond the answer.
    """

    name = "planner"
    games = ("delights_and_dragons",)
    module = sys.modules[__name__]
    fields = LINE_FIELDS

    def parameters(self, game: Game) -> dict[str, Any]:
        """The cards, and where to read the table."""
        return starting_fields(game)
