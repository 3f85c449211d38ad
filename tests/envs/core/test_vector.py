"""Thousands of games in one array: the same games as single ones, and nothing that leaks between."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from duelgym.envs import make
from duelgym.envs.core import (
    Game,
    IllegalActionError,
    OptionError,
    OrderError,
    State,
    StateFormatError,
)
from duelgym.envs.core.vector import VectorEnv, play_random
from duelgym.envs.dragon_deck import DragonDeck
from support.toy_game import ToyGame

GIVEN = ("observations", "masks", "players", "rewards", "terminated", "truncated", "lengths",
         "final_observations")  # fmt: skip


def given(env: VectorEnv, rows: slice = slice(None)) -> list[bytes]:
    """All that an environment gives after a step."""
    return [getattr(env, name)[rows].tobytes() for name in GIVEN]


def everything(env: VectorEnv) -> list[bytes]:
    return [*given(env), *(array.tobytes() for array in env.save().values())]


# The same games as single ones.


def check_against_states(game: Game, skip_forced: bool, steps: int) -> None:
    """Play rows of states by hand beside the environment; a new one begins where one ends."""
    env = game.vector(5, skip_forced=skip_forced)
    env.reset(3)
    states = [env.state(row) for row in range(5)]
    for state in states:
        assert state == game.start(int(state.record.seed)) or skip_forced
    decisions, seeds = [0] * 5, set()
    for step in range(steps):
        rows = np.arange(5)
        assert env.players.tolist() == [state.player for state in states]
        assert (env.observations == [state.observation() for state in states]).all()
        assert (env.masks == [state.legal_mask() for state in states]).all()
        if skip_forced:
            assert (env.masks.sum(axis=1) > 1).all()
        actions = env.random_actions(1, step)
        assert env.masks[rows, actions].all()
        env.step(actions)
        for row, state in enumerate(states):
            state.apply(actions[row])
            decisions[row] += 1
            play_forced(state, skip_forced)
            assert env.terminated[row] == (state.is_over and not state.is_truncated)
            assert env.truncated[row] == state.is_truncated
            if not state.is_over:
                assert env.rewards[row].tolist() == [0] * game.num_players
                continue
            assert env.rewards[row].tolist() == state.returns()
            assert env.lengths[row] == decisions[row]
            last = [state.observation(seat) for seat in range(game.num_players)]
            assert (env.final_observations[row] == last).all()
            decisions[row] = 0
            # A new game, from a seed of its own.
            states[row] = env.state(row)
            seed = int(states[row].record.seed)
            assert seed not in seeds
            seeds.add(seed)
            fresh = game.start(seed)
            play_forced(fresh, skip_forced)
            assert states[row] == fresh
    assert len(seeds) > 4


def play_forced(state: State, skip_forced: bool) -> None:
    while skip_forced and len(state.legal_actions()) == 1:
        state.apply(state.legal_actions()[0])


@pytest.mark.parametrize("skip_forced", [False, True])
def test_it_plays_the_same_games_as_states(game, skip_forced):
    check_against_states(game, skip_forced, steps=max(120, 2 * game.facts.max_decisions // 3))


@pytest.mark.parametrize("skip_forced", [False, True])
def test_three_players_and_games_that_are_cut_off(skip_forced):
    check_against_states(ToyGame(), skip_forced, steps=60)


def test_forced_decisions_are_played_and_nothing_else_differs():
    """On tails seat 1 of the toy game can only wait: seat 0 alone is asked."""
    asked, skipped = ToyGame().vector(64), ToyGame().vector(64, skip_forced=True)
    asked.reset(1)
    skipped.reset(1)
    tails = asked.observations[:, 1] == 0
    assert 5 < tails.sum() < 59
    assert (skipped.observations == asked.observations).all()
    asked.step(np.zeros(64, int))
    skipped.step(np.zeros(64, int))
    assert (asked.players == 1).all()
    assert (skipped.players == np.where(tails, 0, 1)).all()
    asked.step(np.zeros(64, int))
    assert (skipped.observations[tails] == asked.observations[tails]).all()


def test_random_rollouts_finish_as_many_games():
    game = DragonDeck("small")
    finished = play_random(game, num_envs=8, steps=100, seed=5)
    assert 8 * 100 / game.facts.max_decisions - 8 <= finished <= 800 / game.facts.min_decisions
    assert play_random(game, 8, 100, seed=5) == finished
    assert play_random(game, 8, 1, seed=5) == 0


# What it gives.


def test_shapes_and_dtypes(game):
    env = game.vector(3)
    seats, size = game.num_players, game.observation_size
    expected = {
        "observations": ((3, size), np.float32),
        "masks": ((3, game.num_actions), np.int8),
        "players": ((3,), np.int8),
        "rewards": ((3, seats), np.float32),
        "terminated": ((3,), np.bool_),
        "truncated": ((3,), np.bool_),
        "lengths": ((3,), np.int32),
        "final_observations": ((3, seats, size), np.float32),
    }
    assert set(expected) == set(GIVEN)
    for name, (shape, dtype) in expected.items():
        array = getattr(env, name)
        assert (array.shape, array.dtype) == (shape, dtype)
        env.reset(1)
        env.step(env.random_actions(1, 0))
        assert getattr(env, name) is array, "allocated once"


def test_reset_begins_everything_anew():
    env, other = DragonDeck("tiny").vector(4), DragonDeck("tiny").vector(4)
    env.reset(1)
    for step in range(23):
        env.step(env.random_actions(1, step))
    env.reset(2)
    other.reset(2)
    assert given(env, slice(None))[:-1] == given(other)[:-1]
    for step in range(23):
        env.step(env.random_actions(1, step))
        other.step(other.random_actions(1, step))
    assert given(env)[:-1] == given(other)[:-1]


def test_resets_without_a_seed_differ():
    env = DragonDeck().vector(2)
    seen = set()
    for _ in range(3):
        env.reset()
        seen.add(env.save()["states"].tobytes())
    assert len(seen) == 3


# Independence.


def test_other_rows_never_change_a_row(game):
    """Row 0 plays the same game alone, among few, and among thousands on two threads."""
    seeds = np.random.default_rng(1).integers(2**64, size=4200, dtype=np.uint64)
    seeds[0] = 12345

    def row_0(num_envs: int, num_threads: int, others: int) -> list[list[bytes]]:
        env = game.vector(num_envs, num_threads)
        env.reset_rows(np.roll(seeds, others)[:num_envs] if num_envs > 1 else seeds[:1])
        env.reset_rows(np.concatenate([seeds[:1], seeds[1 + others : num_envs + others]]))
        found = []
        for step in range(80):
            actions = env.random_actions(others, step)
            legal = np.flatnonzero(env.masks[0])
            actions[0] = legal[step % len(legal)]
            env.step(actions)
            found.append(given(env, slice(1)))
        return found

    alone = row_0(1, 1, 0)
    assert len({repr(step) for step in alone}) > 10
    assert row_0(3, 1, 0) == alone
    assert row_0(3, 1, 7) == alone
    assert row_0(4100, 2, 11) == alone


def test_the_number_of_threads_changes_nothing(game):
    one, two = game.vector(4100, num_threads=1), game.vector(4100, num_threads=2)
    assert two._slices == 2
    one.reset(9)
    two.reset(9)
    for step in range(50):
        assert given(one) == given(two)
        actions = one.random_actions(4, step)
        one.step(actions)
        two.step(actions)
    assert given(one) == given(two)
    assert play_random(game, 4100, 50, 1, num_threads=1) == play_random(game, 4100, 50, 1, 2)


def test_a_row_depends_on_the_seed_and_its_number_alone():
    few, many = DragonDeck().vector(3), DragonDeck().vector(50)
    few.reset(8)
    many.reset(8)
    assert given(few) == given(many, slice(3))


def test_rows_with_equal_seeds_begin_equal_games():
    env = DragonDeck("tiny").vector(3)
    env.reset_rows(np.array([77, 78, 77], np.uint64))
    games = []
    for step in range(60):
        games.append(env.state(0).record.seed)
        assert env.state(0) == env.state(2) != env.state(1)
        actions = env.random_actions(1, step)
        actions[2] = actions[0]
        env.step(actions)
    assert len(set(games)) > 5


# Some games only.


@pytest.mark.parametrize("num_envs", [9, 6300])
def test_games_can_be_moved_on_in_parts(game, num_envs):
    """A third of them after the other comes to the same as all at once."""
    env, other = game.vector(num_envs, 2, True), game.vector(num_envs, 1, True)
    env.reset(1)
    other.reset(1)
    rows = np.arange(num_envs)
    for step in range(8):
        actions = other.random_actions(1, step)
        other.step(actions)
        for part in range(3):
            moved, rest = rows[part::3], rows[rows % 3 != part]
            before = [getattr(env, name)[rest].tobytes() for name in GIVEN[:3]]
            told = actions.copy()
            told[rest] = -1
            env.step(told, moved)
            assert [getattr(env, name)[rest].tobytes() for name in GIVEN[:3]] == before
            assert not env.rewards[rest].any()
            assert not (env.terminated | env.truncated)[rest].any()
            for name in GIVEN[:6]:
                assert np.array_equal(getattr(env, name)[moved], getattr(other, name)[moved])
        assert everything(env)[len(GIVEN) :] == everything(other)[len(GIVEN) :]


def test_a_game_that_is_given_up_is_followed_by_its_successor():
    env, other = DragonDeck("tiny").vector(5), DragonDeck("tiny").vector(5)
    env.reset(1)
    other.reset(1)
    env.step(env.random_actions(1, 0))
    env.restart(np.array([3, 1]))
    ended = np.zeros(5, bool)
    successors = {}
    for step in range(40):
        other.step(other.random_actions(1, step))
        for row in np.flatnonzero((other.terminated | other.truncated) & ~ended).tolist():
            successors[row] = other.state(row)
            ended[row] = True
    assert ended.all()
    assert [env.state(row) == successors[row] for row in range(5)] == [False, True] * 2 + [False]
    assert (env.observations[[1, 3]] == [successors[row].observation() for row in (1, 3)]).all()
    env.reset(1)
    other.reset(1)
    assert everything(env)[:3] == everything(other)[:3]


@pytest.mark.parametrize("rows", [[0, 0], [5], [-1], [0.0], [[0]], [True], 0], ids=repr)
def test_rows_that_are_none_are_refused(rows):
    env = DragonDeck().vector(5)
    env.reset(1)
    before = everything(env)
    with pytest.raises(ValueError, match="rows are different numbers below 5"):
        env.step(env.random_actions(1, 0), rows)
    with pytest.raises(ValueError, match="rows are different numbers below 5"):
        env.restart(rows)
    assert everything(env) == before


def test_no_rows_at_all_change_nothing():
    env = DragonDeck().vector(5)
    env.reset(1)
    before = env.save()["states"].tobytes()
    env.step(env.random_actions(1, 0), np.zeros(0, int))
    env.restart(np.zeros(0, int))
    assert env.save()["states"].tobytes() == before


# Actions.


@pytest.mark.parametrize("row", [0, 4])
@pytest.mark.parametrize("action", [-1, 26, 25, 2, 10**12, -(2**63)])
def test_an_illegal_action_anywhere_changes_nothing(row, action):
    env = DragonDeck().vector(5)
    env.reset(1)
    env.step(env.random_actions(1, 0))
    before = everything(env)
    actions = env.random_actions(1, 1)
    actions[row] = action
    with pytest.raises(IllegalActionError) as caught:
        env.step(actions)
    assert str(caught.value) == (
        f"dragon_deck_v0: action {action} is illegal in game {row}, "
        f"player {env.players[row]} is to move; legal: 0 (keep), 1 (refuse)"
    )
    assert everything(env) == before


@pytest.mark.parametrize(
    "actions",
    [
        np.zeros(5, np.float32),
        np.zeros(5, bool),
        np.zeros(4, int),
        np.zeros((5, 1), int),
        np.int64(0),
        np.full(5, None),
        np.full(5, "0"),
        None,
        np.full(5, 2**64 - 1, np.uint64),
        [],
    ],
    ids=repr,
)
def test_actions_of_another_kind_are_refused(actions):
    env = DragonDeck().vector(5)
    env.reset(1)
    before = everything(env)
    with pytest.raises(IllegalActionError, match=r"actions are whole numbers \[5\]|is illegal in"):
        env.step(actions)
    assert everything(env) == before


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64, list])
def test_whole_numbers_of_any_kind_are_actions(kind):
    env, other = DragonDeck().vector(5), DragonDeck().vector(5)
    env.reset(1)
    other.reset(1)
    actions = env.random_actions(1, 0)
    env.step(actions)
    other.step(actions.tolist() if kind is list else actions.astype(kind))
    assert everything(env) == everything(other)


def test_writing_to_the_arrays_it_gives_changes_no_game():
    env, other = DragonDeck().vector(5), DragonDeck().vector(5)
    env.reset(1)
    other.reset(1)
    for step in range(60):
        actions = other.random_actions(1, step)
        other.step(actions)
        env.step(actions)
        assert given(env)[:-2] == given(other)[:-2]
        for name in GIVEN:
            getattr(env, name)[:] = 1
        with pytest.raises(IllegalActionError, match="is illegal in game 0"):
            env.step(np.full(5, int(np.flatnonzero(other.masks[0] == 0)[0])))


def test_calls_at_the_wrong_time_and_impossible_sizes():
    env = DragonDeck().vector(2)
    with pytest.raises(OrderError, match=r"call reset\(\) before step\(\)"):
        env.step(np.zeros(2, int))
    with pytest.raises(OrderError, match=r"call reset\(\) before random_actions\(\)"):
        env.random_actions(0, 0)
    with pytest.raises(OrderError, match=r"call reset\(\) before state\(\)"):
        env.state(0)
    with pytest.raises(OrderError, match=r"call reset\(\) before restart\(\)"):
        env.restart(np.zeros(1, int))
    for wrong in (0, 1.5, True, "two"):
        with pytest.raises(OptionError, match=f"num_envs is a whole number .* not {wrong!r}"):
            DragonDeck().vector(wrong)  # type: ignore[arg-type]
    for wrong in (0, -1, 1.5):
        with pytest.raises(OptionError, match=f"num_threads is None or at least 1, not {wrong}"):
            DragonDeck().vector(2, num_threads=wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"seeds are uint64 \[2\], not int64 \(2,\)"):
        env.reset_rows(np.zeros(2, np.int64))
    env.reset(seed=1)
    for row in (-1, 2):
        with pytest.raises(IndexError, match=f"there are games 0 to 1, not {row}"):
            env.state(row)


# Copies.


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_alike_and_apart(game, copied):
    env = game.vector(7, skip_forced=True)
    env.reset(1)
    for step in range(40):
        env.step(env.random_actions(1, step))
    other = copied(env)
    assert everything(other) == everything(env)
    for step in range(40):
        actions = env.random_actions(2, step)
        before = everything(other)
        env.step(actions)
        assert everything(other) == before
        other.step(actions)
        assert everything(other) == everything(env)


def test_an_environment_can_be_copied_before_its_first_reset():
    env = pickle.loads(pickle.dumps(DragonDeck().vector(2)))
    with pytest.raises(OrderError):
        env.step(np.zeros(2, int))
    env.reset(1)


def test_saved_games_go_on_alike():
    env, other = DragonDeck("tiny").vector(3), DragonDeck("tiny").vector(3)
    env.reset(1)
    for step in range(20):
        env.step(env.random_actions(1, step))
    other.load({name: array.copy() for name, array in env.save().items()})
    for step in range(20):
        assert everything(other)[:3] == everything(env)[:3]
        env.step(env.random_actions(2, step))
        other.step(other.random_actions(2, step))
        assert given(other)[:-2] == given(env)[:-2]


@pytest.mark.parametrize(
    ("game", "num_envs"), [(DragonDeck(), 3), (DragonDeck("tiny"), 2), (ToyGame(), 3)], ids=repr
)
def test_saved_games_of_another_kind_are_refused(game, num_envs):
    env, other = DragonDeck("tiny").vector(3), game.vector(num_envs)
    env.reset(1)
    other.reset(1)
    before = everything(other)
    with pytest.raises(StateFormatError):
        other.load(env.save())
    assert everything(other) == before


def test_a_state_of_a_row_is_a_copy():
    env = make("dragon_deck").vector(2)
    env.reset(1)
    before = everything(env)
    env.state(1).apply("keep")
    assert everything(env) == before
