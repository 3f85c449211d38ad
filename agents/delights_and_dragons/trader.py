"""The trader of Delights & Dragons: every attack removes what is most worth removing."""

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
    FIELDS,
    NOTHING,
    OWN,
    RIVAL,
    is_character,
    read_table,
    starting_fields,
)


@njit(cache=True)
def choose(agent, observation, mask):
    """Play what is worth most, then destroy what is worth most."""
    read_table(agent, observation)
    if agent.phase == rules.HOLDER:
        return rules.first_holder(agent) + best_of(agent, holder_scores(agent, rules.chosen(agent)))
    if agent.phase == rules.TARGET:
        return rules.first_target(agent) + best_of(agent, target_scores(agent, rules.chosen(agent)))
    if agent.phase == rules.RUN_OUT:
        return rules.num_actions(agent) + rules.RESHUFFLE
    card = best_of(agent, card_scores(agent, mask))
    if card != NOTHING:
        return card
    attacker = best_of(agent, attacker_scores(agent))
    if attacker != NOTHING:
        return rules.first_attacker(agent) + attacker
    return rules.num_actions(agent) + rules.END_PHASE


@njit(cache=True)
def card_scores(agent, mask):
    """The worth of each character that may be played; items come after them, by their best holder."""
    scores = np.full(rules.num_cards(agent), -np.inf)
    for card in range(rules.num_cards(agent)):
        if mask[card] and rules.is_item(agent, card):
            scores[card] = holder_scores(agent, card).max() - 10**9
        elif mask[card]:
            slot = bring_out(agent, card)
            scores[card] = worth(agent, OWN, slot)
            put_back(agent, slot)
    return scores


@njit(cache=True)
def holder_scores(agent, item):
    """How much more each own character could destroy with an item, then what it adds, then to whom."""
    scores = np.full(rules.num_slots(agent), -np.inf)
    for slot in range(rules.num_slots(agent)):
        if is_character(agent, OWN, slot):
            prey, before = best_prey(agent, slot), worth(agent, OWN, slot)
            equip(agent, item, slot, 1)
            after = worth(agent, OWN, slot)
            scores[slot] = 10**6 * (best_prey(agent, slot) - prey) + 1000 * (after - before) + after
            equip(agent, item, slot, -1)
    return scores


@njit(cache=True)
def best_prey(agent, slot):
    """The worth of the best character that an own one can destroy with its attack of this turn."""
    most = 0
    if agent.ready[OWN, slot]:
        for target in range(rules.num_slots(agent)):
            if is_character(agent, RIVAL, target) and rules.destroys(agent, OWN, slot, target):
                most = max(most, worth(agent, RIVAL, target))
    return most


@njit(cache=True)
def attacker_scores(agent):
    """The best attack of each own character that may still attack."""
    scores = np.full(rules.num_slots(agent), -np.inf)
    for slot in range(rules.num_slots(agent)):
        if agent.ready[OWN, slot] and agent.in_play[RIVAL] == 0:
            scores[slot] = 0
        elif agent.ready[OWN, slot]:
            scores[slot] = target_scores(agent, slot).max()
    return scores


@njit(cache=True)
def target_scores(agent, attacker):
    """Destroying somebody comes before injuring; then the worth counts, then to spend little on it."""
    scores = np.full(rules.num_slots(agent), -np.inf)
    for target in range(rules.num_slots(agent)):
        if is_character(agent, RIVAL, target):
            destroyed = rules.destroys(agent, OWN, attacker, target)
            price = int(agent.slot_attack[OWN, attacker])
            scores[target] = 10**9 * destroyed + 1000 * worth(agent, RIVAL, target) - price
    return scores


class TraderAgent(CompiledAgent):
    """Removes what it can destroy, each time at the best value.

    Characters have a worth (``judging.worth``), and the table is what it fights for. It plays the
    character of the greatest worth, and gives an item to the one that can destroy more with it, else
    to the one that gains most by it. Of all attacks it makes the one that destroys the character
    worth most, with the weakest attacker that can; where nothing can be destroyed it injures what is
    worth most, so that the next attack destroys it. With nobody in the way it attacks the opponent's
    health. It weighs one attack at a time: it misses that two attacks together could do better, and
    leaves a won race to take out a character that has no turn left.
    """

    name = "trader"
    games = ("delights_and_dragons",)
    module = sys.modules[__name__]
    fields = FIELDS

    def parameters(self, game: Game) -> dict[str, Any]:
        """The cards, and where to read the table."""
        return starting_fields(game)
