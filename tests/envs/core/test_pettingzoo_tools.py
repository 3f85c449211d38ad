"""What people use with PettingZoo's environments: its conversions, SuperSuit, Shimmy, SB3 with masks."""

from __future__ import annotations

import copy
import warnings
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pettingzoo.utils
import pytest
import supersuit
import torch
from duelgym.envs import dragon_deck_v0, gem_duel_v0, make
from duelgym.envs.core import IllegalActionError
from duelgym.training import openspiel
from pettingzoo import AECEnv
from pettingzoo.test import parallel_api_test
from pettingzoo.utils.conversions import aec_to_parallel, turn_based_aec_to_parallel
from sb3_contrib import MaskablePPO
from sb3_contrib.common.wrappers import ActionMasker
from shimmy import OpenSpielCompatibilityV0

# The parallel view.


def test_the_parallel_view_passes_pettingzoos_test(game):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env: Any = game.env()
        parallel_api_test(turn_based_aec_to_parallel(env), num_cycles=100)


def test_the_parallel_view_is_the_same_game():
    """What the others send is not looked at, and they see no mask."""
    turns: Any = gem_duel_v0.env(num_players=3)
    parallel = turn_based_aec_to_parallel(copy.deepcopy(turns))
    parallel.reset(seed=1)
    turns.reset(seed=1)
    choose = np.random.default_rng(0)
    while parallel.agents:
        mover = turns.agent_selection
        action = int(choose.choice(np.flatnonzero(turns.infos[mover]["action_mask"])))
        sent = dict.fromkeys(parallel.agents, 0) | {mover: action}
        observations, rewards, over, cut, infos = parallel.step(sent)
        turns.step(action)
        for agent in turns.agents:
            seen, same = observations[agent], turns.observe(agent)
            assert seen["observation"].tobytes() == same["observation"].tobytes()
            assert seen["action_mask"].tolist() == same["action_mask"].tolist()
        assert (rewards, over, cut) == (turns.rewards, turns.terminations, turns.truncations)
        if parallel.agents:
            assert {info["active_agent"] for info in infos.values()} == {turns.agent_selection}
    assert all(over.values())
    assert set(rewards.values()) != {0}


def test_the_view_for_simultaneous_moves_is_refused(game):
    with pytest.raises(AssertionError, match="is_parallelizable"):
        aec_to_parallel(game.env())


# SuperSuit.


def without_dictionary(env: AECEnv) -> Any:
    """The observation alone, as the wrappers for boxes want it; the mask stays in ``info``."""
    return supersuit.observation_lambda_v0(
        env, lambda seen, *_: seen["observation"], lambda space, *_: space["observation"]
    )


def played(env: Any) -> tuple[list[Any], list[float]]:
    """What is seen and rewarded in a game of first legal actions."""
    seen, rewards = [], []
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, over, cut, info = env.last()
        assert env.observation_space(agent).contains(observation)
        seen.append(observation)
        rewards.append(reward)
        env.step(None if over or cut else int(np.flatnonzero(info["action_mask"])[0]))
    return seen, rewards


PLAIN = played(dragon_deck_v0.env(variant="small"))


@pytest.mark.parametrize(
    "wrap",
    [
        lambda env: supersuit.pad_action_space_v0(env),
        lambda env: supersuit.nan_noop_v0(env, 0),
        lambda env: supersuit.action_lambda_v1(env, lambda action, _: action, lambda space: space),
    ],
)
def test_supersuits_wrappers_of_actions_apply_to_the_dictionary(wrap):
    seen, rewards = played(wrap(dragon_deck_v0.env(variant="small")))
    assert rewards == PLAIN[1]
    for one, plain in zip(seen, PLAIN[0], strict=True):
        assert one["observation"].tolist() == plain["observation"].tolist()


def test_supersuits_wrappers_of_rewards_apply_to_the_dictionary():
    env = dragon_deck_v0.env(variant="small")
    assert played(supersuit.clip_reward_v0(env, -2, 0))[1] == [
        max(-2, min(0, reward)) for reward in PLAIN[1]
    ]
    assert played(supersuit.reward_lambda_v0(env, lambda reward: 3 * reward))[1] == [
        3 * reward for reward in PLAIN[1]
    ]


@pytest.mark.parametrize(
    ("wrap", "size"),
    [
        (lambda env: env, 98),
        (supersuit.flatten_v0, 98),
        (lambda env: supersuit.dtype_v0(env, np.float64), 98),
        (supersuit.normalize_obs_v0, 98),
        (lambda env: supersuit.frame_stack_v1(env, 3), 3 * 98),
        (lambda env: supersuit.delay_observations_v0(env, 2), 98),
        (lambda env: supersuit.max_observation_v0(env, 2), 98),
        (supersuit.pad_observations_v0, 98),
    ],
)
def test_supersuits_wrappers_of_boxes_apply_to_the_observation_alone(wrap, size):
    seen, rewards = played(wrap(without_dictionary(dragon_deck_v0.env(variant="small"))))
    assert {one.shape for one in seen} == {(size,)}
    assert rewards == PLAIN[1]


def test_wrappers_that_play_by_themselves_meet_a_clear_error():
    with pytest.raises(IllegalActionError, match="is illegal here; legal: "):
        played(supersuit.sticky_actions_v0(dragon_deck_v0.env(variant="small"), 0.5))


# Shimmy, whose only wrapper that applies takes games of OpenSpiel.


def test_shimmy_wraps_our_games_of_openspiel():
    game = make("dragon_deck", "small")
    env: Any = OpenSpielCompatibilityV0(env=openspiel.load(game), render_mode=None)
    env.reset(seed=3)
    moves = 0
    for _ in env.agent_iter():
        seen, _, over, cut, info = env.last()
        assert np.shape(seen) == (game.observation_size,)
        env.step(None if over or cut else int(np.flatnonzero(info["action_mask"])[0]))
        moves += 1
    assert moves >= game.facts.min_decisions


# Masked self-play with Stable-Baselines3, as PettingZoo's tutorial does it with Connect Four: one policy
# sees every seat in turn, through a wrapper that is both PettingZoo's and Gymnasium's.


class OnePolicy(pettingzoo.utils.BaseWrapper, gymnasium.Env):  # type: ignore[misc]
    """Every seat in turn, as one agent."""

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        first = self.possible_agents[0]
        self.observation_space = super().observation_space(first)["observation"]  # type: ignore[index]
        self.action_space = super().action_space(first)  # type: ignore[assignment]
        return self.observe(self.agent_selection), {}

    def step(self, action):
        mover = self.agent_selection
        super().step(action)
        return (
            self.observe(self.agent_selection),
            self._cumulative_rewards[mover],
            self.terminations[mover],
            self.truncations[mover],
            self.infos[mover],
        )

    def observe(self, agent):
        return super().observe(agent)["observation"]  # type: ignore[index]

    def action_mask(self):
        return super().observe(self.agent_selection)["action_mask"]  # type: ignore[index]


def trained(module: ModuleType, steps: int, **options: Any) -> MaskablePPO:
    env: Any = OnePolicy(module.env(**options))
    env.reset(seed=0)
    model = MaskablePPO(
        "MlpPolicy", ActionMasker(env, lambda _: env.action_mask()), n_steps=512, seed=0
    )
    return model.learn(steps)


def score_against_random(module: ModuleType, model: MaskablePPO, games: int) -> float:
    """How many of the decided games the model wins as ``player_1``."""
    env = module.env()
    first, second = env.possible_agents
    wins = {first: 0, second: 0}
    for seed in range(games):
        env.reset(seed=seed)
        env.action_space(first).seed(seed)
        for agent in env.agent_iter():
            seen, _, over, cut, _ = env.last()
            observation, mask = seen.values()
            if over or cut:
                wins[max(env.rewards, key=env.rewards.get)] += env.rewards[first] != 0
                break
            if agent == first:
                action = env.action_space(agent).sample(mask)
            else:
                action = int(model.predict(observation, action_masks=mask, deterministic=True)[0])
            env.step(action)
    return wins[second] / sum(wins.values())


@pytest.fixture
def one_thread():
    """Torch's threads do not help with networks so small, and get in each other's way."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("module", [dragon_deck_v0, gem_duel_v0])
def test_masked_self_play_runs(module: ModuleType, one_thread):
    assert 0 <= score_against_random(module, trained(module, 512), 5) <= 1
