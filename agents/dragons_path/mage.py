"""The mage of Dragon's Path: a warden that saves its spells for when they decide something."""

from __future__ import annotations

import sys

from numba import njit

from ...envs.dragons_path import rules
from ..compiled import CompiledAgent, best_of
from .choosing import FIELDS
from .judging import judge
from .reading import chance_of, is_advanced, lay_out
from .spells import pay
from .warden import foreseen

PRICE = 0.15
"""How much better than a card a spell has to be, as it comes only once in a game."""


@njit(cache=True)
def choose(agent, observation, mask):
    """As the warden does, but a spell has its price and may be cancelled."""
    table = agent.table
    lay_out(table, observation, True)
    values = foreseen(table, observation, mask)
    if is_advanced(table, observation):
        for spell in range(rules.NUM_SPELLS):
            if mask[rules.CAST + spell]:
                action = rules.CAST + spell
                values[action] = considered(table, observation, spell, values[action])
    return best_of(agent, values)


@njit(cache=True)
def considered(table, observation, spell, value):
    """The value of casting a spell, less its price, as it may be cancelled."""
    chance = chance_of(table, observation, rules.COST[spell, 0])
    chance *= chance_of(table, observation, rules.COST[spell, 1])
    pay(table, table.asked, spell, 1.0)
    cancelled = min(value, judge(table))
    pay(table, table.asked, spell, -1.0)
    return value - chance * (value - cancelled) - PRICE


class MageAgent(CompiledAgent):
    """Plays like ``warden``, and saves its spells for when they decide something.

    A spell comes only once in a game, takes two cards, and is often cancelled. So it casts one only
    where that is clearly better than any card, weighing the chance that the opponent holds the same
    two elements: most of all Skyshard Shift or Runebolt to win at once, Deluge when the opponent's
    deck is running out, Mindstorm when it meets a hand that it can ruin. Racer and warden
    cast whatever spell looks the least bit better than a card. The draft is the same for all three,
    by how much each spell helped to win (``choosing.SPELL_RANK``), and so are the choices within a
    spell, in a turn borrowed by Mindstorm, and whether to cancel a spell. In the basic game it is
    the warden. Its weakness: it does not collect the elements for its spells, nor those that would
    cancel the opponent's, and most of its spells are never used.
    """

    name = "mage"
    games = ("dragons_path",)
    module = sys.modules[__name__]
    fields = FIELDS
