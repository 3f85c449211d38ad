"""The sequential test: Fishtest's ratio, and as seldom wrong as it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from duelgym.envs.core import OptionError
from duelgym.training.sequential import Sprt, expected_score, log_likelihood_ratio, tallied

PAIR = np.arange(5) / 4


@pytest.mark.parametrize(
    ("counts", "ratio"),
    [
        # Values of Fishtest's LLRcalc.LLR_logistic(0, 5, counts).
        ((10, 20, 50, 25, 12), 0.185022),
        ((0, 0, 5, 3, 2), 0.142831),
        ((0, 0, 0, 0, 7), 0.100042),
        ((3, 0, 0, 0, 0), -0.043513),
        ((159, 4000, 8000, 4100, 170), -5.745212),
    ],
)
def test_ratio_is_fishtest_s(counts: tuple[int, ...], ratio: float):
    assert Sprt(margin=5).ratio(np.repeat(PAIR, counts)) == pytest.approx(ratio, abs=1e-5)


def test_pairs_are_tallied_by_their_points():
    values, counts = tallied(np.array([0.25, 1.0, 0.25]))
    assert values.tolist() == PAIR.tolist()
    assert counts.tolist() == [0, 2, 0, 0, 1]
    values, counts = tallied(np.array([1 / 9, 1 / 3]), seats=3)
    assert len(values) == 8, "thirds of a win too"
    assert counts.sum() == 2


def test_elo_scale():
    assert expected_score(0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)
    assert expected_score(0, seats=4) == 0.25
    assert expected_score(400, seats=4) == pytest.approx(10 / 13)


def outcomes(base: list[float], mean: float, values: np.ndarray) -> np.ndarray:
    """Probabilities in the likeness of ``base`` with that mean."""
    low, high = -50.0, 50.0
    for _ in range(80):
        middle = (low + high) / 2
        chances = np.array(base) * np.exp(middle * values)
        chances /= chances.sum()
        low, high = (middle, high) if chances @ values < mean else (low, middle)
    return chances


def share_of_yes(test: Sprt, chances: np.ndarray, values: np.ndarray, runs: int = 1000) -> float:
    """How often the test says that the agent is stronger, looking after every 32 blocks."""
    random = np.random.default_rng(1)
    low, high = (expected_score(elo, test.seats) for elo in (0, test.margin))
    counts, answers = np.zeros((runs, len(values))), np.zeros(runs)
    while not answers.all():
        open_ = answers == 0
        counts[open_] += random.multinomial(32, chances, open_.sum())
        ratios = log_likelihood_ratio(values, counts[open_], low, high)
        answers[open_] = np.where(abs(ratios) >= test.bound, np.sign(ratios), 0)
    return float((answers > 0).mean())


@pytest.mark.parametrize(
    ("seats", "values", "base"),
    [
        (2, PAIR, [0.1, 0.2, 0.4, 0.2, 0.1]),
        (2, PAIR, [0.3, 0.0, 0.5, 0.0, 0.2]),
        (2, PAIR, [0.02, 0.3, 0.3, 0.36, 0.02]),
        (3, np.arange(4) / 3, [0.4, 0.3, 0.2, 0.1]),
    ],
)
def test_error_rates(seats: int, values: np.ndarray, base: list[float]):
    """Over 1,000 runs an error rate of 5 % shows as at most 6.5 %, but for one time in fifty."""
    test = Sprt(margin=50, error=0.05, seats=seats)
    for elo, wrong in ((0, 1), (50, 0)):
        chances = outcomes(base, expected_score(elo, seats), values)
        yes = share_of_yes(test, chances, values)
        assert abs(wrong - (1 - yes)) <= 0.065, elo
    chances = outcomes(base, expected_score(200, seats), values)
    assert share_of_yes(test, chances, values, 200) == 1, "much stronger is never missed"


@pytest.mark.parametrize("values", [{"margin": 0}, {"margin": -5}, {"error": 0}, {"error": 0.5}])
def test_impossible_questions(values: dict[str, Any]):
    with pytest.raises(OptionError, match=next(iter(values))):
        Sprt(**values)
