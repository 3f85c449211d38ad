"""What holds for every compiled agent, in every variant of every game that it plays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from duelgym.agents import agent_names, make_agent
from duelgym.envs import make
from duelgym.envs.core import Game, OptionError, OrderError
from duelgym.envs.core.randomness import row_seeds
from support import agent_moves
from support.cases import VARIANTS, case

PLAYERS = [
    (name, variant, agent)
    for name, variant in VARIANTS
    for agent in agent_names(make(name, variant))
]
SCRIPTED = sorted({(name, agent) for name, _, agent in PLAYERS if agent != "random"})


@pytest.fixture(params=[case(*each) for each in PLAYERS])
def player(request: pytest.FixtureRequest) -> tuple[Game, str]:
    """Every game in every variant, with the name of each agent that plays it."""
    name, variant, agent = request.param
    return make(name, variant), agent


def seeds(seed: int, rows: int) -> np.ndarray:
    return row_seeds(np.uint64(seed), rows)


def test_agents_have_the_names_that_they_are_made_by(player: tuple[Game, str]):
    game, name = player
    assert make_agent(name, game).name == name


@pytest.mark.parametrize(
    ("game", "scripted"),
    [
        ("dragon_deck", ["greedy", "matrix"]),
        ("gem_duel", ["bold", "reasoner", "schemer"]),
        ("leduc_poker", []),
    ],
)
def test_every_game_has_the_random_agent_and_its_scripted_ones(game: str, scripted: list[str]):
    assert agent_names(make(game)) == ["random", *scripted]


def test_an_unknown_agent_is_refused_with_the_nearest_name():
    with pytest.raises(OptionError, match=r"greedyy.*dragon_deck_v0.*greedy"):
        make_agent("greedyy", make("dragon_deck"))


@pytest.mark.parametrize(("played", "name"), SCRIPTED)
def test_an_agent_of_one_game_refuses_another(played: str, name: str):
    agent = make_agent(name, make(played))
    with pytest.raises(OptionError, match=f"'{name}' plays {played}, not leduc_poker"):
        agent.begin(make("leduc_poker"), seeds(1, 2))


def test_every_move_is_legal(player: tuple[Game, str]):
    game, name = player
    # ``VectorEnv.step`` refuses an illegal one.
    made = agent_moves.moves(make_agent(name, game), game, seeds(1, 300), seeds(2, 300), 60)
    assert made.shape == (60, 300)


def test_the_same_seeds_give_the_same_play_and_others_other_play(player: tuple[Game, str]):
    game, name = player
    agent = make_agent(name, game)
    first = agent_moves.moves(agent, game, seeds(1, 50), seeds(2, 50), 60)
    again = agent_moves.moves(agent, game, seeds(1, 50), seeds(2, 50), 60)
    other = agent_moves.moves(agent, game, seeds(3, 50), seeds(4, 50), 60)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("name", ["random", "greedy", "matrix"])
def test_ties_and_mixtures_are_drawn_from_the_agents_own_seeds(name: str):
    game = make("dragon_deck")
    agent = make_agent(name, game)
    one = agent_moves.moves(agent, game, seeds(1, 50), seeds(2, 50), 60)
    assert not np.array_equal(one, agent_moves.moves(agent, game, seeds(1, 50), seeds(3, 50), 60))


def test_other_rows_never_change_what_happens_in_a_row(player: tuple[Game, str]):
    game, name = player
    agent = make_agent(name, game)
    chance, own = seeds(1, 20), seeds(2, 20)
    among_others = agent_moves.moves(agent, game, chance, own, 60)[:, 7]
    chance[np.arange(20) != 7], own[np.arange(20) != 7] = 5, 6
    among_different = agent_moves.moves(agent, game, chance, own, 60)[:, 7]
    alone = agent_moves.moves(agent, game, chance[7:8], own[7:8], 60)[:, 0]
    assert np.array_equal(among_others, among_different)
    assert np.array_equal(among_others, alone)


def test_only_the_rows_asked_for_are_answered(player: tuple[Game, str]):
    game, name = player
    env = game.vector(5)
    env.reset(seed=1)
    agent = make_agent(name, game)
    agent.begin(game, seeds(2, 5))
    actions = np.full(5, -7)
    agent.choose(env.observations, env.masks, np.array([1, 3]), actions)
    assert (actions[[0, 2, 4]] == -7).all()
    assert (actions[[1, 3]] >= 0).all()


def test_an_agent_plays_the_aec_environment(player: tuple[Game, str]):
    game, name = player
    env = game.env()
    env.reset(seed=4)
    agent = make_agent(name, game)
    agent.start(game, seed=5)
    decisions = 0
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        assert observation is not None
        over = terminated or truncated
        decisions += not over
        env.step(None if over else agent.act(observation))
    assert decisions >= game.facts.min_decisions


def test_what_is_no_decision_of_its_game_is_refused():
    game = make("dragon_deck")
    agent = make_agent("greedy", game)
    env = game.env()
    env.reset(seed=1)
    other = make("dragon_deck", "small").env()
    other.reset(seed=1)
    due, foreign, waiting = env.last()[0], other.last()[0], env.observe("player_1")
    assert due is not None
    assert foreign is not None
    assert waiting is not None
    with pytest.raises(OrderError, match=r"call start\(\) before act\(\)"):
        agent.act(due)
    agent.start(game, seed=1)
    with pytest.raises(OptionError, match=r"\[192\] and masks \[26\], not \[98\] and \[14\]"):
        agent.act(foreign)
    with pytest.raises(OptionError, match="a dictionary with 'observation' and 'action_mask'"):
        agent.act(due["observation"])  # type: ignore[arg-type]
    with pytest.raises(OrderError, match="not its move"):
        agent.act(waiting)
    with pytest.raises(OptionError, match="made for a game"):
        make_agent("greedy", "dragon_deck")  # type: ignore[arg-type]


def test_compiled_and_plain_python_agree(run_python: Callable[..., str]):
    plain = run_python(str(Path(agent_moves.__file__)), "2", NUMBA_DISABLE_JIT="1")
    assert plain.splitlines() == agent_moves.all_moves(2)
