"""Nash value iteration: what it learns from is true, it learns, and a run can be gone on with."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from duelgym.agents import make_agent
from duelgym.agents.dragon_deck.battle import solve_battles
from duelgym.agents.dragon_deck.lookahead import (
    LookaheadAgent,
    hand_sizes,
    look_ahead,
    read_battles,
)
from duelgym.agents.neural import CheckpointError, ValueNet, load_agent
from duelgym.envs.core import OptionError, State
from duelgym.envs.dragon_deck import DragonDeck
from duelgym.training.cli import main
from duelgym.training.config import TrainConfig, ValueConfig, load_config
from duelgym.training.exploit import battles
from duelgym.training.nash_values import (
    backed_up_labels,
    positions,
    solved_labels,
    symmetries,
    train,
)
from duelgym.training.run_folder import TrainingError, load_run_config, read_metrics
from support.runs import untimed, weights

MEDIUM, STANDARD = DragonDeck("medium"), DragonDeck()
TINY = ValueConfig(
    game="dragon_deck",
    options={"values_per_type": 6},
    least=6,
    solved=7,
    labels=400,
    updates=30,
    minibatch_size=64,
    hidden=(16,),
    evaluate_games=4,
)


@pytest.mark.parametrize("size", [2, 4, 9, 12])
def test_positions_to_learn_from_can_occur(size: int):
    states = positions(STANDARD, size, 300, seed=1)
    played = 12 - size
    assert (hand_sizes(STANDARD, states) == size).all()
    assert ((states["place"] == 3).sum(1) == size).all()
    won = states["victory_cards"].sum(1)
    assert ((played <= won) & (won <= played + 3)).all()
    assert (states["victory_cards"] < 6).all()
    assert (states["player"] == 0).all()
    assert (states == positions(STANDARD, size, 300, seed=1)).all()
    assert (states != positions(STANDARD, size, 300, seed=2)).any()
    # No card has a better chance than another to be held.
    assert abs((states["place"] == 2).mean(0) - size / 24).max() < 0.1


def test_exact_labels_are_the_values_of_what_is_seen():
    seen, values = solved_labels(STANDARD, 4, 100, seed=3, threads=1)
    states = np.repeat(STANDARD.template, len(seen))
    read_battles(seen.astype(np.float32), states)
    for row, value in enumerate(values[:20]):
        state = State(STANDARD, states[row : row + 1])
        assert value == pytest.approx(solve_battles(state).value(state), abs=1e-5)
    assert values.std() > 0.3


def test_later_labels_are_those_of_the_battle_by_the_network():
    torch.manual_seed(0)
    net = ValueNet(STANDARD, [8])
    with ThreadPoolExecutor(2) as workers:
        seen, values = backed_up_labels(STANDARD, net, 5, 3000, 7, workers)
    states = np.repeat(STANDARD.template, len(seen))
    read_battles(seen.astype(np.float32), states)
    np.testing.assert_allclose(look_ahead(STANDARD, net, states)[0], values, atol=1e-5)


def test_every_symmetry_keeps_or_turns_round_the_value():
    seen, values = solved_labels(MEDIUM, 4, 40, seed=3, threads=1)
    observations = torch.from_numpy(seen.astype(np.float32))
    turns = symmetries(MEDIUM)
    assert len({tuple(index.tolist()) for index, _ in turns}) == 6
    for index, sign in turns:
        turned = observations[:, index].numpy()
        states = np.repeat(MEDIUM.template, len(turned))
        read_battles(turned, states)
        for row in range(len(states)):
            state = State(MEDIUM, states[row : row + 1])
            # All that is seen fits together, counts of beaten cards too.
            np.testing.assert_array_equal(state.observation(0), turned[row])
            assert solve_battles(state).value(state) == pytest.approx(sign * values[row], abs=1e-5)


@pytest.mark.slow
def test_it_learns_to_stand_up_to_an_opponent_who_knows_it(tmp_path: Path):
    settings = {"labels": 20_000, "updates": 1000, "minibatch_size": 512, "hidden": (64,)}
    config = TINY.model_copy(update=settings | {"evaluate_games": 0})
    agent = load_agent(train(config, tmp_path / "run"), exact=7)
    errors = [line["held_out_error"] for line in read_metrics(tmp_path / "run") if "cards" in line]
    assert max(errors) < 0.15
    loss = battles(MEDIUM, agent, 2).loss.mean
    assert loss < 0.1
    assert loss < 0.6 * battles(MEDIUM, make_agent("random", MEDIUM), 2).loss.mean


def test_a_run_can_be_read_back_and_played(tmp_path: Path):
    run = train(TINY, tmp_path / "run").parent
    assert load_run_config(run) == TINY
    lines = read_metrics(run)
    assert [line.get("cards") for line in lines] == [6, 7, 8, None]
    assert lines[-1]["decisions"] == 3 * 400
    assert lines[-1]["updates"] == 3 * 30
    assert 0 <= lines[-1]["score_random"] <= 1
    agent = make_agent(f"{run}:exact=6", MEDIUM)
    agent.start(MEDIUM, 0)
    state = MEDIUM.start(0)
    while not state.is_over:
        action = agent.act_in(state)
        assert action in state.legal_actions()
        state.apply(action)


def test_a_stopped_run_goes_on_with_the_same_results(tmp_path: Path):
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    train(TINY, whole)

    def stop(metrics):
        if metrics.get("cards") == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(TINY, stopped, report=stop)
    assert not (stopped / "agent.safetensors").exists()
    train(TINY, stopped, resume=True)
    assert weights(stopped) == weights(whole)
    assert untimed(stopped) == untimed(whole)
    train(TINY, stopped, resume=True)  # a finished one stays as it is
    assert weights(stopped) == weights(whole)
    assert untimed(stopped) == untimed(whole)
    other = TINY.model_copy(update={"seed": 1})
    train(other, tmp_path / "other")
    assert weights(tmp_path / "other") != weights(whole)


def test_a_checkpoint_that_cannot_play_yet_says_what_is_missing(tmp_path: Path):
    train(TINY, tmp_path / "run")
    first = min((tmp_path / "run" / "checkpoints").iterdir())
    with pytest.raises(OptionError, match="it has no network for hands of 8 cards"):
        load_agent(first)


def test_parameters_of_a_trained_agent_are_checked(tmp_path: Path):
    run = train(TINY, tmp_path / "run").parent
    for parameters, message in (
        ("exact=5", "no network for hands of 5 cards"),
        ("exact=no", "exact is a whole number of at least 1, not 'no'"),
        ("exat=7", "no parameter 'exat'; did you mean 'exact'"),
    ):
        with pytest.raises(OptionError, match=message):
            make_agent(f"{run}:{parameters}", MEDIUM)


def test_a_damaged_file_is_refused(tmp_path: Path):
    file = train(TINY, tmp_path / "run")
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match="cannot read checkpoint"):
        load_agent(file)


def test_training_that_diverges_says_so(tmp_path: Path):
    wild = TINY.model_copy(update={"learning_rate": float("1e38"), "updates": 200})
    with pytest.raises(TrainingError, match=r"diverged with hands of 6 cards.*learning_rate"):
        train(wild, tmp_path / "run")


def test_decks_that_are_not_small_are_trained_by_values():
    assert isinstance(load_config("dragon_deck"), ValueConfig)
    assert isinstance(load_config("dragon_deck", options={"values_per_type": 6}), ValueConfig)
    assert isinstance(load_config("dragon_deck", options={"values_per_type": 4}), TrainConfig)
    assert isinstance(load_config("gem_duel"), TrainConfig)
    # One battle decides, and there is nothing to value after it.
    assert isinstance(load_config("dragon_deck", options={"target": 1}), TrainConfig)
    config = load_config("dragon_deck", method="ppo")
    assert isinstance(config, TrainConfig)
    assert config.decisions == 24_000_000


def test_with_a_low_target_only_positions_that_can_occur_are_learnt(tmp_path: Path):
    config = load_config("dragon_deck", options={"target": 2})
    assert isinstance(config, ValueConfig)
    assert list(config.sizes) == [10, 11]
    game = config.make_game()
    assert isinstance(game, DragonDeck)
    assert (positions(game, 10, 50, seed=0)["victory_cards"] == 1).all()
    few = {"labels": 200, "updates": 5, "hidden": (4,), "evaluate_games": 0}
    agent = load_agent(train(config.model_copy(update=few), tmp_path / "run"))
    assert isinstance(agent, LookaheadAgent)
    assert agent.exact == 10


@pytest.mark.parametrize(
    ("game", "changes", "message"),
    [
        ("dragon_deck", {"decisions": 5}, "'decisions' for method=nash_values; .* of method=ppo"),
        ("dragon_deck", {"method": "dqn"}, "command line: unknown method 'dqn'"),
        ("gem_duel", {"method": "nash_values"}, "nash_values is for dragon_deck"),
        (
            "dragon_deck",
            {"least": 12},
            "no network .* where 2 to 11 cards are left after a battle; lower it, or set method=ppo",
        ),
        ("dragon_deck", {"updats": 1}, "did you mean 'updates'"),
    ],
)
def test_settings_that_do_not_fit_are_refused(game: str, changes: dict, message: str):
    with pytest.raises(OptionError, match=message):
        load_config(game, **changes)


def test_the_commands_train_evaluate_and_measure_it(tmp_path: Path):
    run = str(tmp_path / "a:b")  # which a table must not turn into a picture

    def command(*arguments: str) -> str:
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 0, done.output
        return done.output

    few = ("labels=400", "updates=20", "minibatch_size=64", "hidden=[16]", "evaluate_games=0")
    settings = [word for setting in few for word in ("--set", setting)]
    told = command(
        "train", "dragon_deck", "--variant", "medium", "--out", run, "--games", "4", *settings
    )
    assert "Nash value iteration on dragon_deck_v0(values_per_type=6" in told
    assert " 50%  hands of 7          400 positions" in told
    assert "100%  hands of 8          800 positions" in told
    assert "against matrix" in told
    assert (Path(run) / "learning_curve.png").stat().st_size > 1000
    table = command("evaluate", "dragon_deck", f"{run}:exact=8", "greedy", "--games", "4")
    assert f"{run}:exact=8" in table.replace("\n", "")
    assert "Mean exact loss in the battles of 1 random deal" in command(
        "exploit", f"{run}:exact=8", "--deals", "1"
    )
