"""What an agent does in whole games against itself, row by row.

Run as a script it prints the moves of the scripted agents of every game and variant:
``python agent_moves.py GAMES``.
"""

from __future__ import annotations

import sys

import numpy as np
from duelgym.agents import agent_names, make_agent
from duelgym.agents.protocol import Agent
from duelgym.envs import GAMES, game_class, make
from duelgym.envs.core import Game


def moves(agent: Agent, game: Game, chance: np.ndarray, seeds: np.ndarray, steps: int):
    """Actions int64 ``[steps, rows]`` of ``agent`` in all seats; uint64 seeds ``[rows]``."""
    env = game.vector(len(seeds), num_threads=1)
    env.reset_rows(chance)
    agent.begin(game, seeds)
    rows = np.arange(len(seeds))
    actions = np.zeros(len(seeds), np.int64)
    made = []
    for _ in range(steps):
        agent.choose(env.observations, env.masks, rows, actions)
        made.append(actions.copy())
        env.step(actions)
    return np.array(made)


def all_moves(games: int) -> list[str]:
    """A line for each game, variant and scripted agent."""
    lines = []
    seeds = np.arange(1, games + 1, dtype=np.uint64)
    for played in GAMES:
        for variant in game_class(played).variants:
            game = make(played, variant)
            steps = min(60, game.facts.max_decisions)
            for name in agent_names(game):
                made = moves(make_agent(name, game), game, seeds, seeds, steps)
                lines.append(f"{played} {variant} {name}: {made.T.tolist()}")
    return lines


if __name__ == "__main__":
    print("\n".join(all_moves(int(sys.argv[1]))))
