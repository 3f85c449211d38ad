"""The racer of Dragon's Path: the shortest way to a victory, and in the way of the opponent's."""

from __future__ import annotations

import sys

from numba import njit

from ..compiled import CompiledAgent, best_of
from .choosing import FIELDS, values_of
from .reading import lay_out


@njit(cache=True)
def choose(agent, observation, mask):
    """The answer that leaves the best table behind."""
    lay_out(agent.table, observation, False)
    return best_of(agent, values_of(agent.table, mask))


class RacerAgent(CompiledAgent):
    """Races for the nearest victory and gets in the way of the opponent's.

    It counts for both sides how many turns each victory is away: four of an element, five different
    ones, or an opponent who runs out of cards (``judging``). It knows what lies in the paths, in its
    own hand and deck, and takes the opponent's unknown cards for the average of what they may be.
    Then it tries out everything that it may do, with the best targets (``effects``, ``spells``), and
    does what leaves the best table behind. So it plays what brings its nearest victory nearer, and
    removes what matters most for the opponent, whichever is worth more. In a turn borrowed by
    Mindstorm it does for the opponent what is best for itself. Its weakness is that it looks no
    further: it plays its winning card straight into a Thunder that the opponent is known to hold,
    and throws its own reactions and spells at the first thing that is worse than losing a card.
    """

    name = "racer"
    games = ("dragons_path",)
    module = sys.modules[__name__]
    fields = FIELDS
