"""Compiled agents: a record of parameters and randomness, and ``choose`` dispatched by its type."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
from numba import njit
from numba.extending import overload

from ..envs.core import records
from ..envs.core.compilation import borrowed, kernel
from ..envs.core.dispatch import compiled, interpreted
from ..envs.core.errors import OptionError
from ..envs.core.game import Game
from ..envs.core.randomness import below, random_word
from .protocol import Agent

CLOSE = 1e-9
"""Values that differ by less are equal, and only rounding tells them apart."""


def choose(agent, observation, mask):
    """The action of a compiled agent: an index where ``mask`` is not zero.

    ``agent`` is its record, ``observation`` float32 ``[observation_size]`` and ``mask`` int8
    ``[num_actions]``. Randomness comes from ``next_word(agent)``.
    """
    return interpreted(agent, "choose")(agent, observation, mask)


@overload(choose, strict=False)
def _choose(agent, observation, mask):
    return compiled(agent, "choose")


def policy(agent, observation, mask, out):
    """Write how likely ``choose`` is to take each action to ``out``.

    ``out`` is float64 ``[num_actions]``, all zero on entry; the record stays as it is.
    """
    return interpreted(agent, "policy")(agent, observation, mask, out)


@overload(policy, strict=False)
def _policy(agent, observation, mask, out):
    return compiled(agent, "policy")


@njit(cache=True)
def next_word(agent):
    """The agent's next random uint64."""
    agent.words += 1
    return random_word(agent.seed, 3, agent.words)


@njit(cache=True)
def best_of(agent, values):
    """The index of the greatest of ``values``, drawn from those that share it; -1 if there is none.

    ``values`` is float64 ``[n]``, -inf where an index is not to be had.
    """
    best, ties = -1, 0
    for index in range(values.shape[0]):
        value = values[index]
        if value == -np.inf:
            continue
        if best < 0 or value > values[best] + CLOSE:
            best, ties = index, 1
        elif value >= values[best] - CLOSE:
            ties += 1
            if below(next_word(agent), ties) == 0:
                best = index
    return best


@kernel
def choose_rows(agents, observations, masks, rows, actions):
    """``actions[row] = choose(...)`` for every row in ``rows``."""
    observations, masks = borrowed(observations), borrowed(masks)
    for index in range(rows.shape[0]):
        row = rows[index]
        actions[row] = choose(agents[row], observations[row], masks[row])


@kernel
def policy_rows(agents, observations, masks, out):
    """Write the policy of ``agents[0]`` for every observation: ``out`` float64 ``[m, num_actions]``."""
    observations, masks, out = borrowed(observations), borrowed(masks), borrowed(out)
    for row in range(out.shape[0]):
        policy(agents[0], observations[row], masks[row], out[row])


class CompiledAgent(Agent):
    """An agent whose module defines a compiled ``choose``; rows are records with their own seeds."""

    games: ClassVar[Sequence[str]] = ()
    """Names of the games that it plays; empty means all."""
    module: ClassVar[ModuleType]
    """The module that defines ``choose``."""
    fields: ClassVar[Sequence[records.Field]] = ()
    """Fields of the record besides ``seed`` and ``words``."""
    record: ClassVar[np.dtype]
    functions: ClassVar[Sequence[str]] = ("choose",)
    """What ``module`` defines for the record type."""

    def __init_subclass__(cls) -> None:
        """Register the record type of the agent, unless it is a kind of agents without a module."""
        super().__init_subclass__()
        if not hasattr(cls, "module"):
            return
        own = [("seed", np.uint64), ("words", np.int64), *cls.fields]
        label = f"agent_{'_'.join(cls.games) or 'any'}_{cls.name}"
        cls.record = records.register(label, own, cls.module, cls.functions, __name__)

    def check(self, game: Game) -> None:
        """Raise ``OptionError`` if the agent does not know ``game``."""
        if self.games and game.name not in self.games:
            raise OptionError(f"agent {self.name!r} plays {', '.join(self.games)}, not {game.name}")

    def parameters(self, game: Game) -> dict[str, Any]:
        """Values of the record's own fields."""
        return {}

    def records(self, game: Game, seeds: np.ndarray) -> np.ndarray:
        """A record of this agent for each of ``seeds`` uint64 ``[rows]``."""
        agents = np.zeros(len(seeds), self.record)
        agents["seed"] = seeds
        for field, value in self.parameters(game).items():
            agents[field] = value
        return agents

    def _prepare(self, game: Game, seeds: np.ndarray) -> None:
        self._agents = self.records(game, seeds)

    def choose(
        self, observations: np.ndarray, masks: np.ndarray, rows: np.ndarray, actions: np.ndarray
    ) -> None:
        """See ``Agent.choose``."""
        choose_rows(self._agents, observations, masks, rows, actions)


class MixingAgent(CompiledAgent):
    """A compiled agent that can say what it does: its module defines ``policy``, too."""

    functions = ("choose", "policy")

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The exact distribution that ``choose`` draws from: float64 ``[m, num_actions]``.

        ``begin`` has been called with the game. Several threads may ask at once.

        Args:
            observations: float32 ``[m, observation_size]``.
            masks: int8 ``[m, num_actions]``.
        """
        out = np.zeros(masks.shape)
        policy_rows(self._agents, observations, masks, out)
        return out
