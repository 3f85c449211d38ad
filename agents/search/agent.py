"""What all agents that search have in common: parameters, budgets, threads and scratch memory."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...envs.core import threads
from ...envs.core.errors import OptionError
from ...envs.core.game import Game
from ..compiled import CompiledAgent
from ..parameters import Parameter, amount, count, read
from ..protocol import Agent
from .playing import Table

if TYPE_CHECKING:
    from ...envs.core.state import State
    from ...envs.core.vector import VectorEnv

CHUNK = 16
"""Iterations between two looks at the clock."""
ROLLOUTS = {
    "delights_and_dragons": "trader",
    "dragon_deck": "greedy+matrix",
    "dragons_path": "warden",
    "gem_duel": "reasoner",
}
"""Who plays on, rather than ``random``: the strongest player of each game that is quick enough for
thousands of playouts. Search is about a step of improvement on it."""


class PositionAgent(Agent):
    """Chooses moves from positions instead of observations."""

    def choose(
        self, observations: np.ndarray, masks: np.ndarray, rows: np.ndarray, actions: np.ndarray
    ) -> None:
        """Refuse: nothing can be played on from an observation.

        Raises:
            OptionError: Always.
        """
        raise OptionError(
            f"agent {self.name!r} searches, which takes a state and not an observation: use "
            "act_in(state), or decide(env, rows, actions) in a vector environment"
        )

    def decide(self, env: VectorEnv, rows: np.ndarray, actions: np.ndarray) -> None:
        """See ``Agent.decide``."""
        self._search(env.states, rows, actions, env.num_threads)

    def _act_in(self, state: State) -> int:
        actions = np.zeros(1, np.int64)
        self._search(state.records, np.zeros(1, np.int64), actions, 1)
        return int(actions[0])

    @abstractmethod
    def _search(
        self, states: np.ndarray, rows: np.ndarray, actions: np.ndarray, num_threads: int | None
    ) -> None:
        """Write ``actions[row]`` for the games in ``rows`` of the records ``states``.

        ``num_threads`` may work on it; None means one a core.
        """


class SearchAgent(PositionAgent):
    """Plays positions on, in worlds drawn anew from all that its seat cannot tell apart.

    It is given states, and looks at them through ``resample`` alone: what it does is a function of
    the information state, of its own seed, and of its parameters. With a budget in iterations the
    same seed gives the same moves on one thread and on many; with one in milliseconds it depends
    on how fast the machine is.
    """

    PARAMETERS: ClassVar[Mapping[str, Parameter]] = {
        "iterations": Parameter(None, count, "a whole number of at least 1"),
        "milliseconds": Parameter(None, amount, "a number of at least 0"),
        "rollout": Parameter(None, str, "the name of a scripted agent, or two: greedy+matrix"),
    }
    """Which there are, with defaults. Without a budget it is 1,000 iterations for a decision, and
    without a rollout policy that of ``ROLLOUTS``, else ``random``."""

    def __init__(self, **parameters: object) -> None:
        """Make an agent with other values of its ``PARAMETERS``.

        Raises:
            OptionError: There is no such parameter, or it cannot have this value.
        """
        kind = self.name
        self.parameters: dict[str, Any] = read(kind, self.PARAMETERS, parameters)
        if None not in (self.parameters["iterations"], self.parameters["milliseconds"]):
            raise OptionError(f"{kind}: the budget is in iterations or in milliseconds, not both")
        if self.parameters["milliseconds"] is None:
            self.parameters["iterations"] = self.parameters["iterations"] or 1000
        given = ",".join(f"{name}={value}" for name, value in parameters.items())
        self.name = f"{kind}:{given}" if given else kind

    def check(self, game: Game) -> None:
        """Raise ``OptionError`` if the rollouts cannot be played in ``game``."""
        self._rollouts(game)

    def rollout_name(self, game: Game) -> str:
        """The name of the agent that plays on from where the search ends, or those of two."""
        return self.parameters["rollout"] or ROLLOUTS.get(game.name, "random")

    def _rollouts(self, game: Game) -> list[CompiledAgent]:
        """The one or two agents that play on from where the search ends."""
        from .. import agent_names, make_agent

        text = self.rollout_name(game)
        names, known = text.split("+"), agent_names(game)
        if len(names) > 2 or not set(names) <= set(known):
            raise OptionError(
                f"agent {self.name!r}: rollouts in {game.label} are played by one of "
                f"{', '.join(known)}, or by two with a + in between, not {text!r}"
            )
        found = [make_agent(name, game) for name in names]
        return [agent for agent in found if isinstance(agent, CompiledAgent)]

    def _prepare(self, game: Game, seeds: np.ndarray) -> None:
        self._playing = game
        self._seeds, self._words = seeds.copy(), np.zeros(len(seeds), np.int64)
        self._scratch: list[tuple[Any, ...]] = []
        # Compiles what there is to compile, so that it is not on the clock of a decision.
        none = np.zeros(0, np.int64)
        self._grow(game.template, none, none, self._scratch_of(0), (0, 0), (0, 0))

    def _scratch_of(self, slot: int) -> tuple[Any, ...]:
        """Memory that one thread writes to."""
        while len(self._scratch) <= slot:
            self._scratch.append(self._make_scratch(self._playing))
        return self._scratch[slot]

    def _make_table(self, game: Game) -> Table:
        """What one thread plays on."""
        rollouts = self._rollouts(game)
        observed = any(rollout.name != "random" for rollout in rollouts)
        return Table(
            np.zeros(1, game.record),
            rollouts[0].records(game, np.zeros(1, np.uint64)),
            rollouts[1].records(game, np.zeros(1, np.uint64)) if rollouts[1:] else None,
            np.zeros(1, np.int64),
            np.zeros(game.num_actions, np.int8),
            np.zeros(game.facts.num_chance_outcomes, np.int32),
            np.zeros(game.observation_size if observed else 0, np.float32),
            np.zeros(game.num_players, np.float32),
        )

    @abstractmethod
    def _make_scratch(self, game: Game) -> tuple[Any, ...]:
        """Memory that one thread writes to."""

    @abstractmethod
    def _grow(
        self,
        states: np.ndarray,
        rows: np.ndarray,
        actions: np.ndarray,
        scratch: tuple[Any, ...],
        iterations: tuple[int, int],
        part: tuple[int, int],
    ) -> bool:
        """Search on in a part of ``rows`` and write the actions found so far.

        Args:
            states: Records ``[all rows]``.
            rows: int64 ``[m]``.
            actions: int64 ``[all rows]``.
            scratch: What ``_make_scratch`` made; with the first iteration all is forgotten.
            iterations: The first, and the one after the last.
            part: First index into ``rows``, and the one after the last.

        Returns:
            Whether the last row had a choice at all.
        """

    def _search(
        self, states: np.ndarray, rows: np.ndarray, actions: np.ndarray, num_threads: int | None
    ) -> None:
        slices = max(1, min(num_threads or threads.num_cores(), len(rows)))
        scratch = [self._scratch_of(slot) for slot in range(slices)]
        milliseconds = self.parameters["milliseconds"]

        def search(slot: int, low: int, high: int) -> None:
            if milliseconds is None:
                iterations = (0, self.parameters["iterations"])
                self._grow(states, rows, actions, scratch[slot], iterations, (low, high))
                return
            for index in range(low, high):
                end = time.perf_counter() + milliseconds / 1000
                done, part = 0, (index, index + 1)
                while self._grow(
                    states, rows, actions, scratch[slot], (done, done + CHUNK), part
                ) and (time.perf_counter() < end):
                    done += CHUNK

        threads.run(search, len(rows), slices)
        self._words[rows] += 1
