"""What renderers share."""

from __future__ import annotations

import sys

import pytest
from duelgym.envs.core import OptionError
from duelgym.envs.core.drawing import sheet, who
from duelgym.envs.dragon_deck import DragonDeck


def test_players_are_told_which_one_they_are():
    assert [who(0, 0), who(1, 0), who(0, None)] == ["player_0 (you)", "player_1", "player_0"]


def test_a_picture_without_pillow_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    env = DragonDeck("tiny").env(render_mode="rgb_array")
    env.reset(seed=1)
    for draw in (lambda: sheet(8, 8), env.render):
        with pytest.raises(OptionError, match=r"Pillow: pip install 'duelgym\[pictures\]'"):
            draw()
