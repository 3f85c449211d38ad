"""What tests of agents that search play."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from duelgym.envs.core import Game, State
from duelgym.envs.core.randomness import row_seeds


def seeds(seed: int, rows: int) -> np.ndarray:
    return row_seeds(np.uint64(seed), rows)


def decided(agent: Any, game: Game, rows: int, threads: int, moves: int = 6) -> np.ndarray:
    """What an agent does in all seats of some games: int64 ``[moves, rows]``."""
    env = game.vector(rows, num_threads=threads)
    env.reset(seed=3)
    agent.begin(game, seeds(4, rows))
    made = []
    for _ in range(moves):
        actions = np.full(rows, -1)
        agent.decide(env, np.arange(rows), actions)
        made.append(actions)
        env.step(actions)
    return np.array(made)


def positions(game: Game, games: int) -> Iterator[State]:
    """Decisions with a choice in random games."""
    moves = np.random.default_rng(2)
    for seed in range(games):
        state = game.start(seed)
        while not state.is_over:
            if len(state.legal_actions()) > 1:
                yield state
            state.apply(moves.choice(state.legal_actions()))
