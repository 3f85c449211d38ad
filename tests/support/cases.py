"""What the suites over all games run on: everything, and in a quick run the first variants."""

from __future__ import annotations

from typing import Any

import pytest
from duelgym.envs import GAMES, game_class

QUICK_VARIANTS = 2
"""So many variants of a game are tested in a quick run; the others are marked as slow."""

VARIANTS = [(name, variant) for name in GAMES for variant in game_class(name).variants]


def case(name: str, variant: str, *more: str) -> Any:
    """A parameter of a test, with an id to select it by."""
    late = list(game_class(name).variants).index(variant) >= QUICK_VARIANTS
    marks = [pytest.mark.slow] if late else []
    return pytest.param((name, variant, *more), marks=marks, id="-".join((name, variant, *more)))
