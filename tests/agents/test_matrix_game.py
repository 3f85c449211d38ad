"""The solver of zero-sum matrix games, against SciPy and against its own definition."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from duelgym.agents import matrix_game
from duelgym.agents.matrix_game import solve
from scipy.optimize import linprog

Draw = Callable[[np.random.Generator, int, int], np.ndarray]


def _skew_symmetric(rng: np.random.Generator, m: int, n: int) -> np.ndarray:
    half = rng.integers(-1, 2, (m, m))
    return half - half.T


def _repeated_lines(rng: np.random.Generator, m: int, n: int) -> np.ndarray:
    return rng.normal(size=(m, n))[rng.integers(0, m, m)][:, rng.integers(0, n, n)]


KINDS: dict[str, Draw] = {
    "normal": lambda rng, m, n: rng.normal(size=(m, n)),
    "negative": lambda rng, m, n: -rng.random((m, n)) - 3,
    "few values": lambda rng, m, n: rng.integers(-1, 2, (m, n)),
    "mostly zero": lambda rng, m, n: rng.random((m, n)) < 0.2,
    "battles": lambda rng, m, n: rng.choice([-2, -1, 1, 2], (m, n)),
    "skew-symmetric": _skew_symmetric,
    "repeated lines": _repeated_lines,
    "one rank": lambda rng, m, n: np.outer(rng.normal(size=m), rng.normal(size=n)),
    "very unequal": lambda rng, m, n: np.exp(4 * rng.normal(size=(m, n))),
    "diagonal": lambda rng, m, n: np.diag(rng.integers(1, 4, m)),
    "equal": lambda rng, m, n: np.full((m, n), rng.normal()),
}


def solved(matrix: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Value and strategies, checked to be strategies."""
    matrix = np.ascontiguousarray(matrix, np.float64)
    before = matrix.copy()
    row_strategy, column_strategy = np.full(matrix.shape[0], 9.0), np.full(matrix.shape[1], 9.0)
    value = solve(matrix, row_strategy, column_strategy)
    assert np.array_equal(matrix, before)
    for strategy in (row_strategy, column_strategy):
        assert (strategy >= 0).all()
        assert strategy.sum() == pytest.approx(1, abs=1e-12)
    return value, row_strategy, column_strategy


def gap(matrix: np.ndarray) -> float:
    """How far a best response to either strategy gets away from the value, scaled."""
    value, row_strategy, column_strategy = solved(matrix)
    below = value - (row_strategy @ matrix).min()
    above = (matrix @ column_strategy).max() - value
    return max(below, above) / max(1e-300, np.ptp(matrix), np.abs(matrix).max() * 1e-5)


def value_by_linprog(matrix: np.ndarray) -> float:
    """Maximise v such that the mix ``x`` earns at least v against every column."""
    m, n = matrix.shape
    found = linprog(
        np.append(np.zeros(m), -1),
        A_ub=np.hstack([-matrix.T, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=[np.append(np.ones(m), 0)],
        b_eq=[1],
        bounds=[(0, None)] * m + [(None, None)],
    )
    assert found.success
    return -found.fun


def matrices(kind: str, count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(sorted(KINDS).index(kind))
    sizes = rng.integers(1, 13, (count, 2))
    return [KINDS[kind](rng, m, n).astype(float) for m, n in sizes]


@pytest.mark.parametrize("kind", KINDS)
def test_value_is_that_of_the_linear_program(kind: str):
    for matrix in matrices(kind, 40):
        scale = max(1.0, np.abs(matrix).max())
        assert solved(matrix)[0] == pytest.approx(value_by_linprog(matrix), abs=1e-6 * scale)


@pytest.mark.parametrize("kind", KINDS)
def test_no_best_response_gets_past_the_value(kind: str):
    assert max(gap(matrix) for matrix in matrices(kind, 500)) < 1e-9


def test_bland_s_rule_which_takes_over_after_many_pivots_gets_there_too():
    for matrix in [*matrices("battles", 200), *matrices("mostly zero", 200)]:
        m, n = matrix.shape
        if matrix_game.saddle_point(matrix)[0] >= 0:
            continue
        tableau, left, top = np.empty((m + 1, n + 1)), np.empty(m, np.int64), np.empty(n, np.int64)
        matrix_game._fill(tableau, left, top, matrix, matrix.min(), matrix.max())
        matrix_game._optimise(tableau, left, top, 1e-11, steepest_pivots=0)
        row_strategy, column_strategy = np.empty(m), np.empty(n)
        matrix_game._read_strategies(tableau, left, top, row_strategy, column_strategy)
        guaranteed, conceded = (row_strategy @ matrix).min(), (matrix @ column_strategy).max()
        assert guaranteed == pytest.approx(conceded, abs=1e-9)


def test_larger_games_than_two_hands_are_solved():
    rng = np.random.default_rng(1)
    assert max(gap(rng.integers(-3, 4, (40, 60)).astype(float)) for _ in range(20)) < 1e-9


def test_lines_that_differ_by_almost_nothing_do_no_harm():
    rng = np.random.default_rng(2)
    worst = 0.0
    for _ in range(4000):
        m, n = rng.integers(2, 13, 2)
        noise = 10.0 ** rng.uniform(-15, -3) * rng.normal(size=(m, n))
        worst = max(worst, gap(rng.integers(0, 2, (m, n)) + noise))
    assert worst < 1e-6


@pytest.mark.parametrize(("scale", "shift"), [(1e-9, 0), (1e9, 0), (1, 1e4), (3, -7)])
def test_units_do_not_matter(scale: float, shift: float):
    for matrix in matrices("battles", 50):
        value, row_strategy, _ = solved(matrix)
        other_value, other_strategy, _ = solved(scale * matrix + shift)
        assert other_value == pytest.approx(scale * value + shift, rel=1e-9, abs=1e-9 * scale)
        guaranteed = (other_strategy @ matrix).min()
        assert guaranteed == pytest.approx((row_strategy @ matrix).min(), abs=1e-9)


def test_rock_paper_scissors():
    value, row_strategy, column_strategy = solved(np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]))
    assert value == pytest.approx(0, abs=1e-12)
    assert row_strategy == pytest.approx([1 / 3] * 3)
    assert column_strategy == pytest.approx([1 / 3] * 3)


def test_two_by_two_without_a_saddle_point():
    # Indifference: 3p - (1 - p) = -2p + 4(1 - p) gives p = 1/2, and 3q - 2(1 - q) = -q + 4(1 - q)
    # gives q = 3/5; the value is 1.
    value, row_strategy, column_strategy = solved(np.array([[3, -2], [-1, 4]]))
    assert value == pytest.approx(1)
    assert row_strategy == pytest.approx([1 / 2, 1 / 2])
    assert column_strategy == pytest.approx([3 / 5, 2 / 5])


def test_a_saddle_point_is_played_without_mixing():
    value, row_strategy, column_strategy = solved(np.array([[4, 1, 8], [2, 3, 1], [5, 4, 6]]))
    assert value == 4
    assert row_strategy.tolist() == [0, 0, 1]
    assert column_strategy.tolist() == [0, 1, 0]


def test_dominated_lines_are_never_played():
    # The second row is worse than the first everywhere, the third column dearer than the second.
    value, row_strategy, column_strategy = solved(np.array([[2, -1, 0], [1, -2, -1], [-1, 1, 2]]))
    assert value == pytest.approx(1 / 5)
    assert row_strategy == pytest.approx([2 / 5, 0, 3 / 5])
    assert column_strategy == pytest.approx([2 / 5, 3 / 5, 0])


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (5, 1)])
def test_a_player_with_a_single_choice(shape: tuple[int, int]):
    matrix = np.arange(-2.0, shape[0] * shape[1] - 2).reshape(shape)
    value, _, _ = solved(matrix)
    assert value == (matrix.min() if shape[0] == 1 else matrix.max())
