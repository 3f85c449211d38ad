"""Fixtures of the tests of agents."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from duelgym.agents.protocol import Agent
from duelgym.envs import game_class
from duelgym.envs.core import Game
from duelgym.envs.core.randomness import row_seeds
from duelgym.envs.delights_and_dragons import DelightsAndDragons
from duelgym.envs.dragon_deck import DragonDeck


@pytest.fixture(params=list(game_class("dragon_deck").variants))
def dragon_deck(request: pytest.FixtureRequest) -> DragonDeck:
    """Dragon Deck in every variant."""
    return DragonDeck(request.param)


@pytest.fixture(params=list(DelightsAndDragons.variants))
def delights_and_dragons(request: pytest.FixtureRequest) -> DelightsAndDragons:
    """Delights & Dragons in every variant."""
    return DelightsAndDragons(request.param)


@pytest.fixture(scope="session")
def win_rate() -> Callable[..., tuple[float, float]]:
    """Mirrored games of two agents: the first one's win rate as a 99 % confidence interval."""
    return _win_rate


def _win_rate(game: Game, first: Agent, second: Agent, pairs: int, seed: int):
    """Rows 2k and 2k + 1 meet the same chance with the seats exchanged; a pair is the unit."""
    rows = 2 * pairs
    first_seat = np.arange(rows) % 2
    env = game.vector(rows)
    env.reset_rows(np.repeat(row_seeds(np.uint64(seed), pairs), 2))
    first.begin(game, row_seeds(np.uint64(seed + 1), rows))
    second.begin(game, row_seeds(np.uint64(seed + 2), rows))
    actions = np.zeros(rows, np.int64)
    won, over = np.zeros(rows), np.zeros(rows, bool)
    while not over.all():
        of_first = env.players == first_seat
        first.decide(env, np.flatnonzero(of_first), actions)
        second.decide(env, np.flatnonzero(~of_first), actions)
        env.step(actions)
        ended = env.terminated & ~over
        won[ended] = env.rewards[ended, first_seat[ended]] > 0
        over |= ended
    by_pair = won.reshape(pairs, 2).mean(axis=1)
    margin = 2.576 * by_pair.std(ddof=1) / pairs**0.5
    return by_pair.mean() - margin, by_pair.mean() + margin
