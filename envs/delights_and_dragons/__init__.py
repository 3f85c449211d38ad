"""Delights & Dragons: characters, items, injuries. ``duelgym.envs.delights_and_dragons_v0`` is its page."""

from .cards import CardSet, Character, Item, read_card_set
from .game import DelightsAndDragons

__all__ = ["CardSet", "Character", "DelightsAndDragons", "Item", "read_card_set"]
