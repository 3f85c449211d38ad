"""A player of Dragon Deck that looks one battle ahead and knows by learning what comes after it.

In every battle it solves the matrix game whose entries are the values of the positions that the
battle can lead to (Shapley, "Stochastic games", 1953). Once few cards are left the values are exact;
before that, networks estimate them, one for each number of cards: see ``training.nash_values``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

from ...envs.core import threads
from ...envs.core.compilation import borrowed, kernel
from ...envs.core.dispatch import observe
from ...envs.core.errors import OptionError
from ...envs.core.game import Game
from ...envs.core.observation import offsets
from ...envs.dragon_deck import rules
from ...envs.dragon_deck.game import DragonDeck
from ..matrix_game import solve_in
from ..neural import ValueNet, loaded, predict, tensors_under
from ..parameters import Parameter, count, read
from ..sampling import SamplingAgent
from .battle import BattleSolution, Report, fill_links, fill_matrix, solve_from
from .oracle import estimate_rows
from .reading import OWN_HAND, RIVAL_HAND, cards_in, still_needed
from .response import views

if TYPE_CHECKING:
    import torch

KIND = "lookahead"
"""What checkpoints of such agents say they are."""
EXACT = 8
"""Cards in each hand from which on battles are solved exactly, if nothing else is said."""
CHUNK = 128
"""Positions looked at together: what follows them takes some 10 MB."""


class LookaheadAgent(SamplingAgent):
    """Plays the equilibrium of each battle by what its networks think of the positions after it.

    It drafts like ``greedy``, ``matrix`` and ``oracle``. A move costs as many questions to a network
    as there are pairs of cards, and with few cards the solution of all battles to come.
    """

    def __init__(
        self,
        nets: Mapping[int, ValueNet],
        game: DragonDeck,
        name: str = KIND,
        exact: int | None = None,
    ) -> None:
        """An agent that plays ``game``.

        Args:
            nets: For a number of cards in each hand the network that values such positions.
            game: What they were trained on.
            name: Shown in tables.
            exact: Positions with up to so many cards in each hand are solved exactly; None is
                ``EXACT``, or what the smallest network values if that is more.

        Raises:
            OptionError: There is no network for some number of cards from ``exact`` on.
        """
        self.nets = {size: net.eval() for size, net in nets.items()}
        self.game = game
        self.name = name
        self.exact = max(EXACT, min(nets, default=0)) if exact is None else exact
        for size in range(max(self.exact, game.fewest_cards), game.num_cards // 2):
            if size not in nets:
                raise OptionError(
                    f"{name} cannot play with exact={self.exact}: it has no network for hands of "
                    f"{size} cards"
                )

    def check(self, game: Game) -> None:
        """Raise ``OptionError`` if the networks were trained on anything but ``game``."""
        if game != self.game:
            raise OptionError(f"{self.name} was trained on {self.game.label}, not {game.label}")

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """See ``SamplingAgent``."""
        policy = np.zeros(masks.shape)
        drafting = masks[:, rules.KEEP] == 1
        estimate_rows(self.game.template, observations, np.flatnonzero(drafting), policy)
        fighting = np.flatnonzero(~drafting)
        states = np.repeat(self.game.template, len(fighting))
        read_battles(observations[fighting], states)
        sizes = hand_sizes(self.game, states)
        for size in np.unique(sizes):
            rows = np.flatnonzero(sizes == size)
            if size <= self.exact:
                policy[fighting[rows]] = solved(self.game, states[rows])
            else:
                net = self.nets.get(int(size) - 1)
                _, policy[fighting[rows]] = look_ahead(self.game, net, states[rows])
        return policy

    def least_values(
        self,
        solution: BattleSolution,
        seat: int,
        num_threads: int | None = None,
        report: Report | None = None,
    ) -> np.ndarray:
        """What this agent guarantees in ``seat`` in every position, as ``response.least_values``.

        A network is asked once about each position, not again for every battle that leads there.
        """
        table = solution.table
        believed, values = (np.full(table.length, np.nan) for _ in range(2))
        committed = offsets(self.game.sections)["rival_committed"]

        def task(size: int, low: int, high: int) -> None:
            hands, scores = table.hands[size], table.scores[size]
            if size <= self.exact:
                end = table.left[hands[high - 1]] + len(hands) * len(scores)
                some = slice(table.left[hands[low]], end)
                values[some] = solution.values[some]
            if size < self.exact:
                return
            for places, observations, _ in views(table, size, seat, low, high):
                if size in self.nets:
                    observations[:, committed] = 0  # networks look at it before anybody chooses
                    at = table.left[places[:, 0]] + table.right[places[:, 1]] + places[:, 2]
                    found = predict(self.nets[size], observations)
                    believed[at] = found if seat == 0 else -found
                if size > self.exact:
                    least_rows(
                        places,
                        scores,
                        size,
                        seat,
                        table.score_numbers[size - 1],
                        table.left,
                        table.right,
                        table.gains,
                        believed,
                        values,
                    )

        table.run(task, num_threads, report)
        return values


def load_lookahead(
    tensors: Mapping[str, torch.Tensor],
    facts: Mapping[str, Any],
    game: Game,
    name: str,
    parameters: Mapping[str, object],
) -> LookaheadAgent:
    """The agent in a checkpoint, see ``neural.load_agent``."""
    assert isinstance(game, DragonDeck)
    known = {"exact": Parameter(None, count, "a whole number of at least 1")}
    nets = {
        size: loaded(ValueNet, game, facts["hidden"], tensors_under(tensors, f"values.{size}."))
        for size in facts["sizes"]
    }
    return LookaheadAgent(nets, game, name, **read(name, known, parameters))


def hand_sizes(game: DragonDeck, states: np.ndarray) -> np.ndarray:
    """Cards in the hand of seat 0: int64 ``[rows]``."""
    return (states["place"][:, : game.num_cards] == rules.HAND).sum(1)


def look_ahead(
    game: DragonDeck, net: ValueNet | None, states: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Solve the next battle of positions by the values of those that can follow.

    Args:
        game: The game, with its options.
        net: Values positions with one card less; None if every battle decides the game.
        states: Records ``[rows]`` before a battle, with equally many cards in each.

    Returns:
        The values for seat 0, float64 ``[rows]``, and how likely it plays each card, float64
        ``[rows, num_actions]``.
    """
    values, mixes = np.empty(len(states)), np.zeros((len(states), game.num_actions))
    size = int(hand_sizes(game, states[:1])[0])
    for low in range(0, len(states), CHUNK):
        some = slice(low, low + CHUNK)
        results = np.empty((len(states[some]), size, size))
        observations = np.zeros((results.size, game.observation_size), np.float32)
        try_battles(states[some], results, observations)
        undecided = np.flatnonzero(np.isnan(results))
        if net is not None:
            results.reshape(-1)[undecided] = predict(net, observations[undecided])
        solve_battle_rows(states[some], results, values[some], mixes[some])
    return values, mixes


def solved(game: DragonDeck, states: np.ndarray) -> np.ndarray:
    """The exact equilibrium of positions before a battle for seat 0: float64 ``[rows, num_actions]``."""
    policy = np.zeros((len(states), game.num_actions))
    held = states["place"][:, : game.num_cards]
    scores = states["victory_cards"].astype(np.int64)

    def solve(_: int, low: int, high: int) -> None:
        for row in range(low, high):
            hands = [np.flatnonzero(held[row] == rules.HAND + seat) for seat in range(2)]
            start = int(scores[row, 0]), int(scores[row, 1])
            solution = solve_from(game, hands, start, num_threads=1)
            own, rival = (held[row : row + 1] == rules.HAND + seat for seat in range(2))
            place = solution.table.locate(own, rival, scores[row : row + 1])
            policy[row] = solution.strategies(place, 0)[0]

    threads.run(solve, len(states), max(1, min(len(states), threads.num_cores())))
    return policy


@kernel
def read_battles(observations, states):
    """Lay out what is seen before a battle, with the observer as seat 0; ``states`` are new records."""
    observations, states = borrowed(observations), borrowed(states)
    for row in range(states.shape[0]):
        state, observation = states[row], observations[row]
        begin_battle(state)
        for card in cards_in(state, observation, OWN_HAND):
            state.place[card] = rules.HAND
        for card in cards_in(state, observation, RIVAL_HAND):
            state.place[card] = rules.HAND + 1
        own, rival = still_needed(state, observation)
        state.victory_cards[0] = state.target - own
        state.victory_cards[1] = state.target - rival


@njit(cache=True)
def begin_battle(state):
    """The draft is over, all cards are gone, and seat 0 is to choose."""
    state.phase = rules.BATTLE
    state.draft_round = state.values_per_type
    state.turned_up = rules.NO_CARD
    state.committed = rules.NO_CARD
    state.player = 0
    state.place[:] = rules.DISCARD


@kernel
def try_battles(states, results, observations):
    """Fight the next battle of every position with every pair of cards.

    ``results`` float64 ``[rows, m, m]`` gets 1 or -1 where that decides the game for seat 0 or 1, else
    NaN, and ``observations`` float32 ``[rows * m * m, observation_size]``, zero on entry, then gets
    what seat 0 sees after it.
    """
    states, observations = borrowed(states), borrowed(observations)
    after = states[:1].copy()
    at = 0
    for row in range(states.shape[0]):
        hands = hands_of(states[row], results.shape[1])
        for i, card in enumerate(hands[0]):
            for j, other in enumerate(hands[1]):
                after[0] = states[row]
                rules.commit(after[0], card)
                rules.reveal(after[0], other)
                results[row, i, j] = np.nan
                if after[0].player < 0:
                    results[row, i, j] = 1 if rules.winner(after[0]) == 0 else -1
                else:
                    observe(after[0], 0, observations[at])
                at += 1


@njit(cache=True)
def hands_of(state, size):
    """The cards of both seats, ascending: int64 ``[2, size]``."""
    hands = np.empty((2, size), np.int64)
    for seat in range(2):
        count = 0
        for card in range(rules.num_cards(state)):
            if state.place[card] == rules.HAND + seat:
                hands[seat, count] = card
                count += 1
    return hands


@kernel
def solve_battle_rows(states, results, values, mixes):
    """Solve the matrix game of every position: see ``look_ahead`` for ``values`` and ``mixes``."""
    states = borrowed(states)
    size = results.shape[1]
    tableau = np.empty((size + 1, size + 1))
    beside, top = np.empty(size, np.int64), np.empty(size, np.int64)
    own, rival = np.empty(size), np.empty(size)
    for row in range(states.shape[0]):
        values[row] = solve_in(results[row], own, rival, tableau, beside, top)
        hand = hands_of(states[row], size)[0]
        for index in range(size):
            mixes[row, rules.FIRST_CARD + hand[index]] = own[index]


@kernel
def least_rows(places, scores, size, seat, next_numbers, left, right, gains, believed, values):
    """Write the value of each position if ``seat`` solves the battle by ``believed`` values.

    The other seat responds best; both arrays are in the places of the table, and ``values`` of the
    next layer are there already.
    """
    own_bits, rival_bits = np.empty(size, np.int64), np.empty(size, np.int64)
    links, wins = np.empty((size, size), np.int64), np.empty((size, size), np.int64)
    matrix, tableau = np.empty((size, size)), np.empty((size + 1, size + 1))
    beside, top = np.empty(size, np.int64), np.empty(size, np.int64)
    own_mix, rival_mix = np.empty(size), np.empty(size)
    for row in range(places.shape[0]):
        own, rival, number = places[row]
        fill_links(own, rival, own_bits, rival_bits, left, right, gains, links, wins)
        first, second = scores[number]
        fill_matrix(first, second, links, wins, next_numbers, believed, matrix)
        solve_in(matrix, own_mix, rival_mix, tableau, beside, top)
        fill_matrix(first, second, links, wins, next_numbers, values, matrix)
        at = left[own] + right[rival] + number
        if seat == 0:
            values[at] = (own_mix @ matrix).min()
        else:
            values[at] = (matrix @ rival_mix).max()
