"""The face-racer of Delights & Dragons: as much damage as possible, as soon as possible."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numba import njit

from ...envs.core.game import Game
from ...envs.delights_and_dragons import rules
from ..compiled import CompiledAgent, best_of
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
    """Play the cards with the highest attack, then attack where it costs most health."""
    read_table(agent, observation)
    if agent.phase == rules.HOLDER:
        return rules.first_holder(agent) + best_holder(agent)
    if agent.phase == rules.TARGET:
        return rules.first_target(agent) + best_target(agent, rules.chosen(agent))
    if agent.phase == rules.RUN_OUT:
        return rules.num_actions(agent) + rules.RESHUFFLE
    card = best_card(agent, mask)
    if card != NOTHING:
        return card
    attacker = best_attacker(agent)
    if attacker != NOTHING:
        return rules.first_attacker(agent) + attacker
    return rules.num_actions(agent) + rules.END_PHASE


@njit(cache=True)
def best_card(agent, mask):
    """The highest attack, then defense, among the characters that may be played; else among the items."""
    scores = np.full(rules.num_cards(agent), -np.inf)
    for card in range(rules.num_cards(agent)):
        if mask[card]:
            strength = 100 * int(agent.attack[card]) + int(agent.defense[card])
            scores[card] = strength - 10_000 * rules.is_item(agent, card)
    return best_of(agent, scores)


@njit(cache=True)
def best_holder(agent):
    """The highest attack among those that still attack in this turn, else among all."""
    scores = np.full(rules.num_slots(agent), -np.inf)
    for slot in range(rules.num_slots(agent)):
        if is_character(agent, OWN, slot):
            scores[slot] = 1000 * int(agent.ready[OWN, slot]) + int(agent.slot_attack[OWN, slot])
    return best_of(agent, scores)


@njit(cache=True)
def best_attacker(agent):
    """The character that does best with its attack, or ``NOTHING`` if all have attacked."""
    scores = np.full(rules.num_slots(agent), -np.inf)
    for slot in range(rules.num_slots(agent)):
        if agent.ready[OWN, slot] and agent.in_play[RIVAL] == 0:
            scores[slot] = 0
        elif agent.ready[OWN, slot]:
            for target in range(rules.num_slots(agent)):
                if is_character(agent, RIVAL, target):
                    scores[slot] = max(scores[slot], attack_score(agent, slot, target))
    return best_of(agent, scores)


@njit(cache=True)
def best_target(agent, attacker):
    """The character to attack."""
    scores = np.full(rules.num_slots(agent), -np.inf)
    for target in range(rules.num_slots(agent)):
        if is_character(agent, RIVAL, target):
            scores[target] = attack_score(agent, attacker, target)
    return best_of(agent, scores)


@njit(cache=True)
def attack_score(agent, slot, target):
    """Damage counts first, then to destroy somebody, then to spend little on a weak defense."""
    destroyed = rules.destroys(agent, OWN, slot, target)
    damage = rules.excess_damage(agent, OWN, slot, target) if destroyed else 0
    spent = 1000 * int(agent.slot_attack[OWN, slot]) + int(agent.slot_defense[RIVAL, target])
    return 10**9 * damage + 10**7 * destroyed - spent


class RacerAgent(CompiledAgent):
    """Races for the opponent's health and looks at nothing else.

    It plays the character with the highest attack and gives the item with the highest attack to its
    strongest attacker. Of all attacks it makes the one that does most damage. Where none does any it
    clears the way: it destroys somebody if it can, and otherwise injures the weakest defense, always
    with the weakest attacker that will do, so that the strong ones are left for when nobody is in the
    way any more. What the opponent's characters can do to its own it does not see: a dangerous one
    with a good defense is left alone as long as there are weaker ones.
    """

    name = "racer"
    games = ("delights_and_dragons",)
    module = sys.modules[__name__]
    fields = FIELDS

    def parameters(self, game: Game) -> dict[str, Any]:
        """The cards, and where to read the table."""
        return starting_fields(game)
