"""Zero-sum matrix games, solved exactly: a saddle point if there is one, else the simplex method.

The row player receives ``matrix[i, j]``, which the column player pays. The value of the game is
what the row player can be sure of on average, whatever the other does, by mixing its rows well.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# A tableau entry this small is a rounded zero: the entries begin between 0 and 2.
_ZERO = 1e-10


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
        ``column_strategy`` no row earns more, up to rounding (about 1e-12 of the greatest
        difference between entries).
    """
    row_strategy[:] = 0
    column_strategy[:] = 0
    row, column = saddle_point(matrix)
    if row >= 0:
        row_strategy[row] = 1
        column_strategy[column] = 1
        return matrix[row, column]
    return _simplex(matrix, row_strategy, column_strategy)


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
def _simplex(matrix, row_strategy, column_strategy):
    """See ``solve``; ``matrix`` has no saddle point, so its entries are not all equal."""
    m, n = matrix.shape
    low, high = matrix.min(), matrix.max()
    # Entries between 1 and 2: a game with a positive value, whatever its units were.
    tableau = np.ones((m + 1, n + 1))
    for i in range(m):
        for j in range(n):
            tableau[i, j] += (matrix[i, j] - low) / (high - low)
    tableau[m, :n] = -1
    tableau[m, n] = 0
    # Names of what stands at the left and on top: rows of the game are 0.., its columns m..
    left = np.arange(m)
    top = np.arange(m, m + n)
    steepest_pivots = 2 * (m + n)
    for pivots in range(100 * (m + n)):
        q = _entering(tableau, top, pivots < steepest_pivots)
        if q < 0:
            break
        p = _leaving(tableau, left, q)
        _pivot(tableau, p, q)
        left[p], top[q] = top[q], left[p]
    for i in range(m):
        if left[i] >= m:
            column_strategy[left[i] - m] = max(0.0, tableau[i, n])
    for j in range(n):
        if top[j] < m:
            row_strategy[top[j]] = max(0.0, tableau[m, j])
    row_strategy /= row_strategy.sum()
    column_strategy /= column_strategy.sum()
    return low + (1 / tableau[m, n] - 1) * (high - low)


@njit(cache=True)
def _entering(tableau, top, steepest):
    """The column to pivot on, -1 at the optimum: the steepest, or the first by name."""
    m = tableau.shape[0] - 1
    best = -1
    for j in range(tableau.shape[1] - 1):
        if tableau[m, j] < -_ZERO:
            if best < 0:
                best = j
            elif steepest:
                if tableau[m, j] < tableau[m, best]:
                    best = j
            elif top[j] < top[best]:
                best = j
    return best


@njit(cache=True)
def _leaving(tableau, left, q):
    """The row that limits column ``q`` most; of equal ones the first by name."""
    n = tableau.shape[1] - 1
    best, least = -1, np.inf
    for i in range(tableau.shape[0] - 1):
        if tableau[i, q] > _ZERO:
            ratio = tableau[i, n] / tableau[i, q]
            if ratio < least - _ZERO or (ratio < least + _ZERO and left[i] < left[best]):
                best, least = i, ratio
    return best


@njit(cache=True)
def _pivot(tableau, p, q):
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
