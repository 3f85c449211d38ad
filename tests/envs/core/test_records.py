"""Record types: their layout, what registration refuses, and that strangers are kept out."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest
from duelgym.agents.uniform import RandomAgent
from duelgym.envs import GAMES, game_class
from duelgym.envs.core import State, StateFormatError, loops, records
from duelgym.envs.dragon_deck import DragonDeck
from support import toy_rules
from support.toy_game import ToyGame

RECORDS = {
    **{name: game_class(name).record for name in GAMES},
    "toy": ToyGame.record,
    "random agent": RandomAgent.record,
}


def register(*fields, rules=toy_rules, functions=("setup",)):
    return records.register("test", fields, rules, functions, loops.__name__)


@pytest.mark.parametrize("name", RECORDS)
def test_records_have_no_padding(name):
    dtype = RECORDS[name]
    end = 0
    for field, (kind, offset, *_) in sorted((dtype.fields or {}).items(), key=lambda f: f[1][1]):
        assert offset == end, f"padding before {field}"
        end = offset + kind.itemsize
    assert end == dtype.itemsize


@pytest.mark.parametrize("name", RECORDS)
def test_records_are_aligned_plain_bytes(name):
    dtype = RECORDS[name]
    assert not dtype.hasobject
    assert dtype.isalignedstruct
    assert dtype.itemsize % 8 == 0


def test_wide_fields_come_first_whatever_order_they_are_declared_in():
    dtype = register(("a", np.int8), ("b", np.uint64), ("c", np.int16, (3,)), ("d", np.int32))
    assert dtype.names is not None
    assert [name for name in dtype.names if len(name) == 1] == ["b", "d", "c", "a"]
    assert dtype.itemsize == 24


@pytest.mark.parametrize("name", ["round", "item", "take", "min", "fill", "size", "dtype"])
def test_fields_named_like_an_attribute_of_a_record_are_refused(name):
    with pytest.raises(ValueError, match=f"field cannot be named '{name}'"):
        register((name, np.int8))


def test_a_rule_that_is_missing_is_named():
    with pytest.raises(ValueError, match=r"support\.toy_rules lacks shuffle"):
        register(("a", np.int8), functions=("setup", "shuffle"))


def test_rules_without_source_code_are_refused():
    """Without it an edit could not be noticed, and compiled rules would run stale."""
    rules = ModuleType("made_up_rules")
    rules.setup = toy_rules.setup  # type: ignore[attr-defined]
    sys.modules[rules.__name__] = rules
    try:
        with pytest.raises(ValueError, match="made_up_rules has no source file"):
            register(("a", np.int8), rules=rules)
    finally:
        del sys.modules[rules.__name__]


def test_layout_version_follows_the_fields_and_not_the_code():
    fields = [("a", np.int8), ("b", np.int8)]
    version = records.layout_version(register(*fields))
    other_code = records.register("test", fields, toy_rules, ["setup"], records.__name__)
    assert other_code.names != register(*fields).names
    assert records.layout_version(other_code) == version
    for changed in (
        [("b", np.int8), ("a", np.int8)],
        [("a", np.int8), ("renamed", np.int8)],
        [("a", np.int8), ("b", np.uint8)],
        [("a", np.int8), ("b", np.int8, (1,))],
        [("a", np.int8), ("b", np.int8), ("c", np.int8)],
    ):
        assert records.layout_version(register(*changed)) != version


def stranger() -> np.ndarray:
    """A state of Dragon Deck as another version of the rules would have it."""
    fields = [
        ("dragon_deck_0123456789ab" if name.startswith("dragon_deck_") else name, kind)
        for name, (kind, *_) in (DragonDeck.record.fields or {}).items()
    ]
    dtype = np.dtype((np.record, np.dtype(fields, align=True)))
    assert dtype.itemsize == DragonDeck.record.itemsize
    return np.frombuffer(DragonDeck().start(1)._states.tobytes(), dtype).copy()


def test_a_state_refuses_records_of_another_type():
    with pytest.raises(StateFormatError, match="load saved states with load_states"):
        State(DragonDeck(), stranger())
    with pytest.raises(StateFormatError, match="record type"):
        State(DragonDeck(), np.zeros(1, ToyGame.record))
    with pytest.raises(StateFormatError, match="record type"):
        State(DragonDeck(), np.zeros((1, 56), np.uint8))


def test_a_state_refuses_records_of_another_variant():
    """Their parameters would let compiled code write beyond the arrays of this one."""
    states = DragonDeck().start(1)._states
    with pytest.raises(StateFormatError, match="takes no states with another values_per_type"):
        State(DragonDeck("tiny"), states)
    with pytest.raises(StateFormatError, match="takes no states with another target"):
        State(DragonDeck(target=2), states)
    with pytest.raises(StateFormatError, match="takes no states with another num_players"):
        State(DragonDeck(), np.zeros(1, DragonDeck.record))


def test_loops_refuse_records_of_another_type():
    states = stranger()
    mask = np.zeros(26, np.int8)
    weights = np.zeros(24, np.int32)
    before = states.tobytes()
    for call in (
        lambda: loops.move_one(states, 0, mask, weights),
        lambda: loops.mask_one(states, mask),
        lambda: loops.observe_one(states, 0, np.zeros(200, np.float32)),
        lambda: loops.returns_one(states, np.zeros(2, np.float32)),
    ):
        with pytest.raises(StateFormatError, match="not of a registered"):
            call()
    assert states.tobytes() == before


def test_records_are_small():
    assert DragonDeck.record.itemsize < 100
