"""The warden of Dragon's Path: it races, too, but reckons with reactions and keeps its own."""

from __future__ import annotations

import sys

from numba import njit

from ...envs.dragons_path import rules
from ..compiled import CompiledAgent, best_of
from .choosing import FIELDS, after_thunder, values_of
from .effects import move
from .judging import judge
from .reading import DISCARD, HAND, OWN, PATH, chance_of, lay_out


@njit(cache=True)
def choose(agent, observation, mask):
    """The answer that leaves the best table behind after the reaction that is to be expected."""
    table = agent.table
    lay_out(table, observation, True)
    return best_of(agent, foreseen(table, observation, mask))


@njit(cache=True)
def foreseen(table, observation, mask):
    """The values of all actions, where a card that is played may meet a reaction."""
    values = values_of(table, mask)
    if table.question == rules.MAIN and table.asked == OWN:
        for effect in range(rules.NUM_EFFECTS):
            if mask[rules.PLAY + effect]:
                values[effect] = after_reactions(table, observation, effect, values[effect])
    return values


@njit(cache=True)
def after_reactions(table, observation, effect, value):
    """What ``value`` comes down to if the opponent uses a reaction that hurts when it has one."""
    own, rival, cards = table.asked, 1 - table.asked, table.cards
    wind = chance_of(table, observation, rules.WIND)
    thunder = chance_of(table, observation, rules.THUNDER)
    move(cards, HAND, own, PATH, own, rules.ELEMENT[effect], 1.0)
    spent = min(1.0, cards[HAND, rival, rules.WIND])
    move(cards, HAND, rival, DISCARD, rival, rules.WIND, spent)
    cancelled = min(value, judge(table))
    move(cards, HAND, rival, DISCARD, rival, rules.WIND, -spent)
    spent = min(1.0, cards[HAND, rival, rules.THUNDER])
    move(cards, HAND, rival, DISCARD, rival, rules.THUNDER, spent)
    returned = min(value, after_thunder(table, own, effect))
    move(cards, HAND, rival, DISCARD, rival, rules.THUNDER, -spent)
    move(cards, HAND, own, PATH, own, rules.ELEMENT[effect], -1.0)
    if cancelled < returned:
        return wind * cancelled + (1 - wind) * (thunder * returned + (1 - thunder) * value)
    return thunder * returned + (1 - thunder) * (wind * cancelled + (1 - wind) * value)


class WardenAgent(CompiledAgent):
    """Races like ``racer``, but reckons with reactions on both sides.

    Prospects are worth more with a Wind in hand to guard them, and those of the opponent less with a
    Thunder that takes back the card that would win. So it spends neither on something small: Thunder
    is for the card that wins, Wind for Earth's second card if that wins, or for the effect that hurts
    most. When it plays a card itself, it weighs each effect by the chance that the opponent holds
    Wind or Thunder, by the cards that it has seen and the number of cards in the hand, and supposes
    that the opponent reckons in the same way. So it plays the winning card in the way that is least
    likely to be stopped: by itself where Wind is to be feared, and with an Earth where Thunder is.
    Its weakness is that it reads nothing from what the opponent has refused or saved so far, and
    looks no further than this turn.
    """

    name = "warden"
    games = ("dragons_path",)
    module = sys.modules[__name__]
    fields = FIELDS
