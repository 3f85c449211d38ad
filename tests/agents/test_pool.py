"""A pool of opponents: who plays is drawn for each game, and stays until the next one begins."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from duelgym.agents import make_agent
from duelgym.agents.pool import OpponentPool
from duelgym.envs import make
from duelgym.envs.core import OptionError
from duelgym.envs.core.randomness import row_seeds
from support.fixed_agents import FixedAgent

GAME = make("leduc_poker")
ROWS = np.arange(4000)


def seeds(seed: int, rows: int = len(ROWS)) -> np.ndarray:
    return row_seeds(np.uint64(seed), rows)


def moves(pool: OpponentPool, rows: np.ndarray = ROWS) -> np.ndarray:
    """Which of three equally legal actions is taken in each of ``rows``: 0 is ``first``, 2 ``last``."""
    count = len(pool._seeds)
    actions = np.full(count, -1)
    observations = np.zeros((count, GAME.observation_size), np.float32)
    pool.choose(observations, np.ones((count, GAME.num_actions), np.int8), rows, actions)
    return actions[rows]


def two(latest: float = 0.0) -> OpponentPool:
    return OpponentPool([FixedAgent(), FixedAgent(last=True)], latest)


def test_every_member_is_as_likely_as_the_others():
    pool = two()
    pool.begin(GAME, seeds(1))
    for _ in range(3):
        assert abs((moves(pool) == 2).mean() - 0.5) < 0.04
        pool.begin_games(ROWS)


def test_the_newest_member_can_be_preferred():
    pool = two(latest=0.5)
    pool.begin(GAME, seeds(1))
    assert abs((moves(pool) == 2).mean() - 0.75) < 0.04


def test_a_member_plays_until_the_next_game_begins():
    pool = two()
    pool.begin(GAME, seeds(1))
    first = moves(pool)
    assert np.array_equal(moves(pool), first)
    pool.begin_games(ROWS[:2000])
    second = moves(pool)
    assert 800 < (second[:2000] != first[:2000]).sum() < 1200
    assert np.array_equal(second[2000:], first[2000:])


def test_a_new_member_plays_in_games_that_begin_later_in_all_copies():
    pool = OpponentPool([FixedAgent()])
    other = copy.copy(pool)
    for each in (pool, other):
        each.begin(GAME, seeds(1))
    pool.add(FixedAgent(last=True))
    for each in (pool, other):
        assert (moves(each) == 0).all()
        each.begin_games(ROWS)
        assert 0.4 < (moves(each) == 2).mean() < 0.6
    assert len(other.members) == 2


def test_copies_share_no_games():
    member = FixedAgent()
    pool = OpponentPool([member])
    other = copy.copy(pool)
    pool.begin(GAME, seeds(1))
    other.begin(GAME, seeds(2, 5))
    moves(pool)
    assert not hasattr(member, "asked")
    assert pool._players[0].asked.sum() == len(ROWS)  # type: ignore[attr-defined]
    assert other._players[0].asked.sum() == 0  # type: ignore[attr-defined]


def test_members_are_told_of_their_own_new_games_alone():
    pool = two()
    pool.begin(GAME, seeds(1))
    pool.begin_games(ROWS[:10])
    begun = np.sum([player.begun for player in pool._players], 0)  # type: ignore[attr-defined]
    assert (begun[:10] == 2).all()
    assert (begun[10:] == 1).all()
    assert len({player.seeds.tobytes() for player in pool._players}) == 2  # type: ignore[attr-defined]


def test_a_row_depends_on_its_own_seed_and_games_alone():
    pool, few = two(), two()
    pool.begin(GAME, seeds(1))
    few.begin(GAME, seeds(1, 3))
    pool.begin_games(ROWS[1:])
    few.begin_games(np.array([2]))
    assert moves(pool)[[0, 2]].tolist() == moves(few, np.array([0, 2])).tolist()


def test_a_pickled_pool_goes_on_alike():
    pool = OpponentPool([make_agent("random", GAME), FixedAgent(last=True)])
    pool.begin(GAME, seeds(1))
    other = pickle.loads(pickle.dumps(pool))
    for _ in range(3):
        assert np.array_equal(moves(pool), moves(other))
        pool.begin_games(ROWS)
        other.begin_games(ROWS)


def test_what_makes_no_pool_is_refused():
    with pytest.raises(OptionError, match="at least one member"):
        OpponentPool([])
    for wrong in (-0.1, 1.5):
        with pytest.raises(OptionError, match=f"from 0 to 1, not {wrong}"):
            OpponentPool([FixedAgent()], wrong)
    with pytest.raises(OptionError, match="'greedy' plays dragon_deck, not leduc_poker"):
        OpponentPool([make_agent("greedy", make("dragon_deck"))]).begin(GAME, seeds(1))
