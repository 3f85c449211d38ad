"""Agents that know how likely each of their moves is, and sample from that."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from ..envs.core.compilation import kernel
from ..envs.core.game import Game
from ..envs.core.randomness import random_word
from .protocol import Agent


class SamplingAgent(Agent):
    """An agent with a policy that looks at nothing but the observation."""

    def _prepare(self, game: Game, seeds: np.ndarray) -> None:
        self._seeds = seeds
        self._words = np.zeros(len(seeds), np.int64)

    @abstractmethod
    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The policy: ``[m, num_actions]``, zero where ``masks`` is; arguments as for ``choose``."""

    def choose(
        self, observations: np.ndarray, masks: np.ndarray, rows: np.ndarray, actions: np.ndarray
    ) -> None:
        """See ``Agent.choose``."""
        policy = self.probabilities(observations[rows], masks[rows])
        sample_rows(policy, masks, self._seeds, self._words, rows, actions)


@kernel
def sample_rows(policy, masks, seeds, words, rows, actions):
    """Sample ``actions[row]`` from ``policy`` ``[m, actions]``, with each row's own words."""
    for index in range(rows.shape[0]):
        row = rows[index]
        words[row] += 1
        left = (random_word(seeds[row], 3, words[row]) >> np.uint64(40)) / 2**24
        for action in range(policy.shape[1]):
            if masks[row, action]:
                # The last legal action also takes what rounding leaves over.
                actions[row] = action
                left -= policy[index, action]
                if left < 0:
                    break
