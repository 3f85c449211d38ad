"""Sections: one declaration for the vector, its bounds, its table and its decoder."""

from __future__ import annotations

import numpy as np
import pytest
from duelgym.envs.core.observation import Section, bounds, describe, offsets, steps, table

SECTIONS = [
    Section("cards", ["fire 1", "fire 2"], "cards in hand"),
    Section("won", steps(3), "battles won", kind="level"),
    Section("gems", ["own", "rival"], "gems", low=0, high=7, kind="numbers"),
    Section("debt", ["gold"], "gold owed", low=-5, high=0, kind="numbers"),
]
OBSERVATION = np.array([0, 1, 1, 1, 0, 3, 7, -2], np.float32)


def test_bounds():
    low, high = bounds(SECTIONS)
    assert low.tolist() == [0, 0, 0, 0, 0, 0, 0, -5]
    assert high.tolist() == [1, 1, 1, 1, 1, 7, 7, 0]
    assert low.dtype == high.dtype == np.float32


def test_offsets():
    assert offsets(SECTIONS) == {
        "cards": slice(0, 2),
        "won": slice(2, 5),
        "gems": slice(5, 7),
        "debt": slice(7, 8),
    }


def test_describe():
    assert describe(SECTIONS, OBSERVATION) == {
        "cards": ["fire 2"],
        "won": 2,
        "gems": {"own": 3, "rival": 7},
        "debt": -2,
    }


@pytest.mark.parametrize("wrong", [OBSERVATION[:-1], OBSERVATION[None], 3])
def test_describe_refuses_another_shape(wrong):
    with pytest.raises(ValueError, match=r"an observation has shape \[8\], not "):
        describe(SECTIONS, wrong)


def test_steps():
    assert steps(2) == ["at least 1", "at least 2"]


def test_table():
    assert table(SECTIONS).splitlines() == [
        "| entries | section | values | meaning |",
        "|---|---|---|---|",
        "| 0-1 | `cards` | 0..1 | cards in hand |",
        "| 2-4 | `won` | 0..1 | battles won |",
        "| 5-6 | `gems` | 0..7 | gems |",
        "| 7 | `debt` | -5..0 | gold owed |",
    ]
