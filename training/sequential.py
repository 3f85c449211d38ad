"""A sequential test of which of two agents is stronger, as testers of chess engines use it.

Games are played in blocks (of two players: mirrored pairs), and after every few of them the test
looks whether they say enough. It answers one question, with set chances to be wrong; the score at
the moment it stops is no honest estimate, so it belongs in no table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..envs.core.errors import OptionError

_UNSEEN = 1e-3
"""What counts for an outcome that has not occurred, so that none is taken to be impossible."""


def expected_score(elo: float, seats: int = 2) -> float:
    """The mean score of one agent that is ``elo`` points above the equal others at its table.

    With two seats this is the logistic curve of Elo's scale.
    """
    strength = 10 ** (elo / 400)
    return strength / (strength + seats - 1)


def log_likelihood_ratio(
    values: np.ndarray, counts: np.ndarray, low: float, high: float
) -> np.ndarray:
    """How much better a mean of ``high`` explains what was seen than one of ``low``.

    This is the generalised likelihood ratio of Fishtest and Fastchess: outcomes of blocks have any
    distribution at all, and for either mean the likeliest one is taken (Van den Bergh, "Comments on
    normalized Elo", proposition 1.1). With two players there are five outcomes, by the points of a
    pair of games; how far the games of a pair depend on each other is all in the distribution.

    Args:
        values: float ``[outcomes]``, the mean score of a block; the least is below ``low``, the
            greatest above ``high``.
        counts: float ``[..., outcomes]``, in how many blocks each occurred.
        low: The one mean score.
        high: The other.

    Returns:
        float ``[...]``.
    """
    weights = np.where(counts > 0, counts, _UNSEEN)
    better = _log_likeliest(values, weights, high) - _log_likeliest(values, weights, low)
    return (weights * better).sum(axis=-1)


def _log_likeliest(values: np.ndarray, weights: np.ndarray, mean: float) -> np.ndarray:
    """Logarithms, up to a constant, of the likeliest distributions with that mean.

    They are in proportion to ``weights / (1 + x * (values - mean))`` with the x, found by
    bisection, for which the mean is right.
    """
    away = values - mean
    low = np.full((*weights.shape[:-1], 1), -1 / away.max())
    high = np.full_like(low, -1 / away.min())
    for _ in range(60):
        x = (low + high) / 2
        above = (weights * away / (1 + x * away)).sum(axis=-1, keepdims=True) > 0
        low, high = np.where(above, x, low), np.where(above, high, x)
    return -np.log(1 + (low + high) / 2 * away)


def tallied(scores: np.ndarray, seats: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """The outcomes that blocks of ``seats`` games can have, and how often each occurred.

    Args:
        scores: float ``[blocks]``, the mean score of each block.
        seats: Games of a block. Outcomes are half points of a block, and what else occurred, where
            more than two shared a win.
    """
    halves = np.arange(2 * seats + 1) / (2 * seats)
    values, counts = np.unique(np.round(np.append(halves, scores), 9), return_counts=True)
    return values, counts - np.isin(values, np.round(halves, 9))


@dataclass(frozen=True)
class Sprt:
    """The generalised sequential probability ratio test of A against B.

    It decides between "A is no stronger" (0 Elo) and "A is stronger by ``margin``". If A is really
    no stronger, it says otherwise with probability ``error`` at most; if A is stronger by
    ``margin`` or more, it misses that with probability ``error`` at most. In between either answer
    may come. The bounds are Wald's ("Sequential tests of statistical hypotheses", 1945); the errors
    are those of many blocks.

    Attributes:
        margin: In points of Elo's scale (logistic), above 0.
        error: Between 0 and 1/2.
        seats: Players at a table; A has one seat, B the others.
    """

    margin: float = 20
    error: float = 0.05
    seats: int = 2

    def __post_init__(self) -> None:
        """Check the values."""
        if not 0 < self.margin < 1000:
            raise OptionError(f"the margin is above 0 and below 1000 Elo, not {self.margin:g}")
        if not 0 < self.error < 0.5:
            raise OptionError(f"the error is above 0 and below 0.5, not {self.error:g}")

    @property
    def bound(self) -> float:
        """The test stops when the ratio is this much, or less than minus this."""
        return math.log((1 - self.error) / self.error)

    def ratio(self, scores: np.ndarray) -> float:
        """The log-likelihood ratio of "stronger" to "no stronger" after these blocks."""
        low, high = (expected_score(elo, self.seats) for elo in (0, self.margin))
        return float(log_likelihood_ratio(*tallied(scores, self.seats), low, high))

    def decided(self, scores: np.ndarray) -> bool | None:
        """Whether A is stronger, after these blocks; None while they do not say."""
        ratio = self.ratio(scores)
        return None if abs(ratio) < self.bound else ratio > 0
