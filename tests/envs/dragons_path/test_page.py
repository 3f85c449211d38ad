"""The page of Dragon's Path says of the advanced game and of options what is so."""

from __future__ import annotations

import re

from duelgym.envs import dragons_path_v0
from duelgym.envs.core.observation import table
from duelgym.envs.dragons_path import DragonsPath
from duelgym.envs.dragons_path.names import ELEMENTS, SPELLS
from duelgym.envs.dragons_path.rules import COST
from support.dragons_path import ADVANCED, BASIC

PAGE = dragons_path_v0.__doc__ or ""


def test_the_advanced_observation():
    lines = table(ADVANCED.sections).splitlines()[2 + len(BASIC.sections) :]
    (told,) = re.findall(r"^\| advanced entries \|.*\n\|---.*\n((?:^\|.*\n)+)", PAGE, re.MULTILINE)
    assert told.splitlines() == lines


def test_the_advanced_actions():
    (told,) = re.findall(r"^\| advanced action \|.*\n\|---.*\n((?:^\|.*\n)+)", PAGE, re.MULTILINE)
    names = [row.split(" | ")[:2] for row in told.splitlines()]
    assert names == [
        [f"| {action}", f"`{ADVANCED.action_name(action)}`"]
        for action in range(BASIC.num_actions, ADVANCED.num_actions)
    ]


def test_the_spells_and_what_they_cost():
    (told,) = re.findall(r"^\| spell \|.*\n\|---.*\n((?:^\|.*\n)+)", PAGE, re.MULTILINE)
    rows = [row.strip("| ").split(" | ")[:2] for row in told.splitlines()]
    assert rows == [
        [spell, ", ".join(ELEMENTS[element] for element in COST[number])]
        for number, spell in enumerate(SPELLS)
    ]


def test_numbers():
    turns = [int(number) for number in re.findall(r"by turn (\d+)", PAGE)]
    assert turns == [BASIC.max_turns, ADVANCED.max_turns]
    (more,) = re.findall(r"observation has (\d+) more entries", PAGE)
    game = DragonsPath(fire_search_to="deck_top")
    assert game.observation_size == BASIC.observation_size + int(more)
    for section in game.sections[len(BASIC.sections) :]:
        assert f"`{section.name}`" in PAGE
