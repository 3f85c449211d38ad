"""Fixtures of the tests of Dragon Deck."""

from __future__ import annotations

import pytest
from duelgym.envs.dragon_deck import DragonDeck


@pytest.fixture(params=list(DragonDeck.variants))
def dragon_deck(request: pytest.FixtureRequest) -> DragonDeck:
    """Dragon Deck in every variant."""
    return DragonDeck(request.param)
