"""Dragon Deck v0 (page below)."""

from __future__ import annotations

from typing import Any

from .core.aec import DuelEnv
from .dragon_deck import DragonDeck


def env(render_mode: str | None = None, variant: str | None = None, **options: Any) -> DuelEnv:
    """The AEC environment. ``options`` are ``values_per_type`` and ``target``.

    Raises:
        OptionError: An unknown option, or a value that the rules do not allow.
    """
    return DragonDeck(variant, **options).env(render_mode)


raw_env = env
