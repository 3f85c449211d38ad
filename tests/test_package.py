"""``duelgym`` itself."""

from __future__ import annotations

from importlib.metadata import version

import duelgym
from duelgym.envs.dragon_deck import DragonDeck


def test_version():
    assert duelgym.__version__ == version("duelgym")


def test_make():
    assert duelgym.make("dragon_deck", "small") == DragonDeck("small")
