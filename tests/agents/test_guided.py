"""Search that a network guides: honest, reproducible, and better than the network alone."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from duelgym.agents import make_agent
from duelgym.agents.neural import NeuralAgent, PolicyValueNet, load_agent, save_tensors
from duelgym.agents.search import guided
from duelgym.agents.search.guided import GuidedAgent
from duelgym.envs import make
from duelgym.envs.core import Game, OptionError, State
from duelgym.envs.core.randomness import row_seeds
from duelgym.training.cli import main
from support.cases import VARIANTS, case
from support.leduc import LEDUC
from support.playing import decided, positions, seeds
from support.secrets_game import SecretsGame
from support.secrets_rules import HEADS, PLAN, SAFE, TAILS

TO_THE_END = 10**6


def untrained(game: Game) -> PolicyValueNet:
    """A small network that has learnt nothing: its policy is about uniform."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        return PolicyValueNet(game, [16])


def believing(game: Game, policy: dict[int, float], value: float) -> PolicyValueNet:
    """A network that sees nothing: some actions are likelier by these powers of e, all is worth the same."""
    net = untrained(game)
    with torch.no_grad():
        for head in (net.policy, net.value):
            head.weight.zero_()
            head.bias.fill_(0)
        net.value.bias.fill_(value)
        for action, power in policy.items():
            net.policy.bias[action] = power
    return net


def guided_in(state: State, net: PolicyValueNet, **parameters: float) -> int:
    """What a guided agent does in a position."""
    agent = GuidedAgent(net, state.game, "run", **parameters)
    agent.start(state.game, 1)
    return agent.act_in(state)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of an untrained agent of Leduc poker."""
    path = tmp_path_factory.mktemp("runs") / "mine"
    net = {f"net.{name}": tensor for name, tensor in untrained(LEDUC).state_dict().items()}
    facts = {
        "identity": LEDUC.identity(),
        "hidden": [16],
        "decisions": 0,
        "updates": 0,
        "config": {"seed": 0},
    }
    save_tensors(path / "agent.safetensors", net, facts)
    return path


# In every game.


@pytest.fixture(params=[case(*each) for each in VARIANTS])
def game(request: pytest.FixtureRequest) -> Game:
    return make(*request.param)


def test_what_a_seat_cannot_see_does_not_change_its_move(game: Game):
    agent = GuidedAgent(untrained(game), game, "run", worlds=4, depth=2)
    worlds_differed = moves_differed = False
    for state in islice(positions(game, games=60), 0, 80, 4):
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


def test_whole_games_are_played(game: Game):
    env = game.vector(6)
    env.reset(seed=1)
    agent = GuidedAgent(untrained(game), game, "run", worlds=2, depth=1)
    agent.begin(game, seeds(2, 6))
    ended = np.zeros(6, bool)
    actions = np.zeros(6, np.int64)
    while not ended.all():
        agent.decide(env, np.arange(6), actions)
        env.step(actions)
        ended |= env.terminated | env.truncated


# The same seed, the same moves.


def test_threads_and_other_rows_do_not_change_what_happens_in_a_row(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(guided, "CHUNK", 200)
    game = make("dragon_deck")
    agent = GuidedAgent(untrained(game), game, "run", worlds=8, depth=2)
    one = decided(agent, game, 7, threads=1)
    assert (one >= 0).all()
    assert np.array_equal(one, decided(agent, game, 7, threads=2))
    assert np.array_equal(one, decided(agent, game, 7, threads=5))
    assert np.array_equal(one[:, :4], decided(agent, game, 4, threads=1))


def test_a_single_game_is_a_row_of_its_own():
    env = LEDUC.vector(4)
    env.reset(seed=1)
    agent = GuidedAgent(untrained(LEDUC), LEDUC, "run", worlds=4)
    agent.begin(LEDUC, row_seeds(np.uint64(9), 1).repeat(4))
    actions = np.full(4, -7)
    agent.decide(env, np.array([1, 3]), actions)
    assert (actions[[0, 2]] == -7).all()
    for row in (1, 3):
        agent.start(LEDUC, 9)
        assert agent.act_in(env.state(row)) == actions[row]


def test_each_decision_has_luck_of_its_own_and_the_game_stays_as_it_was():
    state = make("dragon_deck").start(1)
    before = state.record.tobytes()
    agent = GuidedAgent(untrained(state.game), state.game, "run", worlds=2, temperature=0)
    agent.start(state.game, 1)
    assert len({agent.act_in(state) for _ in range(40)}) > 1
    assert state.record.tobytes() == before


# Right moves.


def test_it_beats_the_policy_that_guides_it(win_rate: Callable[..., tuple[float, float]]):
    game = make("dragon_deck", "small")
    net = untrained(game)
    first = GuidedAgent(net, game, "run", worlds=16, depth=TO_THE_END)
    assert win_rate(game, first, NeuralAgent(net, game), pairs=400, seed=1)[0] > 0.5


def test_the_value_counts_at_its_own_decision_after_so_many():
    """After planning seat 0 decides again: it is what the network says there, or what follows."""
    state = SecretsGame("long").start(1)
    for value, best in ((0.9, True), (-0.9, False)):
        net = believing(state.game, {}, value)
        made = guided_in(state, net, worlds=64, depth=1, temperature=0)
        assert (made == PLAN) == best
    # What it plans is then done at random, three times in four for the worse.
    net = believing(state.game, {}, 0.9)
    assert guided_in(state, net, worlds=64, depth=2, temperature=0) != PLAN


def test_the_temperature_weighs_what_is_found_against_the_policy():
    state = SecretsGame("long").start(1)
    net = believing(state.game, {SAFE: 3}, 0.9)
    assert guided_in(state, net, worlds=64, depth=1, temperature=0) == PLAN
    assert guided_in(state, net, worlds=64, depth=1, temperature=0.1) == PLAN
    assert guided_in(state, net, worlds=64, depth=1, temperature=10) == SAFE


def test_a_rival_who_chose_at_the_same_time_is_taken_to_follow_the_policy():
    """The worlds themselves say nothing of what it chose, and then safe would be the best guess."""
    state = SecretsGame().start(1)
    state.apply(TAILS)
    for said in (HEADS, TAILS):
        net = believing(state.game, {said: 8}, 0)
        assert guided_in(state, net, worlds=16, temperature=0) == said


def test_a_forced_move_takes_no_search(monkeypatch: pytest.MonkeyPatch):
    game = make("dragon_deck", "tiny")
    agent = GuidedAgent(untrained(game), game, "run")
    monkeypatch.setattr(agent, "_best", None)
    agent.start(game, 1)
    moves = np.random.default_rng(1)
    state = game.start(1)
    while state.is_over or len(state.legal_actions()) > 1:
        if state.is_over:
            state = game.start(int(moves.integers(1000)))
        state.apply(moves.choice(state.legal_actions()))
    assert [agent.act_in(state)] == state.legal_actions()


# By name.


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ("world=8", "mine has no parameter 'world'; did you mean 'worlds'"),
        ("worlds=0", "mine: worlds is a whole number from 1 to 4,096, not '0'"),
        ("worlds=4097", "mine: worlds is a whole number from 1 to 4,096, not '4097'"),
        ("depth=end", "mine: depth is a whole number of at least 1, not 'end'"),
        ("temperature=-1", "mine: temperature is a number of at least 0, not '-1'"),
        ("worlds=1,worlds=2", "worlds is given twice"),
    ],
)
def test_wrong_parameters_are_refused(run: Path, parameters: str, told: str):
    with pytest.raises(OptionError, match=told):
        make_agent(f"{run}:{parameters}", LEDUC)


def test_only_parameters_make_a_run_search(run: Path):
    assert isinstance(load_agent(run), NeuralAgent)
    agent = make_agent(f"{run}:worlds=4", LEDUC)
    assert isinstance(agent, GuidedAgent)
    assert (agent.name, agent.worlds) == ("mine:worlds=4", 4)


def test_it_plays_what_the_network_was_trained_on_from_positions(run: Path):
    with pytest.raises(OptionError, match=r"was trained on leduc_poker_v0, not dragon_deck_v0"):
        make_agent(f"{run}:worlds=4", make("dragon_deck"))
    agent = make_agent(f"{run}:worlds=4", LEDUC)
    state = LEDUC.start(1)
    agent.start(LEDUC, 1)
    with pytest.raises(OptionError, match=r"takes a state .*act_in\(state\)"):
        agent.act({"observation": state.observation(), "action_mask": state.legal_mask()})


def test_evaluations_and_tournaments_take_it(run: Path):
    def command(*arguments: str) -> str:
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 0, done.output
        return done.output

    name = f"{run}:worlds=2,depth=1"
    table = command("evaluate", "leduc_poker", name, str(run), "--games", "4")
    assert name in table.replace("\n", "")
    report = command("tournament", "leduc_poker", name, str(run), "random", "--blocks", "2")
    assert "worlds=2" in report
