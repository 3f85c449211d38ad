"""Fixtures of the tests of environments."""

from __future__ import annotations

import pytest
from duelgym.envs import GAMES, game_class, make
from duelgym.envs.core import Game

CASES = [(name, variant) for name in GAMES for variant in game_class(name).variants]


@pytest.fixture(params=CASES, ids=[f"{name}-{variant}" for name, variant in CASES])
def game(request: pytest.FixtureRequest) -> Game:
    """Every game in every variant."""
    return make(*request.param)
