"""What the scripted players read from an observation of Dragon's Path.

They lay the cards out before them on a ``table``, a record inside the record of the player, where
they can move cards to see what becomes of it. Side 0 is the observer and side 1 the opponent.
"""

from __future__ import annotations

from numba import njit

from ...envs.core.observation import offsets
from ...envs.dragons_path import DragonsPath, rules

OWN, RIVAL = 0, 1
HAND, PATH, DECK, DISCARD = 0, 1, 2, 3

_AT = {name: place.start for name, place in offsets(DragonsPath("advanced").sections).items()}
ADVANCED_SIZE = DragonsPath("advanced").observation_size
OWN_HAND, OWN_DECK, OWN_DISCARD = _AT["own_hand"], _AT["own_deck"], _AT["own_discard"]
RIVAL_KNOWN, RIVAL_DISCARD = _AT["rival_hand_known"], _AT["rival_discard"]
RIVAL_UNSEEN, RIVAL_HAND_SIZE = _AT["rival_unseen"], _AT["rival_hand_size"]
OWN_PATH, RIVAL_PATH, OWN_TURN = _AT["own_path"], _AT["rival_path"], _AT["own_turn"]
QUESTION, EFFECT = _AT["question"], _AT["effect"]
RETURNED, EXCHANGING, CHOSEN = _AT["returned"], _AT["exchanging"], _AT["chosen_card"]
SPELL, SPELL_QUESTION = _AT["spell"], _AT["spell_question"]
MINDSTORM, DECIDES_FOR = _AT["mindstorm"], _AT["decides_for"]


@njit(cache=True)
def is_advanced(table, observation):
    """Whether the observation is one of the advanced game."""
    return observation.shape[0] >= ADVANCED_SIZE


@njit(cache=True)
def lay_out(table, observation, keeps_reactions):
    """Put on the table what the observation says."""
    table.keeps_reactions = keeps_reactions
    table.turn = OWN if observation[OWN_TURN] else RIVAL
    table.question = rules.MAIN + index_of(observation, QUESTION, 10)
    table.effect = index_of(observation, EFFECT, rules.NUM_EFFECTS)
    table.returned = int(observation[RETURNED])
    table.exchanging = index_of(observation, EXCHANGING, 2)
    table.chosen = index_of(observation, CHOSEN, rules.NUM_ELEMENTS)
    table.asked = OWN
    table.controls = -1
    table.spell = rules.NO_SPELL
    if is_advanced(table, observation):
        lay_out_spells(table, observation)
    lay_out_cards(table, observation)


@njit(cache=True)
def lay_out_spells(table, observation):
    """The same for what only the advanced game has."""
    question = index_of(observation, SPELL_QUESTION, 10)
    if question >= 0:
        table.question = rules.KEEP_SPELL + question
    table.asked = index_of(observation, DECIDES_FOR, 2)
    table.controls = index_of(observation, MINDSTORM, 2)
    table.spell = index_of(observation, SPELL, rules.NUM_SPELLS)


@njit(cache=True)
def lay_out_cards(table, observation):
    """Counts by element; an unknown card of the opponent is a bit of each that it may be."""
    cards = table.cards
    unseen = known = 0.0
    for element in range(rules.NUM_ELEMENTS):
        unseen += float(observation[RIVAL_UNSEEN + element])
        known += float(observation[RIVAL_KNOWN + element])
    share = 0.0
    if unseen > known:
        share = (float(observation[RIVAL_HAND_SIZE]) - known) / (unseen - known)
    for element in range(rules.NUM_ELEMENTS):
        cards[HAND, OWN, element] = observation[OWN_HAND + element]
        cards[PATH, OWN, element] = observation[OWN_PATH + element]
        cards[DECK, OWN, element] = observation[OWN_DECK + element]
        cards[DISCARD, OWN, element] = observation[OWN_DISCARD + element]
        sure = float(observation[RIVAL_KNOWN + element])
        hidden = float(observation[RIVAL_UNSEEN + element]) - sure
        cards[HAND, RIVAL, element] = sure + share * hidden
        cards[PATH, RIVAL, element] = observation[RIVAL_PATH + element]
        cards[DECK, RIVAL, element] = (1 - share) * hidden
        cards[DISCARD, RIVAL, element] = observation[RIVAL_DISCARD + element]


@njit(cache=True)
def index_of(observation, start, size):
    """Which of ``size`` entries is set; -1 if none is."""
    for index in range(size):
        if observation[start + index]:
            return index
    return -1


@njit(cache=True)
def chance_of(table, observation, element):
    """The chance that the opponent has a card of an element in hand.

    Known cards are there for certain, and the others were drawn from all that are unseen.
    """
    known = unseen = 0
    for other in range(rules.NUM_ELEMENTS):
        known += int(observation[RIVAL_KNOWN + other])
        unseen += int(observation[RIVAL_UNSEEN + other])
    if observation[RIVAL_KNOWN + element]:
        return 1.0
    hidden, without = unseen - known, 1.0
    others = hidden - int(observation[RIVAL_UNSEEN + element])
    for _ in range(int(observation[RIVAL_HAND_SIZE]) - known):
        without *= max(0, others) / hidden
        others -= 1
        hidden -= 1
    return 1.0 - without
