"""Agents whose every move is known beforehand; in a module that a spawned interpreter can import."""

from __future__ import annotations

import numpy as np
from duelgym.agents.protocol import Agent
from duelgym.envs.core import Game


class FixedAgent(Agent):
    """Plays the first legal action, or the last one, and remembers where it was asked."""

    def __init__(self, last: bool = False) -> None:
        self.last = last
        self.name = "last" if last else "first"

    def _prepare(self, game: Game, seeds: np.ndarray) -> None:
        self.seeds = seeds
        self.asked = np.zeros(len(seeds), np.int64)
        self.begun = np.zeros(len(seeds), np.int64)

    def begin_games(self, rows: np.ndarray) -> None:
        self.begun[rows] += 1

    def choose(self, observations, masks, rows, actions) -> None:
        legal = masks[rows] > 0
        size = masks.shape[1]
        actions[rows] = size - 1 - legal[:, ::-1].argmax(1) if self.last else legal.argmax(1)
        self.asked[rows] += 1
