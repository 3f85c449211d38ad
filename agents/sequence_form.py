"""Small two-player games in sequence form, for exact values, best responses and equilibria.

A game is unrolled once into its sequence form (Koller, Megiddo and von Stengel, "Fast algorithms
for finding randomized strategies in game trees", 1994): with perfect recall, what a player has done
so far is one sequence of moves, and the payoff of an end is weighted by chance and by how likely each
player is to make its own sequence. A policy is then asked about all information states in one batch,
and its best response follows by adding up gains from the last decisions to the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

from ..envs.core.errors import DuelgymError, OptionError
from ..envs.core.game import Game
from ..envs.core.state import State

MAX_POSITIONS = 1_000_000
"""Games that seem to have more positions, chance nodes and ends included, are refused."""


class HasProbabilities(Protocol):
    """An agent that can say how likely it is to make each move, such as a neural one."""

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """See ``Policy``."""
        ...


Policy = Callable[[np.ndarray, np.ndarray], np.ndarray] | HasProbabilities
"""From observations, float32 ``[m, observation_size]``, and masks, int8 ``[m, num_actions]``, to the
probabilities of all actions ``[m, num_actions]``; a function, or an agent with ``probabilities``."""


class PolicyError(DuelgymError, ValueError):
    """What a policy gave is not a distribution over the legal actions."""


def asker(game: Game, policy: Policy) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """A function that asks ``policy`` and gives what it says as float64, or raises ``PolicyError``.

    What float32 has lost is restored, so that every row is a distribution.
    """
    ask = policy if callable(policy) else policy.probabilities

    def checked(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        given = np.asarray(ask(observations.copy(), masks.copy()), np.float64)
        if given.shape != masks.shape:
            raise PolicyError(
                f"{game.label}: a policy gives probabilities {list(masks.shape)}, "
                f"not {list(given.shape)}"
            )
        legal = np.where(masks, given, 0)
        wrong = ~(given >= 0).all(1) | ~(abs(given.sum(1) - 1) < 1e-3) | ~(legal.sum(1) > 0.999)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            names = [game.action_name(int(n)) for n in np.flatnonzero(masks[row])]
            raise PolicyError(
                f"{game.label}: a policy gives probabilities over {', '.join(names)}, not "
                f"{given[row].tolist()}, for {game.describe(observations[row])}"
            )
        return legal / legal.sum(1, keepdims=True)

    return checked


@dataclass(frozen=True, eq=False)
class SequenceForm:
    """A game as arrays, with information states, ends and sequences of moves by number.

    Sequence 0 is the empty one. The one whose last move is ``action`` in an information state has
    the number ``1 + information_state * num_actions + action``.

    Attributes:
        game: The game.
        observations: float32 ``[num_information_states, observation_size]``, of the seat to move.
        masks: int8 ``[num_information_states, num_actions]``.
        seats: int64 ``[num_information_states]``, the seat to move.
        parents: int64 ``[num_information_states]``, the mover's own sequence that leads there.
        levels: Information states by how many decisions of the mover came before.
        ends: int64 ``[num_ends, 2]``, the sequences of both seats that lead to each end.
        returns: float64 ``[num_ends, 2]``, its payoffs.
        chances: float64 ``[num_ends]``, the product of the chance probabilities before it.
    """

    game: Game
    observations: np.ndarray
    masks: np.ndarray
    seats: np.ndarray
    parents: np.ndarray
    levels: Sequence[np.ndarray]
    ends: np.ndarray
    returns: np.ndarray
    chances: np.ndarray

    def plan(self, policy: Policy) -> np.ndarray:
        """How likely a policy is to make each sequence, as far as it is up to it: float64 ``[sequences]``.

        Raises:
            PolicyError: The policy does not give a distribution over the legal actions.
        """
        return self.sequence_plan(asker(self.game, policy)(self.observations, self.masks))

    def sequence_plan(self, probabilities: np.ndarray) -> np.ndarray:
        """The same from probabilities, float64 ``[num_information_states, num_actions]``."""
        plan = np.ones(1 + self.masks.size)
        by_state = plan[1:].reshape(self.masks.shape)
        for states in self.levels:
            by_state[states] = plan[self.parents[states], None] * probabilities[states]
        return plan

    def values(self, plan: np.ndarray) -> np.ndarray:
        """What each seat gets on average if both follow ``plan``: float64 ``[2]``."""
        return (self.chances * plan[self.ends].prod(1)) @ self.returns

    def best_response_values(self, plan: np.ndarray) -> np.ndarray:
        """What each seat gets on average if only the other follows ``plan``: float64 ``[2]``."""
        values = np.zeros(2)
        for seat in range(2):
            gains = self._gains(plan, seat)
            by_state = gains[1:].reshape(self.masks.shape)
            # The other seat's information states take part with gains of 0.
            for states in reversed(self.levels):
                best = np.where(self.masks[states], by_state[states], -np.inf).max(1)
                np.add.at(gains, self.parents[states], best)
            values[seat] = gains[0]
        return values

    def regrets(self, plan: np.ndarray, probabilities: np.ndarray, seat: int) -> np.ndarray:
        """What each action of ``seat`` gains over its policy, by how often the others let it come to that.

        Counterfactual regrets (Zinkevich et al., "Regret minimization in games with incomplete
        information", 2007): float64 ``[num_information_states, num_actions]``, 0 where it does not
        choose.
        """
        regrets = np.zeros(self.masks.shape)
        gains = self._gains(plan, seat)
        by_state = gains[1:].reshape(self.masks.shape)
        for states in reversed(self.levels):
            means = (probabilities[states] * by_state[states]).sum(1)
            np.add.at(gains, self.parents[states], means)
            regrets[states] = by_state[states] - means[:, None]
        return regrets * self.masks * (self.seats == seat)[:, None]

    def _gains(self, plan: np.ndarray, seat: int) -> np.ndarray:
        """What a seat gets at the ends of each of its sequences, weighted by chance and the other."""
        weights = self.chances * plan[self.ends[:, 1 - seat]] * self.returns[:, seat]
        return np.bincount(self.ends[:, seat], weights, minlength=len(plan))


@lru_cache(maxsize=4)
def sequence_form(game: Game) -> SequenceForm:
    """The sequence form of a game, kept for the next call.

    Raises:
        OptionError: The game does not have two players and zero sum, or it is too large.
    """
    facts = game.facts
    if facts.num_players != 2 or not facts.zero_sum:
        raise OptionError(
            f"{game.label}: exploitability is exact for two-player zero-sum games only, "
            f"not for {facts.num_players} players{'' if facts.zero_sum else ' without zero sum'}"
        )
    positions = estimate_positions(game)
    if positions > MAX_POSITIONS:
        raise OptionError(
            f"{game.label} has about {positions:.0e} positions, too many for exact exploitability "
            f"(at most {MAX_POSITIONS:,}); use a smaller variant or evaluate against agents instead"
        )
    numbers: dict[tuple[int, ...], int] = {}
    observations, masks, seats, parents, depths = [], [], [], [], []
    ends, returns, chances = [], [], []
    waiting = [(game.start(0, explicit_chance=True), 1.0, (0, 0))]
    while waiting:
        state, chance, sequences = waiting.pop()
        if state.is_over:
            ends.append(sequences)
            returns.append(state.returns())
            chances.append(chance)
        elif state.is_chance:
            for outcome, probability in state.chance_outcomes():
                waiting.append((_after(state, outcome), chance * probability, sequences))
        else:
            seat = state.player
            key = (seat, *state.information_state(seat))
            if key not in numbers:
                numbers[key] = len(numbers)
                observations.append(state.observation())
                masks.append(state.legal_mask())
                seats.append(seat)
                parents.append(sequences[seat])
                earlier = (sequences[seat] - 1) // game.num_actions
                depths.append(depths[earlier] + 1 if sequences[seat] else 0)
            number = numbers[key]
            if parents[number] != sequences[seat]:
                raise ValueError(f"{game.label}: seat {seat} does not recall its own moves")
            for action in state.legal_actions():
                both = list(sequences)
                both[seat] = 1 + number * game.num_actions + action
                waiting.append((_after(state, action), chance, (both[0], both[1])))
    return SequenceForm(
        game,
        np.array(observations),
        np.array(masks),
        np.array(seats),
        np.array(parents),
        [np.flatnonzero(np.equal(depths, depth)) for depth in range(max(depths) + 1)],
        np.array(ends),
        np.array(returns),
        np.array(chances),
    )


def estimate_positions(game: Game, descents: int = 100) -> float:
    """About how many positions a game has, without visiting them all.

    The number of positions at each depth is the mean of the product of the choices on a random
    way down (Knuth, "Estimating the efficiency of backtrack programs", 1975).
    """
    choose = np.random.default_rng(0)
    total = 0.0
    for _ in range(descents):
        state, width = game.start(0, explicit_chance=True), 1
        total += width
        while not state.is_over:
            options = state.legal_actions()
            width *= len(options)
            total += width
            state.apply(int(choose.choice(options)))
    return total / descents


def _after(state: State, action: int) -> State:
    following = state.clone()
    following.apply(action)
    return following
