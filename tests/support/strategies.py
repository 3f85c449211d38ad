"""Strategies as users write them: good ones, and every way to fail."""

from __future__ import annotations

import os


def first(observation, legal):
    return legal[0]


def at_random(observation, legal, random):
    return legal[int(random.integers(len(legal)))]


def raises(observation, legal, random):
    if random.random() < 0.1:
        raise ValueError("no idea")
    return legal[0]


def cheats(observation, legal, random):
    return "fly" if random.random() < 0.1 else legal[0]


def hangs(observation, legal, random):
    if random.random() < 0.2:
        while True:
            pass
    return legal[0]


def crashes(observation, legal):
    os._exit(3)


def takes_one(observation):
    return observation


NOT_A_FUNCTION = 3
