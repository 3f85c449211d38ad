"""Flat Monte Carlo: every legal action is played out equally often, the best mean is played.

The player that Ginsberg's bridge program made known ("GIB: imperfect information in a
computationally challenging game", 2001), with playouts in the place of a double-dummy solver.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.core.compilation import kernel
from ...envs.core.dispatch import apply
from ...envs.core.game import Game
from ...envs.core.loops import advance, fill_mask
from ...envs.core.randomness import random_word
from .agent import SearchAgent
from .playing import approach, lay_out, play_out


@kernel
def flat_mc_rows(
    states, rows, seeds, words, table, visits, totals, first, last, actions, low, high
):
    """Iterations ``first`` to ``last - 1`` in every row, and the action of the best mean so far.

    Legal actions take turns and meet the same worlds, so that luck does not set them apart.
    ``visits`` int64 and ``totals`` float64 ``[actions]`` are one thread's own.

    Returns:
        Whether there was more than one legal action in the last row.
    """
    count = 0
    for index in range(low, high):
        row = rows[index]
        seat = np.int64(states[row].player)
        seed = random_word(seeds[row], 3, words[row])
        count = fill_mask(states[row], table.mask)
        legal = table.mask.nonzero()[0]
        if first == 0:
            visits[:] = 0
            totals[:] = 0
        if count > 1:
            for iteration in range(first, last):
                action = legal[iteration % count]
                lay_out(table, states[row], seat, seed, iteration // count)
                approach(table, seat)
                apply(table.world[0], action)
                advance(table.world[0], table.weights)
                play_out(table)
                visits[action] += 1
                totals[action] += table.returns[seat]
        best = legal[0]
        for action in legal:
            if visits[action] and totals[action] * visits[best] > totals[best] * visits[action]:
                best = action
        actions[row] = best
    return count > 1


class FlatMonteCarlo(SearchAgent):
    """Plays the action that does best on average when everybody goes on by the rollout policy.

    In each of many worlds that the seat may be in, all legal actions are tried and played out; what
    rivals choose at the same time is chosen by the rollout policy too. It foresees no answer,
    neither the opponent's nor its own: that is its weakness, and the strength of its rollout policy
    is its own.
    """

    name = "flat_mc"

    def _make_scratch(self, game: Game) -> tuple[Any, ...]:
        totals = np.zeros(game.num_actions)
        return self._make_table(game), np.zeros(game.num_actions, np.int64), totals

    def _grow(
        self,
        states: np.ndarray,
        rows: np.ndarray,
        actions: np.ndarray,
        scratch: tuple[Any, ...],
        iterations: tuple[int, int],
        part: tuple[int, int],
    ) -> bool:
        return flat_mc_rows(
            states, rows, self._seeds, self._words, *scratch, *iterations, actions, *part
        )
