"""The PettingZoo interface: its own conformance tests, and what they do not look at.

Of PettingZoo's tests these do not apply: ``parallel_*`` and ``bombardment_test`` take simultaneous
environments, ``max_cycles_test`` one with a ``max_cycles`` option, ``test_save_obs`` pictures as
observations, and ``test_state`` samples actions without a mask.
"""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings

import numpy as np
import pytest
from duelgym.envs import dragon_deck_v0
from duelgym.envs.core import DuelgymError, IllegalActionError, OptionError, OrderError
from duelgym.envs.core.aec import DuelEnv
from duelgym.envs.dragon_deck import DragonDeck
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.test.state_test import test_state_space as pettingzoo_state_space_test
from pettingzoo.utils import wrappers
from support.toy_game import ToyGame

# What PettingZoo says about every environment whose observation is a dictionary.
EXPECTED = ("Observation is not a NumPy array", "Observation space for each agent probably should")


def play(env: DuelEnv, seed: int, until: int = 10**6) -> list[tuple[str, int]]:
    """Random moves of a fresh game; gives who did what."""
    moves = np.random.default_rng(seed)
    env.reset(seed=seed)
    made = []
    while env.agents and len(made) < until and not any(env.terminations.values()):
        agent = env.agent_selection
        action = int(moves.choice(np.flatnonzero(env.infos[agent]["action_mask"])))
        env.step(action)
        made.append((agent, action))
    return made


def everything(env: DuelEnv) -> str:
    """All that an environment shows."""
    return repr(
        (
            env.agents,
            env.agent_selection,
            env.rewards,
            env._cumulative_rewards,
            env.terminations,
            env.truncations,
            [(agent, info["action_mask"].tolist()) for agent, info in env.infos.items()],
            [
                [(key, value.tolist()) for key, value in env.observe(agent).items()]
                for agent in env.possible_agents
            ],
            env.state().tolist(),
        )
    )


# PettingZoo's tests.


def test_api(game):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(game.env(), num_cycles=200)
    assert [str(w.message) for w in caught if not str(w.message).startswith(EXPECTED)] == []


def test_seeding(game):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        seed_test(game.env, num_cycles=200)


def test_rendering(game, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        render_test(game.env)


def test_state_space(game):
    env = game.env()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pettingzoo_state_space_test(env)
    play(env, 1)
    assert env.state_space.contains(env.state())
    assert env.state().tobytes() == env.snapshot().record.tobytes()


@pytest.mark.parametrize("make_env", [dragon_deck_v0.env, dragon_deck_v0.raw_env])
def test_the_module_is_used_as_those_of_pettingzoo(make_env):
    """The loop of PettingZoo's documentation, word for word but for ``last`` and the action."""
    env = make_env(render_mode="human")
    env.reset(seed=42)
    for agent in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            action = None
        else:
            action = env.action_space(agent).sample(observation["action_mask"])
        env.step(action)
    env.close()
    assert env.agents == []


def test_the_module_says_what_it_is():
    env = dragon_deck_v0.env()
    assert env.metadata["name"] == "dragon_deck_v0"
    assert str(env) == "dragon_deck_v0"
    assert {"name", "render_modes", "render_fps", "is_parallelizable"} <= set(env.metadata)
    assert env.possible_agents == ["player_0", "player_1"]
    assert (env.num_agents, env.max_num_agents) == (0, 2)
    assert env.unwrapped is env


def test_it_works_inside_the_stock_wrappers():
    env = wrappers.TerminateIllegalWrapper(dragon_deck_v0.env(), illegal_reward=-1)
    env = wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))
    with warnings.catch_warnings(record=True):
        api_test(env, num_cycles=100)
    env.reset(seed=1)
    env.step(25)
    assert env.rewards == {"player_0": -1, "player_1": 0}


# Spaces and observations.


def test_spaces_are_the_same_objects_at_every_call(game):
    env = game.env()
    for agent in env.possible_agents:
        space = env.observation_space(agent)
        assert env.observation_space(agent) is space
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent).n == game.num_actions
        assert space["observation"].dtype == np.float32
        assert space["observation"].shape == (game.observation_size,)
        assert space["action_mask"].dtype == np.int8


def test_anybody_can_observe_at_any_time_and_only_the_mover_has_a_mask(game):
    env = game.env()
    for until in range(game.facts.max_decisions + 1):
        play(env, seed=2, until=until)
        state = env.snapshot()
        for seat, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert seen["observation"].tobytes() == state.observation(seat).tobytes()
            moving = state.player == seat
            assert moving == (agent == env.agent_selection and not state.is_over)
            mask = state.legal_mask() if moving else np.zeros(game.num_actions, np.int8)
            assert seen["action_mask"].tolist() == mask.tolist()
            assert env.infos[agent]["action_mask"].tolist() == mask.tolist()
        if state.is_over:
            break
    else:
        pytest.fail("the game did not end")


def test_arrays_that_were_handed_out_stay_as_they_are():
    env = DragonDeck().env()
    env.reset(seed=1)
    handed = [env.last()[0], env.observe("player_1"), env.infos["player_0"]]
    before = repr(handed)
    for _ in range(6):
        env.step(int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])[0]))
    assert repr(handed) == before


def test_writing_to_arrays_that_were_handed_out_changes_nothing():
    env = DragonDeck().env()
    env.reset(seed=1)
    for array in (
        *env.observe("player_0").values(),
        env.infos["player_0"]["action_mask"],
        env.state(),
    ):
        array[:] = 1
    assert env.observe("player_0")["action_mask"].tolist() == [1, 1] + [0] * 24
    with pytest.raises(IllegalActionError):
        env.step(25)


# Seeds.


def test_reset_with_a_seed_is_reproducible(game):
    env, other = game.env(), game.env()
    for seed in (0, 1, 2**40):
        assert play(env, seed) == play(other, seed)
        assert everything(env) == everything(other)


def test_a_seed_settles_the_resets_after_it_and_they_differ():
    def games(env: DuelEnv) -> list[bytes]:
        found = []
        for seed in (7, None, None):
            env.reset(seed=seed)
            found.append(env.state().tobytes())
        return found

    first, second = games(DragonDeck().env()), games(DragonDeck().env())
    assert first == second
    assert len(set(first)) == 3


def test_games_without_a_seed_differ():
    states = set()
    for _ in range(3):
        env = DragonDeck().env()
        env.reset()
        states.add(env.state().tobytes())
    assert len(states) == 3


def test_global_random_numbers_are_left_alone():
    np.random.seed(1)  # noqa: NPY002
    before = repr(np.random.get_state())  # noqa: NPY002
    play(DragonDeck().env(), 1)
    DragonDeck().env().reset()
    assert repr(np.random.get_state()) == before  # noqa: NPY002


@pytest.mark.parametrize("seed", [1.5, "1"])
def test_a_seed_that_is_no_whole_number(seed):
    with pytest.raises(ValueError, match="a seed is a whole number"):
        DragonDeck().env().reset(seed=seed)


# Rewards.


def check_rewards(env: DuelEnv, seed: int) -> list[float]:
    """Play to the very end; every agent gets its return once, and nothing before."""
    moves = np.random.default_rng(seed)
    env.reset(seed=seed)
    totals = dict.fromkeys(env.possible_agents, 0.0)
    ends = dict.fromkeys(env.possible_agents, 0)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        totals[agent] += reward
        if terminated or truncated:
            ends[agent] += 1
            env.step(None)
        else:
            assert reward == 0
            env.step(int(moves.choice(np.flatnonzero(info["action_mask"]))))
    assert set(ends.values()) == {1}
    returns = env.snapshot().returns()
    assert list(totals.values()) == returns
    return returns


def test_the_rewards_of_last_add_up_to_the_returns(game):
    for seed in range(5):
        check_rewards(game.env(), seed)


def test_a_seat_without_a_decision_gets_its_return():
    returns = [check_rewards(ToyGame().env(), seed) for seed in range(30)]
    assert any(outcome[2] < 0 for outcome in returns)


def test_rewards_are_there_right_after_the_last_move(game):
    env = game.env()
    play(env, 3)
    assert list(env.rewards.values()) == env.snapshot().returns()
    assert all(env.terminations.values())
    assert not any(env.truncations.values())


def test_a_game_that_is_cut_off_is_truncated_for_all():
    env = ToyGame().env()
    env.reset(seed=1)
    for _ in range(6):
        env.step(0)
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    assert list(env.rewards.values()) == [0, 0, 0]


# Illegal and late actions.

ILLEGAL = [
    -1,
    26,
    2,
    25,
    1.0,
    0.5,
    None,
    "0",
    "keep",
    [0],
    (0,),
    np.array([0]),
    np.float32(0),
    True,
]


@pytest.mark.parametrize("action", ILLEGAL, ids=repr)
def test_an_illegal_action_changes_nothing(action):
    env = DragonDeck().env()
    play(env, 1, until=2)
    agent, before = env.agent_selection, everything(env)
    with pytest.raises(IllegalActionError) as caught:
        env.step(action)
    assert str(caught.value) == (
        f"dragon_deck_v0: action {action!r} of {agent} is illegal here; legal: 0 (keep), 1 (refuse)"
    )
    assert everything(env) == before


@pytest.mark.parametrize("kind", [int, np.int8, np.int32, np.int64, np.uint8, np.array])
def test_whole_numbers_of_any_kind_are_actions(kind):
    env, other = DragonDeck().env(), DragonDeck().env()
    env.reset(seed=1)
    other.reset(seed=1)
    env.step(kind(1))
    other.step(1)
    assert everything(env) == everything(other)


def test_a_finished_agent_takes_none_and_nothing_else():
    env = DragonDeck("tiny").env()
    play(env, 1)
    before = everything(env)
    for action in (0, 5, 99, "keep"):
        with pytest.raises(IllegalActionError, match="the only valid action is None"):
            env.step(action)  # type: ignore[arg-type]
    assert everything(env) == before
    env.step(None)
    assert len(env.agents) == 1
    env.step(None)
    assert env.agents == []


def test_calls_before_the_start_and_after_the_end():
    env = DragonDeck("tiny").env(render_mode="ansi")
    for call in (env.last, env.render, lambda: env.step(0), lambda: env.observe("player_0")):
        with pytest.raises(OrderError, match=r"call reset\(\)"):
            call()
    play(env, 1)
    env.step(None)
    env.step(None)
    for call in (env.last, lambda: env.step(0), lambda: env.step(None)):
        with pytest.raises(OrderError, match="over for all agents"):
            call()
    env.reset(seed=2)
    assert env.agents == ["player_0", "player_1"]


# Copies.


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("until", [0, 3, 12, 10**6])
def test_a_copy_goes_on_alike_and_apart(copied, until):
    env = DragonDeck().env()
    play(env, 5, until=until)
    before = everything(env)
    other = copied(env)
    assert everything(other) == before
    moves = np.random.default_rng(1)
    for _ in range(50):
        if not env.agents:
            env.reset()
            other.reset()
        mask = env.observe(env.agent_selection)["action_mask"]
        action = int(moves.choice(np.flatnonzero(mask))) if mask.any() else None
        before = everything(other)
        env.step(action)
        assert everything(other) == before
        other.step(action)
        assert everything(other) == everything(env)


def test_an_environment_can_be_copied_before_its_first_reset():
    env = pickle.loads(pickle.dumps(copy.deepcopy(DragonDeck().env())))
    with pytest.raises(OrderError):
        env.last()
    play(env, 1)


def test_a_snapshot_is_a_copy():
    env = DragonDeck().env()
    env.reset(seed=1)
    before = everything(env)
    state = env.snapshot()
    state.apply("keep")
    assert everything(env) == before


# Rendering.


def test_the_text_is_the_table():
    env = DragonDeck().env(render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == str(env.snapshot())


def test_human_prints_every_position(capsys):
    env, quiet = DragonDeck("tiny").env(render_mode="human"), DragonDeck("tiny").env("ansi")
    moves = play(env, 1)
    printed = capsys.readouterr().out
    quiet.reset(seed=1)
    texts = [quiet.render()]
    for _, action in moves:
        quiet.step(action)
        texts.append(quiet.render())
    assert printed == "".join(f"{text}\n" for text in texts)
    assert env.render() is None


def test_pictures_have_one_shape_and_the_final_position_can_be_drawn(game):
    env = game.env(render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    play(env, 1)
    last = env.render()
    assert first.dtype == last.dtype == np.uint8
    assert first.shape == last.shape
    assert (first != last).any()
    while env.agents:
        env.step(None)
    assert (env.render() == last).all()


def test_render_modes_are_checked():
    with pytest.raises(OptionError, match="did you mean 'human'"):
        dragon_deck_v0.env(render_mode="humans")
    env = dragon_deck_v0.env()
    env.reset()
    with pytest.raises(OptionError, match="nothing to render"):
        env.render()


def test_options_are_checked():
    with pytest.raises(OptionError, match="no option 'values'"):
        dragon_deck_v0.env(values=4)
    with pytest.raises(OptionError, match="no variant"):
        dragon_deck_v0.env(variant="huge")


def test_text_needs_no_graphics_and_nothing_needs_torch(run_python):
    code = inspect.cleandoc(
        """
        import sys
        from duelgym.envs import dragon_deck_v0
        heavy = {"torch", "PIL", "matplotlib", "safetensors", "tensorboard", "pydantic"}
        print(sorted(heavy & set(sys.modules)))
        env = dragon_deck_v0.env(render_mode="ansi")
        env.reset(seed=1)
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            over = terminated or truncated
            env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
            env.render()
        print(sorted(heavy & set(sys.modules)))
        """
    )
    assert run_python("-c", code).splitlines() == ["[]", "[]"]


def test_errors_are_of_one_family():
    assert issubclass(IllegalActionError, DuelgymError)
    assert issubclass(IllegalActionError, ValueError)
    assert issubclass(OrderError, RuntimeError)


# The same games as elsewhere.


def test_it_plays_the_same_game_as_a_state(game):
    env = game.env()
    for seed in range(5):
        env.reset(seed=seed)
        state = game.start(int(env.snapshot().record.seed))
        moves = np.random.default_rng(seed)
        while not state.is_over:
            assert env.state().tobytes() == state.record.tobytes()
            assert env.possible_agents[state.player] == env.agent_selection
            action = int(moves.choice(state.legal_actions()))
            env.step(action)
            state.apply(action)
        assert env.state().tobytes() == state.record.tobytes()
        assert list(env.rewards.values()) == state.returns()
