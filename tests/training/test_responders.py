"""Responders: what they learn, whom they learn from, and that their gain is no more than the truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from duelgym.agents import make_agent
from duelgym.envs import make
from duelgym.envs.core import OptionError
from duelgym.envs.core.vector import VectorEnv
from duelgym.training.cli import main
from duelgym.training.config import load_config
from duelgym.training.exploit import RESPONDERS, summary
from duelgym.training.exploitability import exploitability
from duelgym.training.responders import respond, responders, response_config
from duelgym.training.run_folder import read_metrics
from duelgym.training.selfplay import Learner, train

LEDUC = make("leduc_poker")


@pytest.mark.parametrize("name", ["leduc_poker", "gem_duel"])
def test_a_responder_learns_from_one_seat_a_game_and_the_agent_has_the_others(name: str):
    variant = {"gem_duel": "three_players"}.get(name)
    game = make(name, variant)
    options = game.identity()["options"]
    config = load_config(name, method="ppo", options=options, num_envs=12, num_steps=32, threads=2)
    learner = Learner(config, game, make_agent("random", game))
    chosen = []

    def decide(env: VectorEnv, rows: np.ndarray, actions: np.ndarray) -> None:
        chosen.append(len(rows))
        actions[rows] = env.masks[rows].argmax(1)

    for collector in learner.collectors:
        frozen: Any = collector.frozen
        frozen.choose = None  # it is asked through decide()
        frozen.decide = decide
        collector.collect(learner.net)
    rollout = learner.rollout
    seats = np.concatenate([collector.seats for collector in learner.collectors])
    own = rollout.players == seats
    assert set(seats.tolist()) == set(range(game.num_players))
    assert not rollout.known[~own].any()
    assert rollout.known[own].mean() > 0.5
    assert sum(chosen) == (~own).sum()
    first_legal = rollout.masks.argmax(-1)
    assert (rollout.actions[~own] == first_legal[~own]).all()
    assert (rollout.actions[own] != first_legal[own]).any()


def test_a_gain_is_a_lower_bound_of_the_exact_loss():
    agent: Any = make_agent("random", LEDUC)
    found = responders(LEDUC, agent, 1, 60_000, 4000, others=["oracle"])
    agent.begin(LEDUC, np.zeros(1, np.uint64))
    truth = exploitability(LEDUC, agent)
    assert [sample.label for sample in found.samples] == ["trained 0", "oracle"]
    assert 0.5 < found.loss.mean < truth
    assert found.loss.low < found.loss.mean < found.loss.high
    assert found.decisions >= 60_000
    assert found.method == RESPONDERS
    assert "Lower bound" in summary(found)


def test_nobody_gains_on_the_oracle():
    found = responders(LEDUC, make_agent("oracle", LEDUC), 0, games=2000, others=["random"])
    assert found.loss.mean < 0
    assert "No responder gained" in summary(found)


def test_the_same_seed_gives_the_same_responder():
    agent, config = make_agent("random", LEDUC), response_config(LEDUC, 20_000, 3)
    nets = [respond(config, LEDUC, agent, lambda share: None)[0].net for _ in range(2)]
    first, second = (net.state_dict() for net in nets)
    assert all(bool((first[name] == second[name]).all()) for name in first)


def test_there_is_at_least_one_responder():
    with pytest.raises(OptionError, match="at least 1 responder"):
        responders(LEDUC, make_agent("random", LEDUC), 0)


def test_the_command_takes_responders_by_name():
    game = ["--game", "dragon_deck", "--variant", "tiny"]
    budget = ["--responders", "0", "--games", "4000", "--respond", "oracle"]
    arguments = ["exploit", "random", *game, "--method", "responders", *budget]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    assert "oracle" in done.output
    assert "Lower bound of the loss: 0." in done.output


def test_training_logs_what_it_is_asked_for(tmp_path):
    config = load_config(
        "dragon_deck",
        method="ppo",
        options={"values_per_type": 4},
        num_envs=32,
        num_steps=16,
        threads=1,
        decisions=1024,
        evaluate_games=50,
        battle_deals=2,
        responder_decisions=512,
    )
    train(config, tmp_path / "run")
    last = read_metrics(tmp_path / "run")[-1]
    assert 0 < last["exploitability"] <= 1
    assert 0 < last["battle_loss"] <= 1
    assert -1 <= last["responder_gain"] <= 1


def test_only_dragon_deck_has_battles_to_log():
    with pytest.raises(OptionError, match=r"command line: battle_deals are those of dragon_deck"):
        load_config("leduc_poker", battle_deals=1)
