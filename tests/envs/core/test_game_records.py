"""Records of finished games: every interface writes the same ones, and plays them again exactly."""

from __future__ import annotations

import dataclasses
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from duelgym.envs import make
from duelgym.envs.core import Game, OrderError, State
from duelgym.envs.core.game_records import (
    GameRecord,
    RecordError,
    VectorRecorder,
    append,
    dump,
    moves_of,
    read,
    record_moves,
    replay,
    vector_at_start,
)
from duelgym.envs.dragon_deck import DragonDeck
from support.toy_game import ToyGame


def played(game: Game, seed: int, explicit_chance: bool = False) -> State:
    """A random game to its end."""
    choose = np.random.default_rng(seed)
    state = game.start(seed, explicit_chance)
    while not state.is_over:
        if state.is_chance:
            state.apply(state.sample_chance())
        else:
            state.apply(int(choose.choice(state.legal_actions())))
    return state


@pytest.fixture(scope="module")
def record() -> GameRecord:
    return played(DragonDeck("small"), 1).game_record(["me", None])


# One game through every interface.


def test_a_record_is_the_whole_game_and_plays_again_byte_for_byte(game):
    state = played(game, seed=11)
    record = state.game_record(["first", *[None] * (game.num_players - 1)])
    line = record.line()
    again = GameRecord.from_line(line)
    assert again == record
    assert again.line() == line
    assert make(again.game, **again.options) == game
    end = replay(again, game)
    assert end == state
    assert end.history() == state.history()
    assert end.game_record(again.agents).line() == line
    assert again.seed == 11
    assert again.returns == tuple(state.returns())
    assert "\n" not in line


def test_a_record_replays_in_the_aec_environment_which_writes_the_same(game):
    state = played(game, seed=12)
    record = state.game_record()
    env = game.env()
    env.reset(seed=5, options={"game_seed": record.seed})
    for action in moves_of(record, game):
        env.step(action)
    assert env.state().tobytes() == state.record.tobytes()
    assert env.game_record().line() == record.line()


def test_a_record_of_the_aec_environment_replays(game):
    choose = np.random.default_rng(1)
    env = game.env()
    for seed in (7, None):
        env.reset(seed=seed)
        while not env.snapshot().is_over:
            legal = np.flatnonzero(env.infos[env.agent_selection]["action_mask"])
            env.step(int(choose.choice(legal)))
        record = pickle.loads(pickle.dumps(env)).game_record()
        assert replay(record, game).record.tobytes() == env.state().tobytes()


def test_records_replay_in_the_vector_environment(game):
    states = [played(game, seed) for seed in (1, 2, 3)]
    records = [state.game_record() for state in states]
    env = vector_at_start(game, records)
    moves = [moves_of(record, game) for record in records]
    written = VectorRecorder(env)
    found: dict[int, GameRecord] = {}
    for step in range(max(map(len, moves))):
        running = np.array([step < len(each) for each in moves])
        actions = env.masks.argmax(1)
        for row in np.flatnonzero(running):
            actions[row] = moves[row][step]
        before = [env.state(row) for row in range(3)]
        found |= written.step(actions, running)
        for row in np.flatnonzero(env.terminated | env.truncated):
            if running[row]:
                before[row].apply(int(actions[row]))
                assert before[row].record.tobytes() == states[row].record.tobytes()
    assert [found[row].line() for row in range(3)] == [record.line() for record in records]


@pytest.mark.parametrize("skip_forced", [False, True])
def test_games_of_the_vector_environment_are_recorded(game, skip_forced):
    """Those of later episodes of a row too, and with the forced moves that were not asked for."""
    env = game.vector(8, skip_forced=skip_forced)
    env.reset(3)
    recorder = VectorRecorder(
        env, [[f"{row}.{s}" for s in range(game.num_players)] for row in range(8)]
    )
    games = 0
    for step in range(2 * game.facts.max_decisions):
        for row, record in recorder.step(env.random_actions(1, step)).items():
            games += 1
            end = replay(record, game)
            assert record.returns == tuple(env.rewards[row].tolist())
            assert record.truncated == env.truncated[row]
            assert record.agents[0] == f"{row}.0"
            last = env.final_observations[row, 0]
            assert end.observation(0).tobytes() == last.tobytes()
            assert len(record.actions) >= env.lengths[row]
        if games > 12:
            break
    assert games > 12


def test_games_that_are_cut_off_are_recorded_as_such():
    game = make("delights_and_dragons", max_turns=4)
    state = next(s for s in (played(game, seed) for seed in range(50)) if s.is_truncated)
    record = state.game_record()
    assert record.truncated
    assert record.options == {"max_turns": 4}
    assert replay(record, game) == state


# What has no record.


def test_only_finished_games_have_one():
    state = DragonDeck("tiny").start(1)
    with pytest.raises(OrderError, match="finished"):
        state.game_record()
    env = DragonDeck("tiny").env()
    with pytest.raises(OrderError, match="reset"):
        env.game_record()
    env.reset(seed=0)
    with pytest.raises(OrderError, match="finished"):
        env.game_record()
    with pytest.raises(OrderError, match="over before"):
        record_moves(state.game, 1, [*moves_of(played(state.game, 1).game_record(), state.game), 0])


def test_chance_that_followed_the_seed_may_have_been_played_by_hand():
    game = DragonDeck("tiny")
    by_hand = played(game, 3, explicit_chance=True)
    assert by_hand.game_record().line() == played(game, 3).game_record().line()


def test_games_with_chosen_chance_or_without_a_beginning_are_refused():
    game = DragonDeck("tiny")
    state = game.start(3, explicit_chance=True)
    while not state.is_over:
        state.apply(state.legal_actions()[-1])
    redrawn = game.start(3).resample(0, 9)
    while not redrawn.is_over:
        redrawn.apply(redrawn.legal_actions()[0])
    env = game.env()
    env.reset(seed=0)
    env.step(int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])[0]))
    halfway = env.snapshot()
    while not halfway.is_over:
        halfway.apply(halfway.legal_actions()[0])
    for refused in (state, redrawn, halfway):
        with pytest.raises(RecordError, match="does not follow from its seed"):
            refused.game_record()


def test_games_are_recorded_from_their_start_only():
    env = ToyGame().vector(4)
    with pytest.raises(OrderError, match="reset"):
        VectorRecorder(env)
    env.reset(0)
    env.step(np.zeros(4, np.int64))
    with pytest.raises(OrderError, match="from their start"):
        VectorRecorder(env)


# Records that are wrong.


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": -1}, "seed has to be a whole number below 2**64, not -1"),
        ({"seed": True}, "seed has to be"),
        ({"actions": "keep"}, "actions has to be a list of names, not 'keep'"),
        ({"agents": ["me"]}, "as many as there are seats"),
        ({"returns": [None, 1]}, "returns has to be a list of numbers"),
        ({"truncated": 0}, "truncated has to be true or false"),
        ({"more": 1}, "a record is an object of game, options, seed"),
    ],
)
def test_what_is_no_record(record, change, said):
    with pytest.raises(RecordError) as caught:
        GameRecord.from_line(json.dumps({**json.loads(record.line()), **change}))
    assert said in str(caught.value)


def test_records_that_the_rules_do_not_bear_out(record):
    game = DragonDeck("small")

    def refused(**change) -> str:
        with pytest.raises(RecordError) as caught:
            replay(dataclasses.replace(record, **change), game)
        return str(caught.value)

    first, *others = record.actions
    assert "decision 1: dragon_deck_v0" in refused(actions=("fire 7", *others))
    assert "over after" in refused(actions=(*record.actions, first))
    assert "not over after" in refused(actions=record.actions[:-1])
    assert "not as told with [0.0, 0.0]" in refused(returns=(0.0, 0.0))
    assert "cut off" in refused(truncated=True)
    assert "of dragon_deck_v9" in refused(game="dragon_deck_v9")
    assert "{'target': 1}" in refused(options={"target": 1})


# Files.


def test_records_are_added_as_whole_lines(tmp_path: Path, record):
    path = tmp_path / "games.jsonl"
    append(path, [record])
    append(path, [record, record])
    assert path.read_bytes() == dump([record] * 3)
    assert read(path).records == (record,) * 3
    assert not read(path).torn


@pytest.mark.parametrize("left", [1, 20, -1])
def test_a_last_line_that_a_kill_has_cut_short_is_left_out_and_then_replaced(
    tmp_path: Path, record, left
):
    path = tmp_path / "games.jsonl"
    path.write_bytes(dump([record]) + record.line().encode()[:left])
    assert read(path).records == (record,)
    assert read(path).torn
    append(path, [record])
    assert path.read_bytes() == dump([record] * 2)


def test_a_last_line_without_its_end_is_complete(tmp_path: Path, record):
    path = tmp_path / "games.jsonl"
    path.write_bytes(dump([record] * 2)[:-1])
    assert (read(path).records, read(path).torn) == ((record,) * 2, False)
    append(path, [record])
    assert path.read_bytes() == dump([record] * 3)


def test_a_bad_line_is_named(tmp_path: Path, record):
    path = tmp_path / "games.jsonl"
    for bad in (b"{]", b"", b"17", b"\xff"):
        path.write_bytes(dump([record]) + bad + b"\n" + dump([record]))
        with pytest.raises(RecordError, match=r"games\.jsonl, line 2: "):
            read(path)
