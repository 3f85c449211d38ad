"""Zero-sum matrix games, solved exactly: a saddle point if there is one, else the simplex method.

The row player receives ``matrix[i, j]``, which the column player pays. The value of the game is
what the row player can be sure of on average, whatever the other does, by mixing its rows well.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Tableau entries up to this size are rounded zeros (the first ones lie between 1 and 2). Where two
# lines of a game differ by just so little, a pivot on the difference spoils the tableau; the
# strategies then miss each other's guarantee, and the next, coarser tolerance takes them as equal.
_ZEROS = (1e-11, 1e-9, 1e-7)


@njit(cache=True)
def solve(matrix, row_strategy, column_strategy):
    """The value of a zero-sum game, and a strategy for each player that secures it.

    The game is a linear program (Dantzig, "A proof of the equivalence of the programming problem
    and the game problem", 1951), here in the condensed tableau that Ferguson calls the pivot
    method ("Game Theory", part II, section 4.5): one tableau holds the strategies of both players.
    The entering column is the steepest one, and after many pivots the first one by name: Bland's
    rule ("New finite pivoting rules for the simplex method", 1977), which cannot cycle.

    Args:
        matrix: float64 ``[m, n]``, finite; what the column player pays to the row player.
        row_strategy: float64 ``[m]``, overwritten with probabilities that sum to 1.
        column_strategy: float64 ``[n]``, likewise.

    Returns:
        The value, a float. Against ``row_strategy`` no column pays less and against
        ``column_strategy`` no row earns more, up to 1e-10 of the greatest difference between
        entries, or up to 1e-6 of it where lines of the game differ by almost nothing.
    """
    m, n = matrix.shape
    tableau, left, top = np.empty((m + 1, n + 1)), np.empty(m, np.int64), np.empty(n, np.int64)
    return solve_in(matrix, row_strategy, column_strategy, tableau, left, top)


@njit(cache=True)
def solve_in(matrix, row_strategy, column_strategy, tableau, left, top):
    """``solve`` for loops over many games, with room for its work: what is in it does not matter.

    ``tableau`` is float64 ``[m + 1, n + 1]``, ``left`` and ``top`` are int64 ``[m]`` and ``[n]``.
    """
    row_strategy[:] = 0
    column_strategy[:] = 0
    row, column = saddle_point(matrix)
    if row >= 0:
        row_strategy[row] = 1
        column_strategy[column] = 1
        return matrix[row, column]
    return _simplex(matrix, row_strategy, column_strategy, tableau, left, top)


@njit(cache=True)
def saddle_point(matrix):
    """A row and a column whose entry is least in its row and greatest in its column, or (-1, -1)."""
    best_row, lower = -1, -np.inf
    for row in range(matrix.shape[0]):
        least = matrix[row, 0]
        for column in range(1, matrix.shape[1]):
            least = min(least, matrix[row, column])
        if least > lower:
            best_row, lower = row, least
    for column in range(matrix.shape[1]):
        greatest = matrix[0, column]
        for row in range(1, matrix.shape[0]):
            greatest = max(greatest, matrix[row, column])
        if greatest <= lower:
            return best_row, column
    return -1, -1


@njit(cache=True)
def _simplex(matrix, row_strategy, column_strategy, tableau, left, top):
    """See ``solve``; ``matrix`` has no saddle point, so its entries are not all equal.

    ``left`` and ``top`` name what stands beside the tableau: rows of the game are 0.., columns m..
    """
    m, n = matrix.shape
    low, high = matrix.min(), matrix.max()
    lower, upper = low, high
    for zero in _ZEROS:
        _fill(tableau, left, top, matrix, low, high)
        _optimise(tableau, left, top, zero, 2 * (m + n))
        _read_strategies(tableau, left, top, row_strategy, column_strategy)
        lower, upper = _bounds(matrix, row_strategy, column_strategy)
        if upper - lower <= 10 * zero * (high - low):
            break
    return (lower + upper) / 2


@njit(cache=True)
def _fill(tableau, left, top, matrix, low, high):
    """The first tableau: entries scaled to lie between 1 and 2, so that the value is positive."""
    m, n = matrix.shape
    for i in range(m):
        left[i] = i
        for j in range(n):
            tableau[i, j] = 1 + (matrix[i, j] - low) / (high - low)
        tableau[i, n] = 1
    for j in range(n):
        top[j] = m + j
        tableau[m, j] = -1
    tableau[m, n] = 0


@njit(cache=True)
def _optimise(tableau, left, top, zero, steepest_pivots):
    """Pivot until no column promises an improvement; after ``steepest_pivots`` by Bland's rule."""
    for pivots in range(100 * (left.shape[0] + top.shape[0])):
        q = _entering(tableau, top, pivots < steepest_pivots, zero)
        if q < 0:
            break
        p = _leaving(tableau, left, q, zero)
        if p < 0:
            break
        _pivot(tableau, left, top, p, q)


@njit(cache=True)
def _entering(tableau, top, steepest, zero):
    """The column to pivot on, -1 at the optimum: the steepest, or the first by name."""
    m, n = tableau.shape[0] - 1, tableau.shape[1] - 1
    best = -1
    for j in range(n):
        if tableau[m, j] < -zero and (
            best < 0
            or (steepest and tableau[m, j] < tableau[m, best])
            or (not steepest and top[j] < top[best])
        ):
            best = j
    return best


@njit(cache=True)
def _leaving(tableau, left, q, zero):
    """The row that limits column ``q`` most; of equal ones the first by name."""
    m, n = tableau.shape[0] - 1, tableau.shape[1] - 1
    best, least = -1, np.inf
    for i in range(m):
        if tableau[i, q] > zero:
            ratio = max(0.0, tableau[i, n]) / tableau[i, q]
            if ratio < least or (ratio == least and left[i] < left[best]):
                best, least = i, ratio
    return best


@njit(cache=True)
def _pivot(tableau, left, top, p, q):
    """Exchange what stands left of row ``p`` with what stands on top of column ``q``."""
    pivot = tableau[p, q]
    tableau[p, q] = 1
    for j in range(tableau.shape[1]):
        tableau[p, j] /= pivot
    for i in range(tableau.shape[0]):
        if i != p:
            factor = tableau[i, q]
            tableau[i, q] = 0
            for j in range(tableau.shape[1]):
                tableau[i, j] -= factor * tableau[p, j]
    left[p], top[q] = top[q], left[p]


@njit(cache=True)
def _read_strategies(tableau, left, top, row_strategy, column_strategy):
    """The strategies that the tableau stands for, with rounding swept off."""
    m, n = left.shape[0], top.shape[0]
    row_strategy[:] = 0
    column_strategy[:] = 0
    for i in range(m):
        if left[i] >= m:
            column_strategy[left[i] - m] = max(0.0, tableau[i, n])
    for j in range(n):
        if top[j] < m:
            row_strategy[top[j]] = max(0.0, tableau[m, j])
    _normalise(row_strategy)
    _normalise(column_strategy)


@njit(cache=True)
def _normalise(strategy):
    """Make the entries sum to 1. A loop, since ``sum()`` rounds differently when compiled."""
    total = 0.0
    for index in range(strategy.shape[0]):
        total += strategy[index]
    strategy /= total


@njit(cache=True)
def _bounds(matrix, row_strategy, column_strategy):
    """What the row player is sure to get, and what the column player is sure not to exceed."""
    m, n = matrix.shape
    lower, upper = np.inf, -np.inf
    for j in range(n):
        payment = 0.0
        for i in range(m):
            payment += row_strategy[i] * matrix[i, j]
        lower = min(lower, payment)
    for i in range(m):
        payment = 0.0
        for j in range(n):
            payment += column_strategy[j] * matrix[i, j]
        upper = max(upper, payment)
    return lower, upper
