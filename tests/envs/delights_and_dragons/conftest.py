"""Fixtures of the tests of Delights & Dragons."""

from __future__ import annotations

import pytest
from duelgym.envs.delights_and_dragons import DelightsAndDragons


@pytest.fixture(params=list(DelightsAndDragons.variants))
def variant(request: pytest.FixtureRequest) -> DelightsAndDragons:
    """Delights & Dragons in every variant."""
    return DelightsAndDragons(request.param)
