"""``duelgym`` itself."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import duelgym
from duelgym.envs.dragon_deck import DragonDeck


def test_version():
    assert duelgym.__version__ == version("duelgym")


def test_make():
    assert duelgym.make("dragon_deck", "small") == DragonDeck("small")


def test_ray_takes_the_same_versions_but_for_gymnasium():
    pins = {}
    for name in ("constraints.txt", "constraints-ray.txt"):
        lines = (Path(__file__).parents[1] / name).read_text().splitlines()
        pins[name] = dict(line.split("==") for line in lines if not line.startswith("#"))
    ours, rays = pins.values()
    assert {name for name in rays if rays[name] != ours.get(name)} == {"gymnasium", "ray"}
    assert set(ours) <= set(rays)
