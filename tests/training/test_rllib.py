"""RLlib: the environment, the network, and self-play that survives its workers and learns."""

# pyright: reportMissingImports=false
# Ray is in an environment of its own, as it pins an older Gymnasium.

from __future__ import annotations

import os
import signal
from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from duelgym.agents import make_agent
from duelgym.agents.neural import NeuralAgent, load_agent
from duelgym.envs import GAMES, game_class, make
from duelgym.envs.core import Game, IllegalActionError, OptionError, OrderError
from duelgym.training.evaluation import evaluate
from duelgym.training.ray_cluster import connected
from duelgym.training.rllib import (
    LEARNER,
    MaskedNet,
    SelfPlayEnv,
    decisions_of,
    module_of,
    restore,
    self_play_config,
)
from duelgym.training.rllib_selfplay import main, save, self_play
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.rllib.utils.spaces.space_utils import batch

pytestmark = pytest.mark.rllib

ALL = [(name, variant) for name in GAMES for variant in game_class(name).variants]


@pytest.fixture(scope="module")
def cluster():
    with connected("local"):
        yield


def env_of(game: Game, **config) -> SelfPlayEnv:
    identity = game.identity()
    return SelfPlayEnv({"game": identity["game"], "options": identity["options"], **config})


def play(env: SelfPlayEnv, seed: int | None, rng: np.random.Generator) -> tuple[list, dict, dict]:
    """A random game: the seats and masks that were asked, and the last observations and rewards."""
    observations, _ = env.reset(seed=seed)
    asked = []
    while True:
        ((agent, seen),) = observations.items()
        assert seen in env.get_observation_space(agent)
        asked.append((agent, seen["action_mask"]))
        action = rng.choice(np.flatnonzero(seen["action_mask"]))
        observations, rewards, ended, cut, _ = env.step({agent: action})
        if ended["__all__"] or cut["__all__"]:
            return asked, observations, rewards
        assert not any(rewards.values())


# The environment.


@pytest.mark.parametrize(("name", "variant"), ALL)
def test_only_the_seat_to_move_is_asked_and_all_are_told_the_end(name, variant):
    game = make(name, variant)
    env, rng = env_of(game), np.random.default_rng(0)
    for seed in range(10):
        asked, last, rewards = play(env, seed, rng)
        assert all(mask.sum() > 1 for _, mask in asked)
        assert set(last) == set(rewards) == set(env.agents)
        assert len(last) == game.num_players
        assert not any(seen["action_mask"].any() for seen in last.values())
        assert sum(rewards.values()) == pytest.approx(0, abs=1e-6)
        assert any(rewards.values()) or name != "dragon_deck"


def test_a_seat_that_was_never_asked_gets_its_return_too():
    env, rng = env_of(make("gem_duel", "five_players")), np.random.default_rng(0)
    never = 0
    for seed in range(150):
        asked, _, rewards = play(env, seed, rng)
        silent = set(env.agents) - {agent for agent, _ in asked}
        never += any(rewards[agent] for agent in silent)
    assert never


def test_the_seed_settles_the_games_and_every_worker_has_its_own():
    def games(worker: int, seed: int) -> list[bytes]:
        identity = make("dragon_deck").identity()
        config = {"game": identity["game"], "options": identity["options"], "snapshots": 2}
        env = SelfPlayEnv(type("Context", (dict,), {"worker_index": worker})(config))
        first = [env.reset(seed=seed)[0], env.reset()[0], env.reset()[0]]
        return [seen["observations"].tobytes() for each in first for seen in each.values()]

    assert games(1, 0) == games(1, 0)
    several = [games(worker, seed) for worker in (1, 2) for seed in (0, 1, 2)]
    assert len({tuple(each) for each in several}) == 6


def test_who_plays():
    env = env_of(make("gem_duel", "three_players"), snapshots=2)
    counts = Counter()
    for seed in range(400):
        env.reset(seed=seed)
        assert [agent.partition("@")[0] for agent in env.agents] == [
            f"player_{n}" for n in range(3)
        ]
        modules = [module_of(agent) for agent in env.agents]
        assert modules.count(LEARNER) in (1, 3)
        counts.update(f"{seat} {module}" for seat, module in enumerate(modules))
        counts["all"] += modules.count(LEARNER) == 3
    assert counts["all"] == pytest.approx(200, abs=50)
    for seat in range(3):
        # In half of the games, and in a third of the others.
        assert counts[f"{seat} learner"] == pytest.approx(267, abs=50)
        assert counts[f"{seat} snapshot_1"] == pytest.approx(67, abs=35)


def test_wrong_calls():
    env = env_of(make("leduc_poker"))
    with pytest.raises(OrderError, match="reset"):
        env.step({"player_0": 0})
    ((agent, seen),) = env.reset(seed=0)[0].items()
    other = "player_1" if agent == "player_0" else "player_0"
    with pytest.raises(OrderError, match=rf"it is {agent}'s turn, not that of \['{other}'\]"):
        env.step({other: 0})
    with pytest.raises(IllegalActionError):
        env.step({agent: int(np.flatnonzero(seen["action_mask"] == 0)[0])})
    play(env, 0, np.random.default_rng(0))
    with pytest.raises(OrderError, match="over"):
        env.step({agent: 0})
    with pytest.raises(OptionError, match="render_mode"):
        env_of(make("leduc_poker"), render_mode="human")


def test_rendering():
    env = env_of(make("dragon_deck"), render_mode="ansi")
    env.reset(seed=0)
    assert "player_1" in env.render()
    env = env_of(make("dragon_deck"), render_mode="rgb_array")
    env.reset(seed=0)
    assert env.render().ndim == 3


def test_rllibs_own_masking_network_takes_the_observations():
    env = env_of(make("dragon_deck"))
    ((agent, seen),) = env.reset(seed=0)[0].items()
    net = ActionMaskingTorchRLModule(
        observation_space=env.get_observation_space(agent),
        action_space=env.get_action_space(agent),
        model_config={"fcnet_hiddens": [8]},
    )
    tensors = {name: torch.from_numpy(array) for name, array in batch([seen]).items()}
    logits = net.forward_exploration({"obs": tensors})["action_dist_inputs"]
    assert ((logits[0].detach().numpy() > -1e30) == (seen["action_mask"] > 0)).all()


def test_the_network_gives_illegal_actions_no_chance():
    env = env_of(make("dragon_deck"))
    ((agent, seen),) = env.reset(seed=0)[0].items()
    net = MaskedNet(
        observation_space=env.get_observation_space(agent),
        action_space=env.get_action_space(agent),
        model_config={"game": "dragon_deck", "hidden": [8]},
    )
    tensors = {"obs": {name: torch.from_numpy(array) for name, array in batch([seen]).items()}}
    for forward in (net.forward_exploration, net.forward_inference, net.forward_train):
        inputs = forward(tensors)["action_dist_inputs"].detach()
        chances = net.get_train_action_dist_cls().from_logits(inputs)._dist.probs[0].numpy()
        assert ((chances > 0) == (seen["action_mask"] > 0)).all()
    out = net.forward_train(tensors)
    values = net.compute_values(tensors)
    assert values.shape == (1,)
    assert torch.equal(net.compute_values(tensors, out["embeddings"]), values)


# Training.


def process(runner) -> int:
    return os.getpid()


def weights(owner, **_) -> dict[str, dict[str, np.ndarray]]:
    return {name: dict(owner.module[name].get_state()) for name in owner.module.keys()}  # noqa: SIM118


def assert_equal_weights(ours, theirs) -> None:
    assert set(ours) == set(theirs) == {LEARNER, "snapshot_0", "snapshot_1"}
    for module, tensors in ours.items():
        for name, tensor in tensors.items():
            assert np.array_equal(tensor, theirs[module][name]), (module, name)


def learned(algorithm) -> dict[str, dict[str, np.ndarray]]:
    (result,) = algorithm.learner_group.foreach_learner(weights)
    return result.get()


SMALL: dict[str, Any] = {
    "envs_per_worker": 8,
    "batch_size": 256,
    "snapshots": 2,
    "snapshot_every": 1,
}


def test_a_killed_worker_comes_back_and_knows_what_the_others_know(cluster):
    algorithm = self_play_config(make("leduc_poker"), 10_000, workers=2, **SMALL).build_algo()
    runners = algorithm.env_runner_group
    try:
        for _ in range(2):
            algorithm.train()
        old = runners.foreach_env_runner(process, local_env_runner=False)
        os.kill(old[0], signal.SIGKILL)
        for _ in range(30):
            algorithm.train()
            now = runners.foreach_env_runner(process, local_env_runner=False)
            if len(now) == 2:
                break
        assert len(now) == 2
        assert old[0] not in now
        assert old[1] in now
        for theirs in runners.foreach_env_runner(weights):
            assert_equal_weights(learned(algorithm), theirs)
        before = decisions_of(algorithm)
        algorithm.train()
        assert decisions_of(algorithm) >= before + 256
    finally:
        algorithm.stop()


def test_snapshots_are_earlier_learners_and_do_not_learn(cluster):
    settings = {**SMALL, "snapshot_every": 2}
    algorithm = self_play_config(make("leduc_poker"), 10_000, workers=0, **settings).build_algo()
    try:
        seen = []
        for _ in range(5):
            algorithm.train()
            seen.append(learned(algorithm))
            (theirs,) = algorithm.env_runner_group.foreach_env_runner(weights)
            assert_equal_weights(seen[-1], theirs)

        def same(one: tuple[int, str], other: tuple[int, str]) -> bool:
            ours, theirs = (seen[update][module] for update, module in (one, other))
            return all(np.array_equal(ours[name], theirs[name]) for name in ours)

        # After the second and the fourth update, in turn.
        assert not same((0, LEARNER), (1, LEARNER))
        assert not same((0, "snapshot_1"), (1, "snapshot_1"))
        assert same((1, LEARNER), (1, "snapshot_1"))
        assert same((1, LEARNER), (4, "snapshot_1"))
        assert same((3, LEARNER), (4, "snapshot_0"))
        assert not same((3, LEARNER), (4, LEARNER))
    finally:
        algorithm.stop()


def test_it_learns_is_resumed_and_plays_without_ray(cluster, tmp_path, run_python):
    game, folder = make("leduc_poker"), tmp_path / "run"
    told = []
    settings = {"workers": 1, "hidden": (64, 64)}
    agent = self_play(
        game,
        16_000,
        folder,
        checkpoints=2,
        report=lambda algorithm: told.append((decisions_of(algorithm), algorithm)),
        **settings,
    )
    assert agent == folder / "agent.safetensors"
    assert told[-1][0] >= 16_000 > told[-2][0]
    checkpoints = sorted(path.name for path in (folder / "checkpoints").iterdir())
    assert len(checkpoints) == 4
    assert not any(name.endswith(".partial") for name in checkpoints)

    with pytest.raises(OptionError, match="already holds a run"):
        self_play(game, 16_000, folder, **settings)
    with pytest.raises(OptionError, match=r"started with hidden \[64, 64\], not \[8\]"):
        self_play(game, 16_000, folder, resume=True, hidden=(8,))
    with pytest.raises(OptionError, match="no checkpoint of RLlib"):
        self_play(game, 16_000, tmp_path / "none", resume=True)

    newest = max((folder / "checkpoints").glob("*.safetensors"))
    went_on = []
    self_play(
        game,
        24_000,
        folder,
        resume=True,
        report=lambda algorithm: went_on.append(decisions_of(algorithm)),
        **settings,
    )
    assert went_on[0] == pytest.approx(int(newest.stem) + 4000, abs=100)
    assert went_on[-1] >= 24_000

    final = load_agent(folder)
    result = evaluate(game, [final, make_agent("random", game)], 4000)
    assert result.standings[0].overall.score.low > 0.55
    assert result.standings[0].overall.mean_return.low > 0.3
    shown = run_python(
        "-c",
        "import sys; sys.modules['ray'] = None\n"
        "from duelgym.training.cli import main\n"
        "main(['evaluate', 'leduc_poker', sys.argv[1], 'random', '--games', '100'])",
        str(folder),
    )
    assert "against random" in shown


def test_a_checkpoint_gives_back_every_network(cluster, tmp_path):
    game = make("leduc_poker")
    first = self_play_config(game, 10_000, workers=0, **SMALL).build_algo()
    try:
        for _ in range(2):
            first.train()
        path = save(first, tmp_path)
        ours, decisions = learned(first), decisions_of(first)
        agent = load_agent(path.with_suffix(".safetensors"))
        assert isinstance(agent, NeuralAgent)
        exported = agent.net.state_dict()
        for name, tensor in ours[LEARNER].items():
            assert np.array_equal(exported[name.removeprefix("net.")].numpy(), tensor)
    finally:
        first.stop()
    second = self_play_config(game, 10_000, workers=1, **SMALL).build_algo()
    try:
        restore(second, path)
        assert_equal_weights(ours, learned(second))
        for theirs in second.env_runner_group.foreach_env_runner(weights):
            assert_equal_weights(ours, theirs)
        assert (decisions_of(second), second.training_iteration) == (decisions, 2)
    finally:
        second.stop()


def test_three_seats(cluster, tmp_path):
    game = make("gem_duel", "three_players")
    self_play(game, 100, tmp_path, workers=0, envs_per_worker=4, batch_size=100, hidden=(8,))
    agent = load_agent(tmp_path)
    assert agent.game == game
    evaluate(game, [agent, make_agent("random", game)], 30)


def test_the_command(cluster, tmp_path):
    command = ["dragon_deck:tiny", "--decisions", "100", "--batch-size", "100"]
    command += ["--workers", "0", "--envs-per-worker", "4", "--games", "30"]
    done = CliRunner().invoke(main, [*command, "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert f"saved {tmp_path / 'agent.safetensors'}" in done.output
    assert "against matrix" in done.output
    again = CliRunner().invoke(main, [*command, "--out", str(tmp_path)])
    assert again.exit_code == 2
    assert again.stderr.endswith("already holds a run; resume it or choose another folder\n")
