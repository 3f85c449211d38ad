"""Leduc poker: the small calibration game. ``duelgym.envs.leduc_poker_v0`` is its page."""

from .game import LeducPoker

__all__ = ["LeducPoker"]
