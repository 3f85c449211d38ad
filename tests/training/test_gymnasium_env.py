"""Gymnasium: its checkers, its registry, masks, and the same games as played by hand."""

from __future__ import annotations

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from duelgym.agents import agent_names, make_agent
from duelgym.envs import GAMES, game_class, make
from duelgym.envs.core import Game, IllegalActionError, OptionError, OrderError
from duelgym.training.gymnasium_env import SingleAgentEnv, SingleAgentVectorEnv
from duelgym.training.registration import ENVIRONMENTS
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from stable_baselines3.common import env_checker as sb3
from support.fixed_agents import FixedAgent
from support.toy_game import ToyGame

THREE = {"opponents": ["reasoner", "bold"], "num_players": 3}
GEM = "duelgym/GemDuel-v0"


def choose(env: SingleAgentEnv, info: dict, step: int) -> int:
    legal = np.flatnonzero(info["action_mask"])
    return int(legal[step * 7 % len(legal)])


def rollout(env: SingleAgentEnv, seed: int | None, games: int = 3) -> list:
    """Everything that some games give."""
    found: list = []
    for number in range(games):
        seen, info = env.reset(seed=seed if number == 0 else None)
        over = False
        while not over:
            found.append((env.seat, seen.tobytes(), info["action_mask"].tobytes()))
            seen, reward, terminated, truncated, info = env.step(choose(env, info, len(found)))
            over = terminated or truncated
            found.append((reward, terminated, truncated))
        found.append(seen.tobytes())
    return found


# The registry.


def test_every_game_is_registered_in_its_version():
    versions = {name: f"v{game_class(name).version}" for name in GAMES}
    expected = {f"duelgym/{GAMES[name]}-{v}": f"{name}_{v}" for name, v in versions.items()}
    assert expected == ENVIRONMENTS
    assert set(ENVIRONMENTS) <= set(gymnasium.registry)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_checkers_have_nothing_to_say(name):
    game = make(ENVIRONMENTS[name])
    options = [{}, {"seat": 1, "opponents": agent_names(game)[-1]}]
    for given in options + [THREE] * (name == GEM):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            env = gymnasium.make(name, **given)
            check_env(env.unwrapped)
            sb3.check_env(env.unwrapped)
            env.close()


@pytest.mark.parametrize("code", [
    "import duelgym, gymnasium; make = gymnasium.make; name = ''",
    "import gymnasium; make = gymnasium.make; name = 'duelgym:'",
])  # fmt: skip
def test_gymnasium_finds_the_games_in_a_fresh_process(run_python, code):
    used = (
        f"env = make(name + {GEM!r}, opponents=['reasoner', 'bold'], seat='random', num_players=3)\n"
        "print(env.unwrapped.game, env.reset(seed=1)[1]['action_mask'].shape)"
    )
    assert run_python("-c", f"{code}\n{used}").startswith("gem_duel_v0(num_players=3")


def test_unknown_names_and_wrong_options_are_refused():
    with pytest.raises(OptionError, match=r"no option 'num_player'; did you mean 'num_players'"):
        gymnasium.make(GEM, num_player=3)
    with pytest.raises(OptionError, match="has its options already"):
        SingleAgentEnv(make("gem_duel"), num_players=3)
    for make_ in (SingleAgentEnv, SingleAgentVectorEnv):
        with pytest.raises(OptionError, match="no render_mode 'ascii'; did you mean 'ansi'"):
            make_("gem_duel", render_mode="ascii")
        with pytest.raises(OptionError, match="illegal_action is not 'warn'"):
            make_("gem_duel", illegal_action="warn")
        with pytest.raises(OptionError, match="0 to 1, not 2"):
            make_("gem_duel", seat=2)


# A single environment.


def game_by_hand(game: Game, seat: int | str, lasts: list[bool], steps: int) -> int:
    """Play beside the environment; gives how many games were cut off."""
    env = SingleAgentEnv(game, [FixedAgent(last) for last in lasts], seat)
    cut = 0
    seen, info = env.reset(seed=1)
    state = env._playing().clone()
    for step in range(steps):
        assert state.player == env.seat
        assert (seen == state.observation()).all()
        assert (info["action_mask"] == state.legal_mask()).all()
        assert (env.action_masks() == state.legal_mask()).all()
        action = choose(env, info, step)
        seen, reward, terminated, truncated, info = env.step(action)
        state.apply(action)
        while not state.is_over and state.player != env.seat:
            last = lasts[(state.player - env.seat) % game.num_players - 1]
            state.apply(state.legal_actions()[-1 if last else 0])
        assert (terminated, truncated) == (
            state.is_over and not state.is_truncated,
            state.is_truncated,
        )
        assert (seen == state.observation(env.seat)).all()
        assert reward == (state.returns()[env.seat] if state.is_over else 0)
        if state.is_over:
            assert not info["action_mask"].any()
            with pytest.raises(OrderError, match=r"over; call reset\(\)"):
                env.step(action)
            cut += truncated
            seen, info = env.reset()
            state = env._playing().clone()
    return cut


def test_it_plays_the_same_games_as_states():
    for name in GAMES:
        game = make(name)
        lasts = [place % 2 == 0 for place in range(game.num_players - 1)]
        game_by_hand(game, "random", lasts, 80)
    game_by_hand(make("gem_duel", num_players=3), 2, [False, True], 80)
    assert game_by_hand(ToyGame(), "random", [False, False], 80) > 5


def test_a_game_that_ends_before_the_seat_is_asked_is_dealt_again():
    env = SingleAgentEnv(ToyGame(), "random", seat=1)
    for seed in range(20):
        seen, info = env.reset(seed=seed)
        assert seen[2] == 1
        assert info["action_mask"].any()


def test_the_seed_settles_every_game_that_follows():
    env, other = (gymnasium.make(GEM, **THREE).unwrapped for _ in range(2))
    assert isinstance(env, SingleAgentEnv)
    assert isinstance(other, SingleAgentEnv)
    rollout(other, seed=5, games=1)
    assert rollout(env, seed=1) == rollout(other, seed=1) != rollout(env, seed=2)
    assert {env.reset()[0].tobytes() for _ in range(3)} != {env.reset()[0].tobytes()}


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_alike_and_apart(copied):
    env = SingleAgentEnv("gem_duel", **THREE)
    info = env.reset(seed=1)[1]
    info = env.step(choose(env, info, 0))[4]
    other = copied(env)
    for step in range(40):
        if not info["action_mask"].any():
            info = env.reset()[1]
            assert (other.reset()[1]["action_mask"] == info["action_mask"]).all()
        action = choose(env, info, step)
        *ours, info = env.step(action)
        theirs = other.step(action)
        assert all(np.array_equal(a, b) for a, b in zip(ours, theirs[:4], strict=True))
        assert (theirs[4]["action_mask"] == info["action_mask"]).all()


def test_an_illegal_action_loses_or_is_an_error():
    env = gymnasium.make(GEM, **THREE)
    seen, info = env.reset(seed=1)
    wrong = int((info["action_mask"] == 0).argmax())
    last, reward, terminated, truncated, info = env.step(wrong)
    assert (reward, terminated, truncated) == (-1, True, False)
    assert info["illegal_action"] is True
    assert not info["action_mask"].any()
    assert (last == seen).all()
    with pytest.raises(OrderError):
        env.step(wrong)
    assert "illegal_action" not in env.reset()[1]
    strict = gymnasium.make(GEM, illegal_action="error", **THREE)
    seen, info = strict.reset(seed=1)
    with pytest.raises(IllegalActionError, match=rf"action {wrong} is illegal here.*legal: "):
        strict.step(wrong)
    with pytest.raises(TypeError):
        strict.step(0.5)
    assert not strict.step(int(info["action_mask"].argmax()))[2]


def test_forced_decisions_can_be_left_out():
    env = SingleAgentEnv("gem_duel", skip_forced=True)
    asked = [mask for _, _, mask in (each for each in rollout(env, 1, 5) if len(each) == 3
                                     and isinstance(each[2], bytes))]  # fmt: skip
    assert len(asked) > 30
    assert min(np.frombuffer(mask, np.int8).sum() for mask in asked) > 1


def test_pictures_are_of_what_the_seat_sees(capsys):
    for seat in (0, 1):
        env = SingleAgentEnv("dragon_deck", "matrix", seat, "ansi")
        env.reset(seed=1)
        text = env.render()
        assert text == env._playing().render(seat) != env._playing().render(1 - seat)
        picture = SingleAgentEnv("dragon_deck", "matrix", seat, "rgb_array")
        picture.reset(seed=1)
        drawn = np.asarray(picture.render())
        assert np.array_equal(drawn, env.game.picture(env._playing().record, seat))
        human = SingleAgentEnv("dragon_deck", "matrix", seat, "human")
        human.reset(seed=1)
        assert capsys.readouterr().out == f"{text}\n"
        assert human.render() is None
    with pytest.raises(OptionError, match="nothing to render"):
        SingleAgentEnv("dragon_deck").render()
    with pytest.raises(OrderError, match=r"call reset\(\)"):
        SingleAgentEnv("dragon_deck", render_mode="ansi").render()


# Many at once.


def choices(info: dict) -> np.ndarray:
    return info["action_mask"].argmax(1)


def test_a_batch_has_the_shapes_of_gymnasiums_own():
    """As SyncVectorEnv has them in the same mode: keys, shapes and dtypes."""
    ours = gymnasium.make_vec(GEM, num_envs=30, **THREE)
    assert isinstance(ours, SingleAgentVectorEnv)
    assert ours.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    same = {"autoreset_mode": AutoresetMode.SAME_STEP}
    theirs = gymnasium.make_vec(GEM, 30, "sync", same, **THREE)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.single_observation_space == theirs.single_observation_space

    def shape(data):
        if isinstance(data, dict):
            return {key: shape(value) for key, value in data.items()}
        return (data.shape, data.dtype)

    def ending(envs: gymnasium.vector.VectorEnv, wrong: bool) -> tuple:
        """The first step that ends a game: by itself, or by an illegal action."""
        seen, info = envs.reset(seed=1)
        found = [shape(seen), shape(info)]
        for _ in range(200):
            actions = choices(info)
            if wrong:
                actions[7] = (info["action_mask"][7] == 0).argmax()
            seen, reward, terminated, truncated, info = envs.step(actions)
            if terminated.any():
                assert seen in envs.observation_space
                kept = info["final_obs"]
                assert [one is not None for one in kept] == terminated.tolist()
                assert kept[terminated][0].shape == seen[0].shape
                assert (info["_final_obs"] == terminated).all()
                assert (reward[~terminated] == 0).all()
                parts = (seen, reward, terminated, truncated, info)
                return (*found, *(shape(part) for part in parts))
        raise AssertionError("no game ended")

    for wrong in (False, True):
        assert ending(ours, wrong) == ending(theirs, wrong)
    ours.close()
    theirs.close()


def test_a_batch_gives_the_games_of_its_seats():
    envs = SingleAgentVectorEnv("gem_duel", 40, **THREE)
    seen, info = envs.reset(seed=1)
    kept = seen.copy(), info["action_mask"].copy()
    ended = 0
    for _ in range(60):
        old_seen, old_info = seen, info
        seen, reward, terminated, _, info = envs.step(choices(info))
        for row in (0, 39):
            state = envs.games.state(row)
            assert (seen[row] == state.observation(envs.games.seats[row])).all()
            assert (info["action_mask"][row] == state.legal_mask()).all()
        assert (reward[~terminated] == 0).all()
        ended += terminated.sum()
        assert not np.shares_memory(seen, old_seen)
        assert not np.shares_memory(info["action_mask"], old_info["action_mask"])
    assert ended > 40
    again, info = envs.reset(seed=1)
    assert np.array_equal(again, kept[0])
    assert np.array_equal(info["action_mask"], kept[1])
    assert not np.array_equal(envs.reset()[0], again)


def test_thousands_of_games_at_once():
    envs = gymnasium.make_vec("duelgym/LeducPoker-v0", num_envs=5000, opponents="random")
    _, info = envs.reset(seed=1)
    rng = np.random.default_rng(1)
    total = games = 0
    for _ in range(30):
        actions = (rng.random(info["action_mask"].shape) * info["action_mask"]).argmax(1)
        _, reward, terminated, _, info = envs.step(actions)
        total, games = total + reward.sum(), games + terminated.sum()
    assert games > 30_000
    assert abs(total / games) < 0.1, "equals win and lose the same"


def test_opponents_are_as_strong_as_in_evaluations():
    """Random play loses against the scripted agent in the batch and in single environments."""
    envs = SingleAgentVectorEnv("dragon_deck", 500, make_agent("matrix", make("dragon_deck")))
    rng = np.random.default_rng(1)
    _, info = envs.reset(seed=1)
    total = games = 0
    for _ in range(60):
        actions = (rng.random(info["action_mask"].shape) * info["action_mask"]).argmax(1)
        _, reward, terminated, _, info = envs.step(actions)
        total, games = total + reward.sum(), games + terminated.sum()
    assert games > 1000
    assert total / games < -0.2


def test_a_batch_can_be_rendered():
    envs = gymnasium.make_vec("duelgym/DragonDeck-v0", num_envs=2, render_mode="ansi")
    envs.reset(seed=1)
    assert all("(you)" in text for text in envs.render())  # type: ignore[union-attr]
    pictures = SingleAgentVectorEnv("dragon_deck", 2, render_mode="rgb_array")
    pictures.reset(seed=1)
    assert [picture.ndim for picture in pictures.render()] == [3, 3]
    with pytest.raises(OptionError, match="nothing to render"):
        SingleAgentVectorEnv("dragon_deck", 2).render()
