"""What a character is worth to the scripted players of Delights & Dragons, and tries of a card."""

from __future__ import annotations

from numba import njit

from .reading import NOTHING, OWN, is_character

# In points of health: a character, a point of its attack and of its defense, and each attack that a
# legendary one still takes.
CHARACTER, ATTACK, DEFENSE, LIFE = 10, 5, 2, 13


@njit(cache=True)
def worth(agent, seat, slot):
    """What the character in a slot is worth with its items, in points of health.

    Who has more characters on the table attacks more often, and soon there is nobody in the way. So
    a character is worth much more than the health that one attack costs, most of it for its attack.
    Its defense counts as long as it is not injured.
    """
    marks = int(agent.marks[seat, slot])
    legendary = agent.legendary[int(agent.character[seat, slot])]
    value = CHARACTER + ATTACK * int(agent.slot_attack[seat, slot])
    if legendary or marks == 0:
        value += DEFENSE * int(agent.slot_defense[seat, slot])
    return value + LIFE * (3 - marks) if legendary else value


@njit(cache=True)
def bring_out(agent, card):
    """Put a character from the own hand into play, on trial; returns its slot."""
    slot = 0
    while is_character(agent, OWN, slot):
        slot += 1
    agent.character[OWN, slot] = card
    agent.slot_attack[OWN, slot] = agent.attack[card]
    agent.slot_defense[OWN, slot] = agent.defense[card]
    agent.marks[OWN, slot] = 0
    agent.in_play[OWN] += 1
    return slot


@njit(cache=True)
def put_back(agent, slot):
    """The end of the trial."""
    agent.character[OWN, slot] = NOTHING
    agent.in_play[OWN] -= 1


@njit(cache=True)
def equip(agent, item, slot, times):
    """Give an own character an item, on trial; with ``times`` -1 take it away again."""
    agent.slot_attack[OWN, slot] += times * int(agent.attack[item])
    agent.slot_defense[OWN, slot] += times * int(agent.defense[item])
