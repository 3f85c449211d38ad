"""What holds for every compiled agent, in every variant of Dragon Deck."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from duelgym.agents import agent_names, make_agent
from duelgym.envs import make
from duelgym.envs.core import OptionError
from duelgym.envs.core.randomness import row_seeds
from duelgym.envs.dragon_deck import DragonDeck
from support import agent_moves

NAMES = ["random", "greedy", "matrix"]


def seeds(seed: int, rows: int) -> np.ndarray:
    return row_seeds(np.uint64(seed), rows)


def test_dragon_deck_has_the_random_agent_and_two_scripted_ones(dragon_deck: DragonDeck):
    assert agent_names(dragon_deck) == NAMES
    assert [make_agent(name, dragon_deck).name for name in NAMES] == NAMES


def test_an_unknown_agent_is_refused_with_the_nearest_name():
    with pytest.raises(OptionError, match=r"greedyy.*dragon_deck_v0.*greedy"):
        make_agent("greedyy", make("dragon_deck"))


@pytest.mark.parametrize("name", ["greedy", "matrix"])
def test_an_agent_of_one_game_refuses_another(name: str):
    agent = make_agent(name, make("dragon_deck"))
    with pytest.raises(OptionError, match=f"'{name}' plays dragon_deck, not leduc_poker"):
        agent.begin(make("leduc_poker"), seeds(1, 2))


@pytest.mark.parametrize("name", NAMES)
def test_every_move_is_legal(dragon_deck: DragonDeck, name: str):
    # ``VectorEnv.step`` refuses an illegal one.
    made = agent_moves.moves(
        make_agent(name, dragon_deck), dragon_deck, seeds(1, 300), seeds(2, 300), 60
    )
    assert made.shape == (60, 300)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seeds_give_the_same_play_and_others_do_not(dragon_deck: DragonDeck, name: str):
    agent = make_agent(name, dragon_deck)
    first = agent_moves.moves(agent, dragon_deck, seeds(1, 50), seeds(2, 50), 60)
    again = agent_moves.moves(agent, dragon_deck, seeds(1, 50), seeds(2, 50), 60)
    other = agent_moves.moves(agent, dragon_deck, seeds(1, 50), seeds(3, 50), 60)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("name", NAMES)
def test_other_rows_never_change_what_happens_in_a_row(dragon_deck: DragonDeck, name: str):
    agent = make_agent(name, dragon_deck)
    chance, own = seeds(1, 20), seeds(2, 20)
    among_others = agent_moves.moves(agent, dragon_deck, chance, own, 60)[:, 7]
    chance[np.arange(20) != 7], own[np.arange(20) != 7] = 5, 6
    among_different = agent_moves.moves(agent, dragon_deck, chance, own, 60)[:, 7]
    alone = agent_moves.moves(agent, dragon_deck, chance[7:8], own[7:8], 60)[:, 0]
    assert np.array_equal(among_others, among_different)
    assert np.array_equal(among_others, alone)


@pytest.mark.parametrize("name", NAMES)
def test_only_the_rows_asked_for_are_answered(name: str):
    game = make("dragon_deck", "small")
    env = game.vector(5)
    env.reset(seed=1)
    agent = make_agent(name, game)
    agent.begin(game, seeds(2, 5))
    actions = np.full(5, -7)
    agent.choose(env.observations, env.masks, np.array([1, 3]), actions)
    assert (actions[[0, 2, 4]] == -7).all()
    assert (actions[[1, 3]] >= 0).all()


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_plays_the_aec_environment(dragon_deck: DragonDeck, name: str):
    env = dragon_deck.env()
    env.reset(seed=4)
    agent = make_agent(name, dragon_deck)
    agent.start(dragon_deck, seed=5)
    decisions = 0
    for _ in env.agent_iter():
        observation, _, terminated, _, _ = env.last()
        assert observation is not None
        decisions += not terminated
        env.step(None if terminated else agent.act(observation))
    assert decisions >= dragon_deck.facts.min_decisions


def test_compiled_and_plain_python_agree(run_python: Callable[..., str]):
    plain = run_python(str(Path(agent_moves.__file__)), "2", NUMBA_DISABLE_JIT="1")
    assert plain.splitlines() == agent_moves.all_moves(2)
