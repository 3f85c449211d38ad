"""Agents that search: honest, reproducible, and right where the right move is known."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
import pytest
from duelgym.agents import make_agent, search_names
from duelgym.agents.search import ismcts
from duelgym.agents.search.agent import SearchAgent
from duelgym.envs import make
from duelgym.envs.core import DuelgymError, Game, OptionError, OrderError, State
from support.cases import VARIANTS, case
from support.leduc import LEDUC, play
from support.playing import decided, positions, seeds
from support.secrets_game import SecretsGame
from support.secrets_rules import HEADS, PLAN, SAFE, TAILS

KINDS = search_names()
DEEP = {"flat_mc": "", "ismcts": ",threshold=2"}
"""Parameters with which a small budget is enough for all parts of a search to take part."""


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


def choices(state: State, agent: str, number: int) -> list[int]:
    """What an agent does in one position with different seeds."""
    player = make_agent(agent, state.game)
    made = []
    for seed in range(number):
        player.start(state.game, seed)
        made.append(player.act_in(state))
    return made


# Honesty.


@pytest.fixture(params=[case(*each) for each in VARIANTS])
def game(request: pytest.FixtureRequest) -> Game:
    return make(*request.param)


def test_what_a_seat_cannot_see_does_not_change_its_move(game: Game, kind: str):
    agent = make_agent(f"{kind}:iterations=30{DEEP[kind]}", game)
    worlds_differed = moves_differed = False
    for state in islice(positions(game, games=60), 0, 160, 4):
        worlds = [state, *(state.resample(state.player, seed) for seed in (1, 2))]
        worlds_differed |= len({world.record.tobytes() for world in worlds}) == 3
        made = []
        for seed in (5, 6):
            same_seed = set()
            for world in worlds:
                agent.start(game, seed)
                same_seed.add(agent.act_in(world))
            assert len(same_seed) == 1
            made += same_seed
        moves_differed |= made[0] != made[1]
    assert worlds_differed
    assert moves_differed


def test_a_search_leaves_the_game_as_it_was(kind: str):
    game = make("dragon_deck")
    env = game.vector(3)
    env.reset(seed=1)
    before = env.save()["states"].copy()
    agent = make_agent(f"{kind}:iterations=20,rollout=random", game)
    agent.begin(game, seeds(1, 3))
    agent.decide(env, np.arange(3), np.zeros(3, np.int64))
    assert np.array_equal(env.save()["states"], before)


# The same seed, the same moves.


@pytest.mark.parametrize("rollout", ["random", "greedy", "random+greedy"])
def test_threads_and_other_rows_do_not_change_what_happens_in_a_row(kind: str, rollout: str):
    game = make("dragon_deck")
    agent = make_agent(f"{kind}:iterations=50,rollout={rollout}{DEEP[kind]}", game)
    one = decided(agent, game, 7, threads=1)
    assert (one >= 0).all()
    assert np.array_equal(one, decided(agent, game, 7, threads=2))
    assert np.array_equal(one, decided(agent, game, 7, threads=5))
    assert np.array_equal(one[:, :4], decided(agent, game, 4, threads=1))


def test_two_rollout_agents_take_turns(kind: str):
    game = make("dragon_deck")

    def by(rollout: str) -> list[int]:
        agent = make_agent(f"{kind}:iterations=50,rollout={rollout}", game)
        return decided(agent, game, 40, threads=1, moves=3).ravel().tolist()

    assert by("greedy+greedy") == by("greedy")
    assert len({tuple(by(rollout)) for rollout in ("random", "greedy", "random+greedy")}) == 3


def test_a_single_game_is_a_row_of_its_own(kind: str):
    game = make("dragon_deck", "small")
    agent = make_agent(f"{kind}:iterations=50,rollout=random", game)
    env = game.vector(4)
    env.reset(seed=1)
    agent.begin(game, seeds(9, 1).repeat(4))
    actions = np.zeros(4, np.int64)
    agent.decide(env, np.arange(4), actions)
    for row in range(4):
        agent.start(game, 9)
        assert agent.act_in(env.state(row)) == actions[row]


def test_only_the_rows_asked_for_are_answered(kind: str):
    game = make("dragon_deck", "tiny")
    env = game.vector(5)
    env.reset(seed=1)
    agent = make_agent(f"{kind}:iterations=10,rollout=random", game)
    agent.begin(game, seeds(2, 5))
    actions = np.full(5, -7)
    agent.decide(env, np.array([1, 3]), actions)
    assert (actions[[0, 2, 4]] == -7).all()
    assert (actions[[1, 3]] >= 0).all()


def test_each_seed_and_each_decision_has_luck_of_its_own(kind: str):
    state = make("dragon_deck").start(1)
    assert len(set(choices(state, f"{kind}:iterations=4,rollout=random", 40))) > 1
    agent = make_agent(f"{kind}:iterations=4,rollout=random", state.game)
    agent.start(state.game, 1)
    assert len({agent.act_in(state) for _ in range(40)}) > 1


# Right moves.


def value(state: State, seat: int) -> float:
    """The exact mean return of ``seat`` when all play uniformly at random."""
    if state.is_over:
        return state.returns()[seat]
    if state.is_chance:
        branches = state.chance_outcomes()
    else:
        legal = state.legal_actions()
        branches = [(action, 1 / len(legal)) for action in legal]
    total = 0.0
    for action, probability in branches:
        after = state.clone()
        after.apply(action)
        total += probability * value(after, seat)
    return total


def worlds_of_leduc(*moves: str) -> list[State]:
    """The same moves with every card that the rival may hold; the first two moves are the deals."""
    cards = {LEDUC.chance_name(card) for card in range(6)}
    mover = play(*moves).player
    hidden = cards - (set(moves) - {moves[1 - mover]})
    return [
        play(*(card if place == 1 - mover else move for place, move in enumerate(moves)))
        for card in sorted(hidden)
    ]


def values_in_leduc(*moves: str) -> dict[int, float]:
    """The exact value of each action against uniform play, over all cards of the rival."""
    worlds = worlds_of_leduc(*moves)
    mean = {}
    for action in worlds[0].legal_actions():
        total = 0.0
        for world in worlds:
            after = world.clone()
            after.apply(action)
            total += value(after, world.player)
        mean[action] = total / len(worlds)
    return mean


def leduc_cards() -> list[str]:
    return [LEDUC.chance_name(card) for card in range(6)]


@pytest.mark.parametrize("moves", [(), ("raise",), ("call", "raise", "call", 0, "call")])
def test_flat_mc_converges_to_the_value_of_uniform_play(moves: tuple[Any, ...]):
    cards = leduc_cards()
    line = [cards[2], cards[5], *(cards[move] if move == 0 else move for move in moves)]
    exact = values_in_leduc(*line)
    agent = make_agent("flat_mc:iterations=60000", LEDUC)
    agent.start(LEDUC, 1)
    chosen = agent.act_in(play(*line))
    assert isinstance(agent, SearchAgent)
    _, visits, totals = agent._scratch[0]
    assert visits.sum() == 60000
    for action, mean in exact.items():
        assert totals[action] / visits[action] == pytest.approx(mean, abs=0.12)
    assert exact[chosen] == pytest.approx(max(exact.values()), abs=0.1)


def test_the_last_call_of_a_hand_is_made_by_the_odds(kind: str):
    """After the last raise it is fold or call, and nothing follows: the exact answer is known."""
    cards = leduc_cards()
    checked = set()
    for own in range(0, 6, 2):
        for public in range(0, 6, 2):
            line = [cards[own], cards[own + 1 if own + 1 != public else 5 - own]]
            if cards[public] in line:
                continue
            line += ["raise", "call", cards[public], "raise", "raise"]
            exact = values_in_leduc(*line)
            if abs(exact[0] - exact[1]) > 1:
                best = max(exact, key=lambda action: exact[action])
                assert set(choices(play(*line), f"{kind}:iterations=3000", 3)) == {best}
                checked.add(best)
    assert checked == {0, 1}


def test_ismcts_sees_its_own_next_move_where_flat_mc_does_not():
    state = SecretsGame("long").start(1)
    assert set(choices(state, "ismcts:iterations=1000,threshold=1", 5)) == {PLAN}
    assert PLAN not in choices(state, "flat_mc:iterations=1000", 5)


def test_what_a_player_does_in_secret_is_not_answered():
    """If the rival could answer heads with heads, being safe would be best."""
    made = choices(SecretsGame().start(1), "ismcts:iterations=1000", 30)
    assert SAFE not in made
    assert {HEADS, TAILS} == set(made)


def test_a_rival_is_taken_to_choose_in_secret_what_is_good_for_it():
    """Safe is the best guess against somebody who says anything, and bad against a good player."""
    state = SecretsGame().start(1)
    state.apply(TAILS)
    assert set(choices(state, "flat_mc:iterations=3000", 5)) == {SAFE}
    assert set(choices(state, "ismcts:iterations=1000,threshold=1", 20)) == {HEADS, TAILS}


@pytest.mark.parametrize(("threshold", "low", "high"), [(1, 0.0, 0.15), (10**9, 0.25, 0.42)])
def test_the_rollout_agent_decides_below_the_root_up_to_the_threshold(
    threshold: int, low: float, high: float
):
    state = SecretsGame().start(1)
    agent = make_agent(f"ismcts:iterations=1000,threshold={threshold}", state.game)
    agent.start(state.game, 1)
    assert agent.act_in(state) in (HEADS, TAILS)
    assert isinstance(agent, SearchAgent)
    said, guessed = agent._scratch[0][1].visits[:2]
    assert said.sum() == 1000
    assert low < guessed[SAFE] / guessed.sum() < high


def test_a_mixed_move_is_drawn_by_visits():
    state = SecretsGame("long").start(1)
    made = choices(state, "ismcts:iterations=200,threshold=1,final=mixed", 60)
    assert 30 < made.count(PLAN) < 60


def test_a_full_tree_goes_on_learning(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ismcts, "MAX_NODES", 3)
    state = SecretsGame("long").start(1)
    agent = make_agent("ismcts:iterations=300,threshold=1", state.game)
    agent.start(state.game, 1)
    assert agent.act_in(state) == PLAN
    assert isinstance(agent, SearchAgent)
    tree = agent._scratch[0][1]
    assert tree.size[0] == 3
    assert tree.visits[0].sum() == 300


def test_a_search_beats_random_play(kind: str, win_rate: Callable[..., tuple[float, float]]):
    game = make("dragon_deck", "small")
    first, second = (
        make_agent(f"{kind}:iterations=200,rollout=random", game),
        make_agent("random", game),
    )
    assert win_rate(game, first, second, pairs=400, seed=1)[0] > 0.5


# Budgets and parameters.


def test_a_budget_of_time_gives_a_move(kind: str):
    state = make("dragon_deck").start(1)
    agent = make_agent(f"{kind}:milliseconds=5,rollout=random", state.game)
    agent.start(state.game, 1)
    assert agent.act_in(state) in state.legal_actions()
    made = decided(agent, state.game, 3, threads=2, moves=2)
    assert (made >= 0).all()


def test_a_forced_move_takes_no_search(kind: str):
    game = make("dragon_deck", "tiny")
    agent = make_agent(f"{kind}:milliseconds=1000000000,rollout=random", game)
    agent.start(game, 1)
    moves = np.random.default_rng(1)
    state = game.start(1)
    while state.is_over or len(state.legal_actions()) > 1:
        if state.is_over:
            state = game.start(int(moves.integers(1000)))
        state.apply(moves.choice(state.legal_actions()))
    assert [agent.act_in(state)] == state.legal_actions()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("ismct", "did you mean 'ismcts'"),
        ("ismct:iterations=5", "'ismct:iterations=5' for dragon_deck_v0; did you mean 'ismcts'"),
        ("ismcts:iteration=5", "ismcts has no parameter 'iteration'; did you mean 'iterations'"),
        ("ismcts:iterations=many", "iterations is a whole number of at least 1, not 'many'"),
        ("flat_mc:iterations=0", "flat_mc: iterations is a whole number of at least 1, not '0'"),
        ("flat_mc:milliseconds=nan", "milliseconds is a number of at least 0, not 'nan'"),
        ("flat_mc:exploration=1", "flat_mc has no parameter 'exploration'"),
        ("ismcts:exploration=-1", "exploration is a number of at least 0, not '-1'"),
        ("ismcts:threshold=0", "threshold is a whole number of at least 1, not '0'"),
        ("ismcts:final=best", "final is most_visited or mixed, not 'best'"),
        ("ismcts:", "parameters are name=value with commas in between, not ''"),
        ("ismcts:iterations", "not 'iterations'"),
        ("ismcts:iterations=1,iterations=2", "iterations is given twice"),
        ("ismcts:iterations=1,milliseconds=2", "in iterations or in milliseconds, not both"),
        ("ismcts:rollout=bold", "played by one of random, greedy, matrix, or by two .* not 'bold'"),
        ("ismcts:rollout=greedy+bold", "rollouts in dragon_deck_v0 .*not 'greedy\\+bold'"),
        ("ismcts:rollout=greedy+greedy+greedy", "by two with a \\+ in between, not"),
        ("ismcts:rollout=ismcts", "not 'ismcts'"),
        ("greedy:iterations=5", "'greedy' has no parameters, so there is no 'greedy:iterations=5'"),
    ],
)
def test_wrong_parameters_are_refused(name: str, told: str):
    with pytest.raises(OptionError, match=told):
        make_agent(name, make("dragon_deck"))


def test_an_agent_is_called_by_its_parameters(kind: str):
    name = f"{kind}:iterations=5,rollout=greedy"
    assert make_agent(name, make("dragon_deck")).name == name
    assert make_agent(kind, make("dragon_deck")).name == kind


def test_what_exists_as_a_path_is_no_name(tmp_path, monkeypatch):
    (tmp_path / "ismcts:iterations=5").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DuelgymError, match="not a run folder"):
        make_agent("ismcts:iterations=5", make("dragon_deck"))


def test_a_search_takes_no_observation(kind: str):
    state = make("dragon_deck").start(1)
    agent = make_agent(f"{kind}:rollout=random", state.game)
    agent.start(state.game, 1)
    with pytest.raises(OptionError, match=rf"{kind}.* takes a state .*act_in\(state\)"):
        agent.act({"observation": state.observation(), "action_mask": state.legal_mask()})


def test_a_position_of_the_game_is_needed(kind: str):
    game = make("dragon_deck", "tiny")
    state = game.start(1)
    agent = make_agent(f"{kind}:iterations=5,rollout=random", game)
    with pytest.raises(OrderError, match=r"call start\(\) before act_in\(\)"):
        agent.act_in(state)
    agent.start(game, 1)
    with pytest.raises(OptionError, match=r"started on dragon_deck_v0.* not on leduc_poker_v0"):
        agent.act_in(LEDUC.start(1))
    with pytest.raises(OrderError, match="nobody is to move"):
        agent.act_in(game.start(1, explicit_chance=True))


def test_any_agent_decides_in_a_position():
    state = make("dragon_deck").start(1)
    agent = make_agent("greedy", state.game)
    agent.start(state.game, 1)
    seen = {"observation": state.observation(), "action_mask": state.legal_mask()}
    by_observation = agent.act(seen)
    agent.start(state.game, 1)
    assert agent.act_in(state) == by_observation
