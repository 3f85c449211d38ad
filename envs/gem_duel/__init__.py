"""Gem Duel: open and hidden cards, clues and duels. ``duelgym.envs.gem_duel_v0`` is its page."""

from .game import GemDuel

__all__ = ["GemDuel"]
