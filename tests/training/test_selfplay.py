"""Self-play training: credit along each seat's own decisions, resuming, and that it learns."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import torch
from duelgym.agents import make_agent
from duelgym.agents.neural import CheckpointError, PolicyValueNet, load_agent
from duelgym.envs import make
from duelgym.envs.core import OptionError
from duelgym.training.config import TrainConfig, load_config
from duelgym.training.evaluation import evaluate
from duelgym.training.exploitability import exploitability
from duelgym.training.run_folder import TrainingError, read_metrics
from duelgym.training.selfplay import Collector, Learner, Rollout, seat_advantages, train
from support.dragons_path import ADVANCED, play, table, turn
from support.runs import settings, untimed, weights

TINY = TrainConfig(
    game="dragon_deck",
    options={"values_per_type": 2},
    decisions=4096,
    num_envs=16,
    num_steps=32,
    epochs=2,
    minibatch_size=128,
    hidden=(16,),
    checkpoint_every=1024,
    evaluate_games=0,
)


def advantages(rewards, ends, players, values, next_player, next_value, gamma=1.0, lam=1.0):
    """``seat_advantages`` for a single game: advantages, returns and what is known."""
    steps = len(players)
    out = [np.zeros((steps, 1), kind) for kind in (np.float32, np.float32, np.bool_)]
    seat_advantages(
        np.array(rewards, np.float32)[:, None],
        np.array(ends)[:, None],
        np.array(players, np.int8)[:, None],
        np.array(values, np.float32)[:, None],
        np.array([next_player], np.int8),
        np.array([next_value], np.float32),
        gamma,
        lam,
        *out,
    )
    return [array[:, 0].tolist() for array in out]


def test_a_reward_on_another_seats_move_belongs_to_the_seats_own_last_decision():
    # Seat 0, then 1, then 2 decide; the last move ends the game and pays all three.
    rewards = [[0, 0, 0], [0, 0, 0], [1, -0.25, -0.75]]
    gained, targets, known = advantages(
        rewards, [False, False, True], [0, 1, 2], [0.5, 0.0, 0.25], next_player=0, next_value=9.0
    )
    assert targets == [1, -0.25, -0.75]
    assert gained == [0.5, -0.25, -1.0]
    assert known == [True, True, True]


def test_a_seats_next_value_is_that_of_its_own_next_decision():
    # One-step estimates (lambda 0): seat 0 decides at steps 0 and 2, seat 1 at 1 and 3.
    _, targets, known = advantages(
        np.zeros((4, 2)), [False] * 4, [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], 0, 0.7, lam=0.0
    )
    assert targets == pytest.approx([0.3, 0.4, 0.7, 0.4])
    # Seat 1 is not to move at the end, so nothing is known yet about its last decision.
    assert known == [True, True, True, False]


def test_a_game_that_begins_takes_nothing_from_the_next_one():
    rewards = [[0, 0], [-1, 1], [0, 0], [0, 0]]
    _, targets, _ = advantages(
        rewards, [False, True, False, False], [0, 1, 1, 1], [0, 0, 0.5, 0.5], 1, 0.25
    )
    assert targets == pytest.approx([-1, 1, 0.25, 0.25])


def test_the_discount_counts_a_seats_own_decisions():
    rewards = [[0, 0], [0, 0], [0, 0], [1, -1]]
    _, targets, _ = advantages(
        rewards, [False, False, False, True], [0, 1, 1, 0], [0, 0, 0, 0], 0, 0, gamma=0.5
    )
    assert targets == pytest.approx([0.5, -0.5, -1, 1])


def test_in_a_borrowed_turn_the_credit_is_the_deciding_seats():
    """Mindstorm Dominion: seat 0 decides in the turn of seat 1, and the result stays each player's own."""
    held = {"hand": "water thunder fire", "rival_hand": "fire earth", "path": "wind wind wind"}
    state = table(ADVANCED, **held, spells=["Mindstorm Dominion"])
    play(state, "cast Mindstorm Dominion", "refuse", "water")
    assert (state.player, turn(state)[0]) == (0, 1)
    config = TrainConfig(
        game="dragons_path",
        options=asdict(ADVANCED.options),
        num_envs=1,
        threads=1,
        num_steps=500,
        gae_lambda=1.0,
    )
    rollout = Rollout.empty(ADVANCED, config.num_steps, 1)
    collector = Collector(config, ADVANCED, rollout, np.ones(1, np.uint64))
    games = collector.env.save()
    games["states"] = np.frombuffer(state.record.tobytes(), np.uint8)[None]
    collector.env.load(games)
    collector.collect(PolicyValueNet(ADVANCED, [8]))
    assert rollout.players[0, 0] == 0
    assert rollout.observations[0, 0].tobytes() == state.observation(0).tobytes()
    assert rollout.masks[0, 0].tobytes() == state.legal_mask().tobytes()
    end = int(rollout.ends[:, 0].argmax())
    assert rollout.ends[end, 0]
    assert rollout.known[: end + 1, 0].all()
    players = rollout.players[: end + 1, 0]
    assert set(players) == {0, 1}
    assert rollout.returns[: end + 1, 0] == pytest.approx(rollout.rewards[end, 0][players])


def test_training_writes_a_run_that_can_be_read_back(tmp_path: Path):
    agent_file = train(TINY, tmp_path / "run")
    run = agent_file.parent
    metrics = read_metrics(run)
    assert [line["decisions"] for line in metrics] == [512 * n for n in range(1, 9)]
    assert all(np.isfinite(list(line.values())).all() for line in metrics)
    assert settings(run) == TINY
    assert len(list((run / "checkpoints").iterdir())) == 4
    assert list((run / "tensorboard").iterdir())
    game = TINY.make_game()
    for path in (run, agent_file, *(run / "checkpoints").iterdir()):
        agent = make_agent(str(path), game)
        agent.start(game, 0)
        env = game.env()
        env.reset(seed=0)
        observation = env.last()[0]
        assert observation is not None
        assert observation["action_mask"][agent.act(observation)] == 1
    with pytest.raises(OptionError, match="already holds a run"):
        train(TINY, run)
    with pytest.raises(OptionError, match=r"config\.json is a file"):
        train(TINY, run / "config.json")


def test_a_run_killed_in_the_middle_goes_on_with_the_same_results(tmp_path: Path):
    train(TINY, tmp_path / "whole")
    killed = tmp_path / "killed"
    script = (
        "import json, sys; from pathlib import Path\n"
        "from duelgym.training.config import TrainConfig\n"
        "from duelgym.training.selfplay import train\n"
        "import time\n"
        "train(TrainConfig(**json.loads(sys.argv[1])), Path(sys.argv[2]),"
        " report=lambda _: time.sleep(0.2))\n"
    )
    arguments = [sys.executable, "-c", script, json.dumps(TINY.model_dump()), str(killed)]
    process = subprocess.Popen(arguments)
    deadline = time.monotonic() + 120
    while len(read_metrics(killed)) < 5 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert not (killed / "agent.safetensors").exists()
    assert 5 <= len(read_metrics(killed)) < 8
    train(settings(killed), killed, resume=True)
    assert weights(killed) == weights(tmp_path / "whole")
    assert untimed(killed) == untimed(tmp_path / "whole")


def test_a_run_stopped_before_its_first_checkpoint_starts_over(tmp_path: Path):
    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(TINY, tmp_path / "stopped", report=stop)
    train(settings(tmp_path / "stopped"), tmp_path / "stopped", resume=True)
    train(TINY, tmp_path / "whole")
    assert weights(tmp_path / "stopped") == weights(tmp_path / "whole")
    assert untimed(tmp_path / "stopped") == untimed(tmp_path / "whole")


def test_what_cannot_be_resumed_is_refused_with_the_remedy(tmp_path: Path):
    run = tmp_path / "run"
    train(TINY, run)
    wider = TINY.model_copy(update={"hidden": (8,)})
    with pytest.raises(CheckpointError, match=r"has hidden \[8\], but .* was made with \[16\]"):
        train(wider, run, resume=True)
    newest = max((run / "checkpoints").iterdir())
    newest.write_bytes(newest.read_bytes()[:100])
    with pytest.raises(CheckpointError, match="delete it to go on from the one before"):
        train(TINY, run, resume=True)


def test_training_that_diverges_says_so(tmp_path: Path):
    with pytest.raises(TrainingError, match=r"training diverged after .* lower learning_rate"):
        train(TINY.model_copy(update={"learning_rate": 1e20}), tmp_path / "run")


def test_the_seed_settles_everything_and_a_different_one_changes_it(tmp_path: Path):
    changed = TINY.model_copy(update={"seed": 1})
    for name, config in (("a", TINY), ("b", TINY), ("c", changed)):
        train(config, tmp_path / name)
    assert weights(tmp_path / "a") == weights(tmp_path / "b")
    assert weights(tmp_path / "a") != weights(tmp_path / "c")


def test_training_leaves_the_users_random_numbers_and_threads_alone(tmp_path: Path):
    import torch

    torch.manual_seed(5)
    np.random.seed(5)  # noqa: NPY002
    expected = torch.rand(1).item(), np.random.rand()  # noqa: NPY002
    threads = torch.get_num_threads()
    torch.manual_seed(5)
    np.random.seed(5)  # noqa: NPY002
    train(TINY, tmp_path / "run")
    assert (torch.rand(1).item(), np.random.rand()) == expected  # noqa: NPY002
    assert torch.get_num_threads() == threads


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "entropi: 0.1",
            r"run.yaml: unknown setting 'entropi' for method=ppo; did you mean 'entropy'\?",
        ),
        ("entropy: lots", "run.yaml: entropy: .*valid number.*'lots'"),
        ("hidden: [0]", "run.yaml: hidden.0: .*greater than or equal to 1.*0"),
        ("entropy: .inf", "run.yaml: entropy: .*finite number"),
        ("gamma: 2", "run.yaml: gamma: .*less than or equal to 1.*2"),
        ("options: {values_per_type: 3}", "values_per_type is 2, 4, 6 or 8, not 3"),
        ("- a list", "run.yaml: settings are 'key: value' lines, not a list"),
        ("entropy: [", "run.yaml is not valid YAML"),
    ],
)
def test_wrong_settings_get_one_clear_error(tmp_path: Path, text: str, message: str):
    (tmp_path / "run.yaml").write_text(text)
    with pytest.raises(OptionError, match=message) as error:
        load_config("dragon_deck", tmp_path / "run.yaml", method="ppo")
    assert "\n" not in str(error.value)


def test_damaged_and_foreign_checkpoints_are_refused_by_name(tmp_path: Path):
    agent = train(TINY.model_copy(update={"decisions": 512}), tmp_path / "run")
    cut = tmp_path / "cut.safetensors"
    cut.write_bytes(agent.read_bytes()[:1000])
    text = tmp_path / "text.safetensors"
    text.write_text("not a checkpoint at all")
    empty = tmp_path / "empty"
    empty.mkdir()
    for path, message in (
        (cut, "cannot read checkpoint .*cut"),
        (text, "cannot read checkpoint .*text"),
        (empty, "empty is not a run folder"),
    ):
        with pytest.raises(CheckpointError, match=message):
            load_agent(path)
    with pytest.raises(OptionError, match=r"trained on dragon_deck_v0\(values_per_type=2"):
        make_agent(str(agent), make("dragon_deck"))
    with pytest.raises(CheckpointError, match="empty is not a run folder to resume"):
        train(TINY, empty, resume=True)


def test_with_growth_the_magnet_is_the_mean_of_the_networks_so_far():
    config = TINY.model_copy(update={"magnet_horizon": 1, "magnet_growth": 1.0})
    learner, networks = Learner(config, config.make_game()), []
    with ThreadPoolExecutor(config.threads) as workers:
        for _ in range(4):
            learner.update(workers)
            networks.append([parameter.detach().clone() for parameter in learner.parameters])
            for slow, *all_so_far in zip(learner.magnet.parameters(), *networks, strict=True):
                torch.testing.assert_close(slow, torch.stack(all_so_far).mean(0))
    assert not torch.equal(networks[0][0], networks[3][0])


def test_it_learns_leduc_poker(tmp_path: Path):
    """A short run is far harder to exploit than random play, and beats it with certainty."""
    game = make("leduc_poker")
    config = load_config(
        "leduc_poker",
        method="ppo",
        decisions=150_000,
        num_envs=64,
        minibatch_size=512,
        magnet_horizon=50_000,
    )
    train(config, tmp_path / "run")
    agent = load_agent(tmp_path / "run")
    by_chance = exploitability(game, lambda _, masks: masks / masks.sum(1, keepdims=True))
    assert exploitability(game, agent) < by_chance - 1
    result = evaluate(game, [agent, make_agent("random", game)], 4000, confidence=0.99)
    assert result.standings[0].overall.score.low > 0.5
    logged = read_metrics(tmp_path / "run")[-1]
    assert logged["exploitability"] == pytest.approx(exploitability(game, agent))
