"""Stable-Baselines3: the ``VecEnv``, masks, saved models, and that self-play learns."""

from __future__ import annotations

import copy
import pickle
from functools import partial
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from duelgym.agents import make_agent
from duelgym.agents.neural import single_threaded_torch
from duelgym.agents.sb3 import MaskedPolicy, Sb3Agent, load_sb3
from duelgym.envs import make
from duelgym.envs.core import IllegalActionError, OptionError, OrderError
from duelgym.training.evaluation import evaluate
from duelgym.training.sb3 import OneSeatVecEnv
from duelgym.training.sb3_selfplay import main, self_play
from duelgym.training.sb3_selfplay import save as save_model
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import SubprocVecEnv, VecCheckNan, VecMonitor
from support import agent_moves
from support.toy_game import ToyGame

SMALL = {"n_steps": 8, "batch_size": 64, "n_epochs": 1, "device": "cpu", "seed": 0}


@pytest.fixture(autouse=True)
def one_thread():
    with single_threaded_torch():
        yield


@pytest.fixture(scope="module")
def model() -> MaskablePPO:
    """Trained for a moment on Leduc poker."""
    envs = OneSeatVecEnv("leduc_poker", 16)
    return MaskablePPO(MaskedPolicy, envs, **SMALL).learn(256)


def first(envs) -> np.ndarray:
    return get_action_masks(envs).argmax(1)


# The environment.


def test_it_is_a_vec_env_with_masks():
    envs = OneSeatVecEnv("gem_duel", 8, ["reasoner", "bold"], num_players=3)
    envs.seed(1)
    seen = np.asarray(envs.reset())
    assert seen.shape == (8, envs.games.game.observation_size)
    assert seen[0] in envs.observation_space
    VecCheckNan(envs).step(first(envs))
    assert is_masking_supported(envs)
    masks = get_action_masks(envs)
    assert masks.dtype == np.bool_
    assert np.array_equal(masks, envs.games.masks)
    assert np.array_equal([mask() for mask in envs.get_attr("action_masks")], masks)
    assert np.array_equal(envs.env_method("action_masks", indices=[3, 5]), masks[[3, 5]])
    assert (envs.env_method("action_masks", indices=3)[0] == masks[3]).all()
    assert envs.get_attr("seat") == envs.games.seats.tolist()
    assert envs.get_attr("game", 2) == [envs.games.game]
    assert not envs.has_attr("nothing")
    assert envs.env_is_wrapped(gymnasium.Wrapper) == [False] * 8
    for call in (partial(envs.env_method, "fly"), partial(envs.set_attr, "seat", 1)):
        with pytest.raises(AttributeError, match=r"'fly'|'seat'"):
            call()
    assert [picture.ndim for picture in envs.get_images() if picture is not None] == [3] * 8


def test_what_a_step_gives():
    envs = OneSeatVecEnv(ToyGame(), 64)
    envs.seed(1)
    seen = np.asarray(envs.reset())
    cut = ended = 0
    for _ in range(30):
        old = copy.copy(seen)
        next_seen, rewards, dones, infos = envs.step(first(envs))
        assert np.array_equal(np.asarray(seen), np.asarray(old))
        assert next_seen is not seen
        assert rewards.dtype == np.float32
        assert len({id(info) for info in infos}) == 64
        for row, info in enumerate(infos):
            assert bool(info) == dones[row]
            if dones[row]:
                ended += 1
                cut += info["TimeLimit.truncated"]
                assert info["TimeLimit.truncated"] == (rewards[row] == 0)
                # All six have waited, or somebody has stopped and the card lies open.
                last = info["terminal_observation"]
                assert last[2] == 6 or last[0] > 0
        seen = next_seen
    assert 0 < cut < ended


def test_the_seed_counts_once_and_then_games_go_on():
    envs = OneSeatVecEnv("dragon_deck", 4)
    envs.seed(1)
    seen = np.asarray(envs.reset())
    other = envs.reset()
    assert not np.array_equal(seen, other)
    envs.seed(1)
    assert np.array_equal(envs.reset(), seen)


def test_illegal_actions_and_wrong_order():
    envs = OneSeatVecEnv("dragon_deck", 4)
    with pytest.raises(OrderError, match="reset"):
        envs.step(np.zeros(4, int))
    with pytest.raises(OrderError, match="step_async"):
        envs.step_wait()
    envs.reset()
    with pytest.raises(IllegalActionError):
        envs.step(np.full(4, 25))
    lenient = OneSeatVecEnv("dragon_deck", 4, illegal_action="lose")
    lenient.reset()
    _, rewards, dones, _ = lenient.step(np.full(4, 25))
    assert dones.all()
    assert (rewards == -1).all()


def test_an_algorithm_without_masks_can_learn_from_losing():
    envs = OneSeatVecEnv("leduc_poker", 16, illegal_action="lose")
    PPO("MlpPolicy", envs, **SMALL).learn(256)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
def test_a_copy_goes_on_alike(copied):
    envs = OneSeatVecEnv("gem_duel", 8, ["bold", "random"], num_players=3)
    envs.reset()
    envs.step(first(envs))
    other = copied(envs)
    for _ in range(20):
        ours, theirs = envs.step(first(envs)), other.step(first(other))
        assert all(
            np.array_equal(np.asarray(a), np.asarray(b))
            for a, b in zip(ours[:3], theirs[:3], strict=True)
        )


@pytest.mark.slow
def test_masks_and_games_in_spawned_processes(model):
    """``VecMonitor`` and evaluation too, on single environments, each in a process."""
    made = partial(gymnasium.make, "duelgym/LeducPoker-v0", opponents=Sb3Agent(model))
    envs = VecMonitor(SubprocVecEnv([made] * 2, start_method="spawn"))
    try:
        assert is_masking_supported(envs)
        envs.seed(1)
        seen = np.asarray(envs.reset())
        finished = 0
        for _ in range(12):
            masks = get_action_masks(envs)
            assert masks.shape == (2, 3)
            assert masks.any(1).all()
            actions, _ = model.predict(seen, action_masks=masks)
            seen, _, _, infos = envs.step(actions)
            finished += sum("episode" in info for info in infos)
            assert all("illegal_action" not in info for info in infos)
        assert finished > 2
        rewards, _ = evaluate_policy(model, envs, 6, return_episode_rewards=True)
        assert len(rewards) == 6  # type: ignore[arg-type]
    finally:
        envs.close()


# Policies.


def test_a_policy_refuses_to_predict_without_a_mask(model):
    envs = OneSeatVecEnv("leduc_poker", 4)
    seen = np.asarray(envs.reset())
    with pytest.raises(OptionError, match=r"without a mask; give predict\(.*action_masks="):
        model.predict(seen)
    actions, _ = model.predict(seen, action_masks=get_action_masks(envs))
    assert get_action_masks(envs)[np.arange(4), actions].all()
    with pytest.raises(OptionError, match="without a mask"):
        evaluate_policy(model, VecMonitor(envs), 2, use_masking=False)


def test_an_agent_plays_by_the_policy(model):
    game, rows = make("leduc_poker"), 20_000
    envs = OneSeatVecEnv(game, 1, seat=0)
    envs.seed(1)
    seen, mask = envs.reset(), get_action_masks(envs)
    agent = Sb3Agent(model)
    agent.begin(game, np.arange(rows, dtype=np.uint64))
    actions = np.zeros(rows, np.int64)
    masks = np.repeat(mask, rows, 0).astype(np.int8)
    agent.choose(np.repeat(seen, rows, 0), masks, np.arange(rows), actions)
    observed = np.bincount(actions, minlength=game.num_actions) / rows
    tensor = model.policy.obs_to_tensor(seen)[0]
    expected = model.policy.get_distribution(tensor, mask).distribution.probs  # type: ignore[union-attr]
    assert observed == pytest.approx(expected.detach().numpy()[0], abs=0.02)
    assert (observed[~mask[0]] == 0).all()
    single = game.env()
    single.reset(seed=1)
    agent.start(game, seed=1)
    observation = single.last()[0]
    assert observation is not None
    assert observation["action_mask"][agent.act(observation)]


def test_an_agent_is_a_snapshot_with_randomness_of_its_own(model):
    game, seeds = make("leduc_poker"), np.arange(50, dtype=np.uint64)
    agent = Sb3Agent(model)
    before = agent_moves.moves(agent, game, seeds, seeds, 20)
    weights = {name: value.clone() for name, value in model.policy.state_dict().items()}
    model.learn(256)
    again = Sb3Agent(model)
    model.policy.load_state_dict(weights)
    assert np.array_equal(agent_moves.moves(agent, game, seeds, seeds, 20), before)
    assert not np.array_equal(agent_moves.moves(again, game, seeds, seeds, 20), before)
    few = agent_moves.moves(agent, game, seeds[:3], seeds[:3], 20)
    assert np.array_equal(few, before[:, :3])
    assert agent.policy.optimizer is None
    assert model.policy.optimizer is not None


def test_agents_of_other_games_and_models_are_refused(model):
    with pytest.raises(
        OptionError, match=r"trained on observations \[39\] and 3 actions.*gem_duel"
    ):
        Sb3Agent(model).check(make("gem_duel"))
    with pytest.raises(OptionError, match="takes a MaskablePPO, not PPO"):
        Sb3Agent(PPO("MlpPolicy", OneSeatVecEnv("leduc_poker", 16), **SMALL))  # type: ignore[arg-type]


def test_a_saved_model_plays_the_same(model, tmp_path: Path):
    game, seeds = make("leduc_poker"), np.arange(50, dtype=np.uint64)
    path = tmp_path / "mine.zip"
    save_model(model, path)
    loaded = load_sb3(path, game, trust=True)
    assert loaded.name == "mine"
    expected = agent_moves.moves(Sb3Agent(model), game, seeds, seeds, 20)
    assert np.array_equal(agent_moves.moves(loaded, game, seeds, seeds, 20), expected)
    go_on = MaskablePPO.load(path, env=OneSeatVecEnv(game, 16))
    assert go_on.learn(128, reset_num_timesteps=False).num_timesteps == model.num_timesteps + 128


def test_a_file_is_read_only_if_it_is_trusted(model, tmp_path: Path):
    game, path = make("leduc_poker"), tmp_path / "model.zip"
    save_model(model, path)
    for trust in (False, "yes"):
        with pytest.raises(OptionError, match=r"runs the code in them.*trust=True"):
            load_sb3(path, game, trust)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="does not play gem_duel"):
        load_sb3(path, make("gem_duel"), trust=True)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(OptionError, match=r"cannot read a MaskablePPO from .*model\.zip"):
        load_sb3(path, game, trust=True)
    with pytest.raises(OptionError, match="no file"):
        load_sb3(tmp_path / "none.zip", game, trust=True)


# Self-play.


def test_self_play_learns_to_beat_random_play():
    game = make("dragon_deck", "tiny")
    model = self_play(game, 60_000, num_envs=256, num_steps=16, snapshots=5, evaluations=2)
    result = evaluate(game, [Sb3Agent(model), make_agent("random", game)], 6000)
    assert result.standings[0].overall.score.low > 0.51
    assert model.num_timesteps >= 60_000


def test_self_play_one_by_one_is_the_same_script():
    model = self_play(make("leduc_poker"), 64, num_envs=4, num_steps=8, one_by_one=True)
    assert model.num_timesteps == 64


def run(*arguments: str, capsys) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    out, err = capsys.readouterr()
    return int(str(caught.value.code or 0)), out, err


def test_the_script_trains_saves_and_evaluates(tmp_path: Path, capsys):
    few = ("--decisions", "512", "--num-envs", "32", "--num-steps", "8", "--games", "20")
    code, out, err = run("leduc_poker", "--out", str(tmp_path / "a"), *few, capsys=capsys)
    assert (code, err) == (0, "")
    assert "512 decisions" in out
    assert "against random" in out
    load_sb3(tmp_path / "a" / "model.zip", make("leduc_poker"), trust=True)
    code, out, err = run("leduc_poker", "--out", str(tmp_path / "a"), *few, capsys=capsys)
    assert code == 2
    assert err.startswith("duelgym: error: ")
    assert "is there already" in err
    code, _, err = run("leduc_pokr", capsys=capsys)
    assert (code, err.count("\n")) == (2, 1)
    assert "did you mean 'leduc_poker'" in err


def test_what_is_missing_is_named_with_the_remedy(run_python):
    code = (
        "import runpy, sys\nsys.modules['sb3_contrib'] = None\n"
        "for name in ('agents.sb3', 'training.sb3_selfplay'):\n"
        "    try: runpy.run_module('duelgym.' + name, run_name='other')\n"
        "    except ValueError as error: print(error)\n"
        "try: runpy.run_module('duelgym.training.sb3_selfplay', run_name='__main__')\n"
        "except SystemExit as stop: print(stop.code)\n"
        "import duelgym.training.gymnasium_env\n"
    )
    lines = run_python("-c", code).splitlines()
    assert lines[2] == "2"
    assert all("need" in line and "pip install 'duelgym[sb3]'" in line for line in lines[:2])
