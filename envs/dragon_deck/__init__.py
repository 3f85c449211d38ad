"""Dragon Deck: a draft, then simultaneous battles. ``duelgym.envs.dragon_deck_v0`` is its page."""

from .game import DragonDeck

__all__ = ["DragonDeck"]
