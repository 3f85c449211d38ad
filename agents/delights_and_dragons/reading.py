"""What the scripted players read from an observation of Delights & Dragons.

The record of such a player holds the cards, and the table as it lies before the player, under the
names that they have in a state. So the rules of the game read it like one, with the player itself as
seat ``OWN`` and the opponent as seat ``RIVAL``: ``rules.destroys(agent, OWN, slot, target)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ...envs.core.game import Game
from ...envs.core.observation import offsets
from ...envs.core.records import Field
from ...envs.delights_and_dragons import rules

OWN, RIVAL = 0, 1
NOTHING = rules.NOTHING

FIELDS: list[Field] = [
    # The cards.
    ("num_cards", np.int8),
    ("num_characters", np.int8),
    ("num_slots", np.int8),
    ("attack", np.int8, (rules.MAX_CARDS,)),
    ("defense", np.int8, (rules.MAX_CARDS,)),
    ("legendary", np.int8, (rules.MAX_CARDS,)),
    # Where the observation shows what is on the table.
    ("at_side", np.int16, (2,)),
    ("at_item", np.int16),
    ("at_attacker", np.int16),
    ("at_health", np.int16),
    ("at_may_play", np.int16),
    ("at_decision", np.int16),
    # The table.
    ("character", np.int8, (2, rules.MAX_SLOTS)),
    ("slot_attack", np.int16, (2, rules.MAX_SLOTS)),
    ("slot_defense", np.int16, (2, rules.MAX_SLOTS)),
    ("marks", np.int8, (2, rules.MAX_SLOTS)),
    ("ready", np.int8, (2, rules.MAX_SLOTS)),
    ("in_play", np.int8, (2,)),
    ("health", np.int16, (2,)),
    ("may_play_character", np.int8),
    ("may_play_item", np.int8),
    ("phase", np.int8),
    ("chosen", np.int8),
]


def starting_fields(game: Game) -> dict[str, Any]:
    """What the fields hold from the start: the cards, and where to read the table."""
    cards = ("num_cards", "num_characters", "num_slots", "attack", "defense", "legendary")
    places = {name: place.start for name, place in offsets(game.sections).items()}
    return {
        **{name: value for name, value in game.parameters().items() if name in cards},
        "at_side": [places["own_characters"], places["rival_characters"]],
        "at_item": places.get("item", 0),  # without items there is never one to be given
        "at_attacker": places["attacker"],
        "at_health": places["health"],
        "at_may_play": places["may_play"],
        "at_decision": places["decision"],
    }


@njit(cache=True)
def read_table(agent, observation):
    """Write what the observation shows into the record."""
    slots = rules.num_slots(agent)
    for seat in range(2):
        at = int(agent.at_side[seat])
        agent.in_play[seat] = 0
        for slot in range(slots):
            agent.character[seat, slot] = int(observation[at + slot]) - 1
            agent.slot_attack[seat, slot] = int(observation[at + slots + slot])
            agent.slot_defense[seat, slot] = int(observation[at + 2 * slots + slot])
            agent.marks[seat, slot] = int(observation[at + 4 * slots + slot])
            agent.ready[seat, slot] = int(observation[at + 5 * slots + slot])
            agent.in_play[seat] += agent.character[seat, slot] != NOTHING
        agent.health[seat] = int(observation[int(agent.at_health) + seat])
    agent.may_play_character = int(observation[int(agent.at_may_play)])
    agent.may_play_item = int(observation[int(agent.at_may_play) + 1])
    read_decision(agent, observation)


@njit(cache=True)
def read_decision(agent, observation):
    """Write the phase, and the item or the attacker that waits for a choice."""
    for number, phase in enumerate((rules.ATTACK, rules.HOLDER, rules.TARGET, rules.RUN_OUT)):
        if observation[int(agent.at_decision) + number]:
            agent.phase = phase
    agent.chosen = NOTHING
    if agent.phase == rules.HOLDER:
        items = rules.num_cards(agent) - int(agent.num_characters)
        agent.chosen = int(agent.num_characters) + first_set(observation, int(agent.at_item), items)
    elif agent.phase == rules.TARGET:
        agent.chosen = first_set(observation, int(agent.at_attacker), rules.num_slots(agent))


@njit(cache=True)
def first_set(observation, at, size):
    """Which of the ``size`` entries from ``at`` on is the first that is not 0."""
    number = 0
    while number < size - 1 and observation[at + number] == 0:
        number += 1
    return number


@njit(cache=True)
def is_character(agent, seat, slot):
    """Whether there is a character in a slot."""
    return agent.character[seat, slot] != NOTHING
