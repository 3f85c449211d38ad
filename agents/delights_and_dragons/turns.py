"""Orders of attack in Delights & Dragons, one after the other, played out on the table of an agent.

An order of attacks is a line. It is on the table while it is looked at, and taken back attack by
attack to get to the next one. An attack is a number: the target's slot times the number of slots, plus
the attacker's slot; the opponent's health counts as a further slot.

Attacks on different targets can be made in any order with the same result, so a line attacks its
targets from the first slot on; and of attackers with the same attack it takes the first. What is left
are all results that a turn of attacks can have (and some that stop at a target too late to do more).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ...envs.core.records import Field
from ...envs.delights_and_dragons import rules
from .reading import FIELDS, NOTHING, is_character

LINE_FIELDS: list[Field] = [
    *FIELDS,
    # For each seat, the attacks of the line that is on the table, and what each of them changed.
    ("length", np.int8, (2,)),
    ("start", np.int8, (2,)),  # attacks that are not taken back to get to the next line
    ("line", np.int16, (2, rules.MAX_SLOTS)),
    ("target_before", np.int8, (2, rules.MAX_SLOTS)),
    ("health_before", np.int16, (2, rules.MAX_SLOTS)),
]


@njit(cache=True)
def first_line(agent, seat):
    """Play the first line of a seat's attacks, after those that it has made already."""
    agent.start[seat] = agent.length[seat]
    play_on(agent, seat, next_attack(agent, seat, 0))


@njit(cache=True)
def next_line(agent, seat):
    """Go on to the next line; False when there is none, and all attacks are taken back."""
    attack = NOTHING
    while attack == NOTHING:
        if agent.length[seat] == agent.start[seat]:
            return False
        attack = next_attack(agent, seat, take_back(agent, seat) + 1)
    play_on(agent, seat, attack)
    return True


@njit(cache=True)
def take_back_line(agent, seat):
    """Leave the rest of the lines out."""
    while agent.length[seat] > agent.start[seat]:
        take_back(agent, seat)


@njit(cache=True)
def play_on(agent, seat, attack):
    """Make an attack and others after it, as long as there are any."""
    while attack != NOTHING:
        make_attack(agent, seat, attack)
        attack = next_attack(agent, seat, attack - attack % rules.num_slots(agent))


@njit(cache=True)
def next_attack(agent, seat, attack):
    """The first possible attack from ``attack`` on, or ``NOTHING``."""
    slots, rival = rules.num_slots(agent), 1 - seat
    if agent.health[rival] <= 0:
        return NOTHING
    last = slots
    if agent.in_play[rival] == 0:
        attack, last = max(attack, slots * slots), slots + 1
    while attack < last * slots:
        target, slot = attack // slots, attack % slots
        if target < slots and not is_character(agent, rival, target):
            attack += slots - slot
        elif agent.ready[seat, slot] and not has_double(agent, seat, slot):
            return attack
        else:
            attack += 1
    return NOTHING


@njit(cache=True)
def has_double(agent, seat, slot):
    """Whether an earlier slot could attack in just the same way."""
    for other in range(slot):
        if (
            agent.ready[seat, other]
            and agent.slot_attack[seat, other] == agent.slot_attack[seat, slot]
        ):
            return True
    return False


@njit(cache=True)
def make_attack(agent, seat, attack):
    """Add an attack to the line of a seat: what ``rules.declare_attack`` would do."""
    slots, rival, number = rules.num_slots(agent), 1 - seat, int(agent.length[seat])
    target, slot = attack // slots, attack % slots
    agent.line[seat, number] = attack
    agent.health_before[seat, number] = agent.health[rival]
    agent.length[seat] += 1
    agent.ready[seat, slot] = 0
    if target == slots:
        agent.health[rival] -= agent.slot_attack[seat, slot]
        return
    agent.target_before[seat, number] = agent.character[rival, target]
    if rules.destroys(agent, seat, slot, target):
        agent.health[rival] -= rules.excess_damage(agent, seat, slot, target)
        agent.character[rival, target] = NOTHING
        agent.in_play[rival] -= 1
    else:
        agent.marks[rival, target] += 1


@njit(cache=True)
def take_back(agent, seat):
    """Take back the last attack of a seat's line, which is returned."""
    agent.length[seat] -= 1
    slots, rival, number = rules.num_slots(agent), 1 - seat, int(agent.length[seat])
    attack = np.int64(agent.line[seat, number])
    target, slot = attack // slots, attack % slots
    agent.ready[seat, slot] = 1
    agent.health[rival] = agent.health_before[seat, number]
    if target == slots:
        return attack
    if is_character(agent, rival, target):
        agent.marks[rival, target] -= 1
    else:
        agent.character[rival, target] = agent.target_before[seat, number]
        agent.in_play[rival] += 1
    return attack
