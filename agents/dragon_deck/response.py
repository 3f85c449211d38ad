"""The best response to a policy in Dragon Deck's battles, exactly.

Whoever knows the policy of the other seat, and not which card it draws, plays in each position the
card that is best on average against it. What is left to the policy follows by backward induction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numba import njit

from ...envs.core.compilation import borrowed, kernel
from ...envs.core.dispatch import legal, observe
from ...envs.dragon_deck import rules
from .battle import BattleTable, Report, can_occur, fill_links, fill_matrix

AskPolicy = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From observations, float32 ``[m, observation_size]``, and masks, int8 ``[m, num_actions]``, to the
probabilities of all actions ``[m, num_actions]``; several threads ask at once."""

BATCH = 8192
"""About how many positions a policy is asked about at once."""


def least_values(
    table: BattleTable,
    policy: AskPolicy,
    seat: int,
    num_threads: int | None = None,
    report: Report | None = None,
) -> np.ndarray:
    """What ``policy`` in ``seat`` guarantees in every position, as values for seat 0.

    Args:
        table: The positions.
        policy: It sees what that seat would see.
        seat: 0 or 1.
        num_threads: None takes one a core.
        report: Called now and then.

    Returns:
        float64 ``[table.length]`` in the places of ``table``: if ``seat`` is 0, what is left to it
        against the best response, and if it is 1, what the best response gets.
    """
    values = np.full(table.length, np.nan)

    def task(size: int, low: int, high: int) -> None:
        for places, observations, masks in views(table, size, seat, low, high):
            respond(
                places,
                table.scores[size],
                size,
                seat,
                np.asarray(policy(observations, masks), np.float64),
                table.score_numbers[size - 1],
                table.left,
                table.right,
                table.gains,
                table.cards,
                values,
            )

    table.run(task, num_threads, report)
    return values


def views(
    table: BattleTable, size: int, seat: int, low: int, high: int
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """What ``seat`` sees in the positions of a layer where seat 0 has hands ``low`` to ``high - 1``.

    Yields about ``BATCH`` positions at a time: their places, int64 ``[m, 3]``, both hands and the
    number of the score; observations, float32 ``[m, observation_size]``; masks, int8
    ``[m, num_actions]``.
    """
    game, hands, scores = table.game, table.hands[size], table.scores[size]
    most = max(1, len(hands) * len(scores))
    step = max(1, BATCH // most)
    for first in range(low, high, step):
        last = min(high, first + step)
        places = np.empty(((last - first) * most, 3), np.int64)
        count = list_positions(
            hands,
            scores,
            table.ones,
            sum(table.start),
            table.hand_size - size,
            table.shared,
            places,
            first,
            last,
        )
        if count:
            places = places[:count]
            observations = np.zeros((count, game.observation_size), np.float32)
            masks = np.zeros((count, game.num_actions), np.int8)
            states = np.repeat(game.template, count)
            view_positions(states, places, scores, seat, table.cards, observations, masks)
            yield places, observations, masks


@kernel
def list_positions(hands, scores, ones, start, played, shared, places, low, high):
    """Write the positions of a layer where seat 0 has ``hands[low]`` to ``hands[high - 1]``.

    ``places`` int64 ``[at least as many, 3]`` gets both hands and the number of the score; the other
    arguments are as for ``battle.solve_rows``. Returns how many there are.
    """
    count = 0
    for row in range(low, high):
        own = hands[row]
        for rival in hands:
            if shared and own & rival:
                continue
            for number in range(scores.shape[0]):
                won = scores[number, 0] + scores[number, 1] - start
                if can_occur(own, rival, won, played, ones):
                    places[count, 0] = own
                    places[count, 1] = rival
                    places[count, 2] = number
                    count += 1
    return count


@kernel
def view_positions(states, places, scores, seat, cards, observations, masks):
    """Write what ``seat`` sees and may do in each position; ``states`` are new records ``[rows]``."""
    states, observations, masks = borrowed(states), borrowed(observations), borrowed(masks)
    for row in range(places.shape[0]):
        state = states[row]
        set_up_battle(state, places[row, 0], places[row, 1], seat, cards)
        state.victory_cards[0] = scores[places[row, 2], 0]
        state.victory_cards[1] = scores[places[row, 2], 1]
        observe(state, seat, observations[row])
        legal(state, masks[row])


@njit(cache=True)
def set_up_battle(state, own, rival, seat, cards):
    """Lay out the hands as in a battle where ``seat`` is to choose its card."""
    state.phase = rules.BATTLE
    state.draft_round = state.values_per_type
    state.turned_up = rules.NO_CARD
    state.committed = rules.NO_CARD
    state.player = seat
    state.place[:] = rules.DISCARD
    for bit in range(cards.shape[1]):
        if own >> bit & 1:
            state.place[cards[0, bit]] = rules.HAND
            if seat == 1:
                state.committed = cards[0, bit]  # any: seat 1 does not see which
        if rival >> bit & 1:
            state.place[cards[1, bit]] = rules.HAND + 1


@kernel
def respond(places, scores, size, seat, policy, next_numbers, left, right, gains, cards, values):
    """Write the value of each position if ``seat`` follows ``policy`` and the other responds best.

    ``policy`` float64 ``[rows, num_actions]``; the values of the next layer are there already.
    """
    own_bits, rival_bits = np.empty(size, np.int64), np.empty(size, np.int64)
    links, wins = np.empty((size, size), np.int64), np.empty((size, size), np.int64)
    matrix = np.empty((size, size))
    for row in range(places.shape[0]):
        own, rival, number = places[row]
        fill_links(own, rival, own_bits, rival_bits, left, right, gains, links, wins)
        first, second = scores[number]
        fill_matrix(first, second, links, wins, next_numbers, values, matrix)
        best = -np.inf
        for answer in range(size):
            mean = 0.0
            for index in range(size):
                if seat == 0:
                    card = cards[0, own_bits[index]]
                    mean -= policy[row, rules.FIRST_CARD + card] * matrix[index, answer]
                else:
                    card = cards[1, rival_bits[index]]
                    mean += policy[row, rules.FIRST_CARD + card] * matrix[answer, index]
            best = max(best, mean)
        values[left[own] + right[rival] + number] = -best if seat == 0 else best
