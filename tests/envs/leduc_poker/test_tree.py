"""The whole game tree: its size, perfect recall, and OpenSpiel's tree beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from duelgym.envs.core import State
from support.leduc import LEDUC


def positions(state: State) -> Iterator[State]:
    """Every position from ``state`` on, chance nodes and ends included."""
    yield state
    if not state.is_over:
        for action in state.legal_actions():
            following = state.clone()
            following.apply(action)
            yield from positions(following)


@pytest.fixture(scope="module")
def tree() -> list[State]:
    return list(positions(LEDUC.start(0, explicit_chance=True)))


def test_size(tree):
    kinds = Counter(
        "end" if state.is_over else "chance" if state.is_chance else "decision" for state in tree
    )
    deals, lines = 6 * 5, 5  # pairs of private cards; ways to close the first betting round
    assert kinds["chance"] == 1 + 6 + deals * lines
    # A betting round has 6 positions with a decision, and 4 folds and 5 calls that end it.
    assert kinds["decision"] == deals * 6 + deals * lines * 4 * 6
    assert kinds["end"] == deals * 4 + deals * lines * 4 * (4 + 5)


def test_936_information_states(tree):
    for seat in range(2):
        mine = [state for state in tree if state.player == seat]
        assert len({state.information_state(seat) for state in mine}) == 468
        assert len({state.observation(seat).tobytes() for state in mine}) == 468


@pytest.mark.parametrize("seat", [0, 1])
def test_observations_recall_everything(tree, seat):
    """Histories that a seat can tell apart look different to it, and only those do."""
    observed: dict[tuple[int, ...], bytes] = {}
    for state in tree:
        if len(state.history()) < 2:
            continue  # Nobody is asked anything before both private cards are dealt.
        observation = state.observation(seat).tobytes()
        assert observed.setdefault(state.information_state(seat), observation) == observation
    assert len(set(observed.values())) == len(observed)


def test_a_seat_cannot_tell_the_rivals_cards_apart_before_the_showdown(tree):
    """So its decision depends on what it knows alone: 30 pairs of cards look like 6 to it."""
    first = [state for state in tree if len(state.history()) == 2]
    assert len(first) == 30
    for seat in range(2):
        assert len({state.observation(seat).tobytes() for state in first}) == 6


def test_the_same_tree_as_openspiel(tree):
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    theirs = pyspiel.load_game("leduc_poker")
    names: dict[tuple[int, ...], str] = {}
    waiting, visited = [theirs.new_initial_state()], set()
    ours = {tuple(state.history()): state for state in tree}
    while waiting:
        peer = waiting.pop()
        state = ours[tuple(peer.history())]
        visited.add(tuple(peer.history()))
        assert state.is_over == peer.is_terminal()
        assert state.is_chance == peer.is_chance_node()
        if peer.is_terminal():
            assert state.returns() == peer.returns()
            continue
        assert state.legal_actions() == peer.legal_actions()
        if peer.is_chance_node():
            assert dict(state.chance_outcomes()) == pytest.approx(dict(peer.chance_outcomes()))
        else:
            seat = peer.current_player()
            assert state.player == seat
            key = (seat, *state.information_state(seat))
            name = peer.information_state_string(seat)
            assert names.setdefault(key, name) == name
        waiting += [peer.child(action) for action in peer.legal_actions()]
    assert visited == set(ours)
    assert len(names) == len(set(names.values())) == 936
    assert (LEDUC.num_actions, LEDUC.facts.num_chance_outcomes) == (
        theirs.num_distinct_actions(),
        theirs.max_chance_outcomes(),
    )
    assert (LEDUC.facts.min_return, LEDUC.facts.max_return) == (
        theirs.min_utility(),
        theirs.max_utility(),
    )
    assert LEDUC.facts.max_decisions == theirs.max_game_length()
