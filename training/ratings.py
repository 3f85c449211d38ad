"""Ratings of agents from the games of a tournament, and what a single number cannot say.

One agent is chosen to be first out of those at a table with a chance in proportion to its strength:
Luce's choice axiom. Between two that is the model of Bradley and Terry ("Rank analysis of
incomplete block designs", 1952), and place after place among more that of Plackett ("The analysis
of permutations", 1975). It is fitted to all games at once by maximum likelihood, whatever the
order in which they were played; the samples of its intervals are blocks, not games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ELO = 400 / np.log(10)
"""Points of Elo's scale that a factor of e in strength is worth."""

Choice = tuple[tuple[int, ...], tuple[float, ...]]
"""Who could have been next (numbers of agents, sorted), and the share of it that each of them got."""


@dataclass(frozen=True)
class Ranked:
    """The games of one table, block by block.

    Attributes:
        table: The agent at each position.
        ranks: int ``[blocks, games of a block, positions]``: 0 for the best, equal for ties.
    """

    table: tuple[int, ...]
    ranks: np.ndarray


def choices(table: Sequence[int], ranks: Sequence[int]) -> list[Choice]:
    """What a game with these ``ranks`` says, as choices of the next best out of those that are left.

    Who share a place share the choice, so a draw of two is half a win each way. Those who share
    the last place, behind others, are not compared with one another: nobody was chosen there.
    """
    found: list[Choice] = []
    left = sorted(range(len(table)), key=lambda position: (table[position], position))
    while left and (not found or len({ranks[position] for position in left}) > 1):
        best = min(ranks[position] for position in left)
        chosen = [position for position in left if ranks[position] == best]
        shares = tuple((position in chosen) / len(chosen) for position in left)
        found.append((tuple(table[position] for position in left), shares))
        left = [position for position in left if position not in chosen]
    return found


class Luce:
    """The counts that Luce's model is fitted to, for all games and for resampled ones.

    Attributes:
        sets: int ``[sets, agents]``: how often each agent is in each set that was chosen from.
        totals: float ``[samples, sets]``: how often a choice was made from it.
        wins: float ``[samples, agents]``: how often each agent was chosen.
    """

    def __init__(
        self, agents: int, tables: Sequence[Ranked], weights: Sequence[np.ndarray]
    ) -> None:
        """Count the choices of ``tables``, ``weights`` float ``[samples, blocks + 1]`` for each.

        The last weight is that of one more game of every table, in which all share the first place:
        strengths stay finite where an agent has won or lost all its games, and hardly change
        elsewhere.
        """
        samples = len(weights[0])
        self.wins = np.zeros((samples, agents))
        totals: dict[tuple[int, ...], np.ndarray] = {}

        def count(table: Sequence[int], ranks: Sequence[int], times: np.ndarray) -> None:
            for members, shares in choices(table, ranks):
                totals[members] = totals.get(members, 0) + times
                for agent, share in zip(members, shares, strict=True):
                    self.wins[:, agent] += share * times

        for found, weight in zip(tables, weights, strict=True):
            blocks, games, seats = found.ranks.shape
            kinds, which = np.unique(found.ranks.reshape(-1, seats), axis=0, return_inverse=True)
            of_block = np.zeros((blocks, len(kinds)))
            np.add.at(of_block, (np.arange(blocks * games) // games, which.reshape(-1)), 1)
            for kind, times in zip(kinds.tolist(), (weight[:, :-1] @ of_block).T, strict=True):
                count(found.table, kind, times)
            count(found.table, [0] * seats, weight[:, -1])
        self.sets = np.array([np.bincount(members, minlength=agents) for members in totals])
        self.totals = np.stack(list(totals.values()), axis=1)

    def fit(self) -> np.ndarray:
        """Logarithms of the strengths, float ``[samples, agents]``, of mean 0 in each sample.

        Newton's method: the likelihood is concave in them. Steps are cut to 1, far from the end.
        """
        samples, agents = self.wins.shape
        logs = np.zeros((samples, agents))
        for _ in range(100):
            weighted = self.sets * np.exp(logs)[:, None, :]
            chances = weighted / weighted.sum(axis=2, keepdims=True)
            expected = np.einsum("bs,bsi->bi", self.totals, chances)
            curvature = -np.einsum("bs,bsi,bsj->bij", self.totals, chances, chances, optimize=True)
            curvature[:, np.arange(agents), np.arange(agents)] += expected
            # All strengths together are free to move, which adding a constant stops.
            curvature += expected.mean(axis=1)[:, None, None] / agents
            steps = np.linalg.solve(curvature, (self.wins - expected)[..., None])[..., 0]
            steps /= np.maximum(1, np.abs(steps).max(axis=1, keepdims=True))
            logs += steps
            if np.abs(steps).max() < 1e-9:
                break
        return logs - logs.mean(axis=1, keepdims=True)


def resampled(tables: Sequence[Ranked], samples: int, seed: int) -> list[np.ndarray]:
    """How often each block counts in bootstrap samples: float ``[1 + samples, blocks + 1]`` a table.

    The first sample is what was played. Blocks are drawn with replacement within each table. The
    last entry is for the game that ``Luce`` adds; its weight is exponential, as in the Bayesian
    bootstrap (Rubin, 1981), since how rare is what never happened is not known exactly.
    """
    random = np.random.default_rng(seed)
    drawn = []
    for found in tables:
        blocks = len(found.ranks)
        times = random.multinomial(blocks, np.full(blocks, 1 / blocks), samples)
        added = random.exponential(size=(samples, 1))
        drawn.append(np.vstack([np.ones(blocks + 1), np.hstack([times, added])]))
    return drawn


def nash_average(duels: np.ndarray) -> np.ndarray:
    """The Nash average of Balduzzi et al. ("Re-evaluating evaluation", 2018): float ``[n, agents]``.

    Two players choose an agent each and get what it wins of the other's. The Nash average is the
    equilibrium of greatest entropy of that game, which is unique: copies of an agent share what
    one would have, agents that are beaten by a mix of others have 0, and an agent that beats all
    others has 1, whatever it loses elsewhere.

    It is found as the limit of equilibria of players who also value entropy (logit equilibria),
    by Newton's method while that value goes to zero; at each step the equation is regular.

    Args:
        duels: float ``[n, agents, agents]``, antisymmetric, between -1 and 1: what an agent (row)
            wins of another.
    """
    agents = duels.shape[-1]
    logits = np.zeros(duels.shape[:-1])
    for value in 1.4 ** -np.arange(50.0):
        for _ in range(20):
            chances = _softmax(logits)
            error = value * logits - np.einsum("nij,nj->ni", duels, chances)
            moving = chances[:, :, None] * (np.eye(agents) - chances[:, None, :])
            slope = value * np.eye(agents) - duels @ moving
            steps = np.linalg.solve(slope, error[..., None])[..., 0]
            longest = 1 + np.abs(logits)
            logits = logits - np.clip(steps, -longest, longest)
            if (np.abs(steps) < 1e-6 * longest).all():
                break
    return _softmax(logits)


def _softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def cycles(beats: np.ndarray) -> list[list[int]]:
    """Shortest cycles of agents that each beat the next, one through every such pair that has any.

    Args:
        beats: bool ``[agents, agents]``: whether the one (row) beats the other.
    """
    found: dict[tuple[int, ...], list[int]] = {}
    for winner, loser in np.argwhere(beats).tolist():
        path = _shortest_path(beats, loser, winner)
        if path:
            first = path.index(min(path))
            found[tuple(sorted(path))] = path[first:] + path[:first]
    return sorted(found.values(), key=lambda cycle: (len(cycle), cycle))


def _shortest_path(beats: np.ndarray, start: int, end: int) -> list[int]:
    """Agents from ``start`` to ``end`` that each beat the next; empty if there is no such way."""
    before, waiting = {start: start}, [start]
    for agent in waiting:
        for other in np.flatnonzero(beats[agent]).tolist():
            if other not in before:
                before[other] = agent
                waiting.append(other)
    if end not in before:
        return []
    path = [end]
    while path[-1] != start:
        path.append(before[path[-1]])
    return path[::-1]
