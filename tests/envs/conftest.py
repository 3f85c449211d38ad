"""Fixtures of the tests of environments."""

from __future__ import annotations

import pytest
from duelgym.envs import make
from duelgym.envs.core import Game
from support.cases import VARIANTS, case


@pytest.fixture(params=[case(*each) for each in VARIANTS])
def game(request: pytest.FixtureRequest) -> Game:
    """Every game in every variant."""
    return make(*request.param)
