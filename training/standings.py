"""What a tournament says about its agents: payoffs, ratings, cycles, seats, and costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..envs.core.errors import OptionError, suggest
from .evaluation import Estimate, Tally, estimate, shares_of_win, tally
from .ratings import ELO, Luce, Ranked, cycles, nash_average, resampled
from .tournament import Forfeit, Played, Results

SAMPLES = 500
"""Bootstrap samples of the intervals of ratings and Nash averages."""


@dataclass(frozen=True)
class Standing:
    """One agent in a tournament.

    Attributes:
        agent: Its name.
        rating: On Elo's scale, relative to the anchor, with an interval from the bootstrap.
        nash: Its probability in the Nash average, with an interval from the bootstrap.
        overall: Over all its duels.
        seats: In each seat of them.
        decisions: How often it had to choose, at all tables.
        microseconds_per_decision: Time it took, in batches on one core.
        forfeits: Games that it forfeited, by kind.
    """

    agent: str
    rating: Estimate
    nash: Estimate
    overall: Tally
    seats: tuple[Tally, ...]
    decisions: int
    microseconds_per_decision: float
    forfeits: dict[str, int]


@dataclass(frozen=True)
class Standings:
    """All agents in a tournament.

    With two players a *duel* of A with B is their table. With more, it is the table where A is
    alone among players of B.

    Attributes:
        results: What was played.
        confidence: Of every interval.
        anchor: Whose rating is 0.
        standings: The agents, in the order in which they were entered.
        scores: The score of one agent (row) in its duel with another; None on the diagonal.
        margins: The same for its mean return.
        cycles: Agents that each beat the next one, beyond doubt at this confidence.
        lengths: Least, mean and greatest number of decisions of a game, forfeited ones left out.
        truncations: Games cut off by a limit that is no rule.
        forfeits: Every forfeited game, with the name of who forfeited it.
    """

    results: Results
    confidence: float
    anchor: str
    standings: tuple[Standing, ...]
    scores: list[list[Estimate | None]]
    margins: list[list[Estimate | None]]
    cycles: list[list[str]]
    lengths: tuple[int, float, int]
    truncations: int
    forfeits: list[tuple[str, Forfeit]]


def standings(
    results: Results, anchor: str | None = None, confidence: float = 0.95, samples: int = SAMPLES
) -> Standings:
    """Evaluate a tournament.

    Args:
        results: What was played.
        anchor: Whose rating is 0; None takes ``random``, or else the first agent.
        confidence: Of every interval.
        samples: Bootstrap samples.

    Raises:
        OptionError: There is no such agent to anchor at.
    """
    names, facts = results.names, results.game.facts
    if anchor is None:
        anchor = "random" if "random" in names else names[0]
    if anchor not in names:
        raise OptionError(f"no agent {anchor!r} takes part to anchor at; {suggest(anchor, names)}")
    count, seats = len(names), facts.num_players
    duels = {}
    for played in results.tables:
        for position in range(2):
            if _is_alone(played.table, position):
                pair = played.table[position], played.table[1 - position]
                duels[pair] = _of_position(played, position)
    scores: list[list[Estimate | None]] = [[None] * count for _ in names]
    margins: list[list[Estimate | None]] = [[None] * count for _ in names]
    low, high = np.full((count, count), 0.0), np.full((count, count), 1.0)
    for (i, j), (shares, returns) in duels.items():
        score = estimate(shares.mean(axis=1), 0, 1, confidence)
        scores[i][j], (low[i, j], high[i, j]) = score, (score.low, score.high)
        margins[i][j] = estimate(
            returns.mean(axis=1), facts.min_return, facts.max_return, confidence
        )
    beats = (low > 1 / seats) & (1 / seats > high.T)
    logs, nash = _fitted(results, samples)
    elo = ELO * (logs - logs[:, [names.index(anchor)]])

    def standing(index: int) -> Standing:
        own = [duels[index, other] for other in range(count) if other != index]
        shares, returns = (np.concatenate(parts) for parts in zip(*own, strict=True))
        decisions = nanoseconds = 0
        for played in results.tables:
            here = np.array(played.table) == index
            decisions += int(played.decisions[here].sum())
            nanoseconds += int(played.nanoseconds[here].sum())
        kinds = Counter(one.kind for name, one in forfeits if name == names[index])
        return Standing(
            agent=names[index],
            rating=_bootstrapped(elo[:, index], confidence),
            nash=_bootstrapped(nash[:, index], confidence),
            overall=tally(shares, returns, facts, confidence),
            seats=tuple(
                tally(shares[:, [seat]], returns[:, [seat]], facts, confidence)
                for seat in range(seats)
            ),
            decisions=decisions,
            microseconds_per_decision=nanoseconds / max(1, decisions) / 1000,
            forfeits=dict(kinds),
        )

    forfeits = [
        (names[played.table[one.position]], one)
        for played in results.tables
        for one in played.forfeits
    ]
    return Standings(
        results=results,
        confidence=confidence,
        anchor=anchor,
        standings=tuple(standing(index) for index in range(count)),
        scores=scores,
        margins=margins,
        cycles=[[names[index] for index in cycle] for cycle in cycles(beats)],
        lengths=_lengths(results),
        truncations=int(sum(played.truncated.sum() for played in results.tables)),
        forfeits=forfeits,
    )


def _is_alone(table: Sequence[int], position: int) -> bool:
    """Whether the agent at ``position`` plays a duel there: the others are all the same."""
    others = {agent for place, agent in enumerate(table) if place != position}
    return len(others) == 1 and table[position] not in others


def _of_position(played: Played, position: int) -> tuple[np.ndarray, np.ndarray]:
    """Shares of the win and returns of a position: float ``[blocks, seats]``, by its seat."""
    seats = played.returns.shape[2]
    seat = np.arange(seats)
    game = (seat - position) % seats
    return shares_of_win(played.returns)[:, game, seat], played.returns[:, game, seat]


def _ranks(played: Played) -> Ranked:
    """Who was before whom in each game: positions by their returns."""
    seats = played.returns.shape[2]
    game, position = np.ogrid[:seats, :seats]
    returns = played.returns[:, game, (position + game) % seats]
    better = returns[..., None, :] > returns[..., :, None]
    return Ranked(played.table, better.sum(axis=-1))


def _fitted(results: Results, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Strengths and Nash averages, float ``[1 + samples, agents]``, of the games and resampled ones.

    The Nash average is that of duels with exchanged parts: what A wins alone among players of B,
    less what B wins alone among players of A. With two players that is A's score less 1/2.
    """
    count = len(results.names)
    ranked = [_ranks(played) for played in results.tables]
    weights = resampled(ranked, samples, results.header["seed"])
    logs = Luce(count, ranked, weights).fit()
    score = np.zeros((1 + samples, count, count))
    for played, weight in zip(results.tables, weights, strict=True):
        for position in range(2):
            if _is_alone(played.table, position):
                shares = _of_position(played, position)[0].mean(axis=1)
                pair = played.table[position], played.table[1 - position]
                score[:, pair[0], pair[1]] = weight[:, :-1] @ shares / len(shares)
    return logs, nash_average((score - score.transpose(0, 2, 1)) / 2)


def _bootstrapped(values: np.ndarray, confidence: float) -> Estimate:
    """The first value, with the percentiles of the others as its interval."""
    low, high = np.quantile(values[1:], [(1 - confidence) / 2, (1 + confidence) / 2])
    return Estimate(float(values[0]), float(low), float(high))


def _lengths(results: Results) -> tuple[int, float, int]:
    kept = []
    for played in results.tables:
        finished = np.ones(played.lengths.shape, np.bool_)
        for one in played.forfeits:
            finished[one.block, one.game] = False
        kept.append(played.lengths[finished])
    lengths = np.concatenate(kept)
    if not len(lengths):
        return 0, 0.0, 0
    return int(lengths.min()), float(lengths.mean()), int(lengths.max())
