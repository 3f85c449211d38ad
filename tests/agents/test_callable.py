"""Strategies of users: called by name, held to the rules, and stopped when they hang."""

from __future__ import annotations

import pickle
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from duelgym.agents import callable as outside
from duelgym.agents import make_agent, register_agent
from duelgym.agents.callable import StrategyAgent, StrategyError, WatchedAgent, load_strategy
from duelgym.envs import make
from duelgym.envs.core import Game, IllegalActionError, OptionError
from duelgym.training.evaluation import evaluate
from support import strategies

FILE = Path(strategies.__file__)


@pytest.fixture(scope="module")
def tiny() -> Game:
    return make("dragon_deck", "tiny")


def test_a_strategy_sees_names_and_answers_with_one(tiny):
    asked = []

    def strategy(observation, legal):
        asked.append((observation, legal))
        return "keep"

    state = tiny.start(seed=1)
    agent = StrategyAgent(strategy)
    agent.start(tiny, 0)
    action = agent.act({"observation": state.observation(), "action_mask": state.legal_mask()})
    assert tiny.action_name(action) == "keep"
    assert asked == [(tiny.describe(state.observation()), ["keep", "refuse"])]
    assert agent.name == "strategy"


def test_names_are_as_the_mover_sees_the_table():
    game = make("gem_duel", "three_players")
    heard = []

    def strategy(observation, legal):
        heard.append(legal)
        return legal[0]

    state = game.start(seed=1)
    while state.player == 0:
        state.apply(state.legal_actions()[0])
    agent = StrategyAgent(strategy)
    agent.start(game, 0)
    action = agent.act({"observation": state.observation(), "action_mask": state.legal_mask()})
    assert action == state.legal_actions()[0]
    assert heard == [[game.action_name(legal, 0) for legal in state.legal_actions()]]


@pytest.mark.parametrize("source", [f"{FILE}:at_random", "support.strategies:at_random"])
def test_named_by_file_or_module(source, tiny):
    agent = make_agent(source, tiny)
    other = pickle.loads(pickle.dumps(agent))
    assert agent.name == other.name == source
    alone = evaluate(tiny, [agent, make_agent("random", tiny)], 100, seed=1)
    assert evaluate(tiny, [other, make_agent("random", tiny)], 100, seed=1) == alone
    assert evaluate(tiny, [agent, make_agent("random", tiny)], 100, batch_size=8, seed=1) == alone
    assert evaluate(tiny, [agent, make_agent("random", tiny)], 100, seed=2) != alone


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("missing.py:first", "there is no file 'missing.py'"),
        (f"{FILE}:fist", "no function 'fist'; did you mean 'first'?"),
        (f"{FILE}:NOT_A_FUNCTION", "no function 'NOT_A_FUNCTION'"),
        (f"{FILE}:takes_one", "takes the observation, the legal moves"),
        ("no_such_module:first", "cannot load no_such_module: ModuleNotFoundError"),
    ],
)
def test_what_cannot_be_loaded(source, said, tiny):
    with pytest.raises(OptionError) as error:
        make_agent(source, tiny)
    assert said in str(error.value)


def test_a_file_with_a_mistake(tmp_path):
    (tmp_path / "bot.py").write_text("import nothing_of_the_kind\n")
    with pytest.raises(OptionError, match=r"cannot load .*bot\.py: ModuleNotFoundError"):
        load_strategy(f"{tmp_path / 'bot.py'}:first")


def test_registered_agents_have_a_name(tiny, monkeypatch):
    monkeypatch.setattr("duelgym.agents._registered", {})
    register_agent("lazy", lambda game: StrategyAgent(strategies.first), games=["dragon_deck"])
    assert isinstance(make_agent("lazy", tiny), StrategyAgent)
    with pytest.raises(OptionError, match="no agent"):
        make_agent("lazy", make("leduc_poker"))
    with pytest.raises(OptionError, match="did you mean 'lazy'"):
        make_agent("lzay", tiny)
    with pytest.raises(OptionError, match="'matrix' already"):
        register_agent("matrix", lambda game: StrategyAgent(strategies.first))


def ask(agent, game, rows=1) -> list[int]:
    env = game.vector(rows)
    env.reset(0)
    actions = np.full(rows, -1)
    agent.begin(game, np.arange(rows, dtype=np.uint64))
    agent.decide(env, np.arange(rows), actions)
    return actions.tolist()


def test_illegal_moves_are_told(tiny):
    with pytest.raises(IllegalActionError, match="'jump', which is not legal here; legal: keep"):
        ask(StrategyAgent(lambda observation, legal: "jump"), tiny)


def test_watched_agents_play_the_same(tiny):
    agent = load_strategy("support.strategies:at_random")
    watched = WatchedAgent(agent, 60)
    assert ask(watched, tiny, 20) == ask(agent, tiny, 20)


def test_watched_agents_are_stopped_and_start_again(tiny):
    watched = WatchedAgent(load_strategy("support.strategies:hangs"), 0.5)
    actions = np.full(12, -1)
    env = tiny.vector(12)
    env.reset(0)
    seeds = np.arange(12, dtype=np.uint64)
    watched.begin(tiny, seeds)
    for row, seed in enumerate(seeds):
        if np.random.default_rng(seed).random() >= 0.2:
            watched.decide(env, np.array([row]), actions)
            assert env.masks[row, actions[row]]
            continue
        begin = time.monotonic()
        with pytest.raises(StrategyError, match=r"took more than 0\.5 s") as error:
            watched.decide(env, np.array([row]), actions)
        assert error.value.timed_out
        assert time.monotonic() - begin >= 0.5
    assert 0 < (actions == -1).sum() < 12


def test_watched_agents_may_even_crash(tiny):
    watched = WatchedAgent(load_strategy("support.strategies:crashes"), 60)
    with pytest.raises(StrategyError, match="ended its process") as error:
        ask(watched, tiny)
    assert not error.value.timed_out


def test_what_was_typed_in_cannot_be_watched(monkeypatch):
    def typed(observation, legal):
        return legal[0]

    with pytest.raises(OptionError, match="put it into a file"):
        WatchedAgent(StrategyAgent(typed), 1)
    typed.__qualname__, typed.__module__ = "typed", "__main__"
    monkeypatch.setattr(sys.modules["__main__"], "typed", typed, raising=False)
    monkeypatch.delattr(sys.modules["__main__"], "__file__", raising=False)
    with pytest.raises(OptionError, match="put it into a file"):
        outside.packed(StrategyAgent(typed))
