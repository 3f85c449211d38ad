"""The battle phase of Dragon Deck, solved exactly by backward induction.

After the draft both hands are public, so a position is what is left of the two hands and the
victory cards won so far, and each position is a matrix game: the entry for a pair of cards is the
value of the position after that battle. Positions are solved from the last cards to the first, as
Shapley ("Stochastic games", 1953) does for games without chance.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numba import njit

from ...envs import make
from ...envs.core import threads
from ...envs.core.compilation import kernel
from ...envs.core.errors import DuelgymError, OptionError
from ...envs.core.files import write_atomically
from ...envs.core.state import State
from ...envs.dragon_deck import rules
from ...envs.dragon_deck.game import DragonDeck
from ..matrix_game import solve_in
from .reading import result

Report = Callable[[float], None]
"""Called with the share of the work that is done, from 0 to 1."""

_BLOCKS = 16
"""Parts of a layer between two reports."""


class SolutionError(DuelgymError, ValueError):
    """A file that is not a whole solution, or one of another game or version."""


@dataclass(frozen=True, eq=False)
class Places:
    """Where positions are in a table.

    Attributes:
        here: bool ``[rows]``, whether they are in it at all.
        owns: int64 ``[rows]``, the hand of seat 0 as a set of bits.
        rivals: int64 ``[rows]``, the hand of seat 1.
        sizes: int64 ``[rows]``, the number of cards in each.
        scores: int64 ``[rows, 2]``, victory cards of both seats.
    """

    here: np.ndarray
    owns: np.ndarray
    rivals: np.ndarray
    sizes: np.ndarray
    scores: np.ndarray

    def some(self, rows: np.ndarray) -> Places:
        """Some of them."""
        return Places(**{name: array[rows] for name, array in vars(self).items()})


@dataclass(frozen=True, eq=False)
class BattleTable:
    """Where the value of every position of a battle phase stands in one flat array.

    A hand is a set of bits; bit ``n`` of seat ``s`` is card ``cards[s, n]``. Positions come in layers
    by ``size``, the number of cards left in each hand. In layer ``size``, the value with the hands
    ``own`` and ``rival`` and score ``scores[size][n]`` is entry ``left[own] + right[rival] + n``.

    Attributes:
        game: The game, with its options.
        cards: int64 ``[2, bits]``.
        left: int64 ``[2**bits]``, for the hand of seat 0.
        right: int64 ``[2**bits]``, for the hand of seat 1.
        length: How many entries the array has.
        start: Victory cards of both seats in the first position.
        shared: Whether both seats have the same cards for their bits, so that hands must not overlap.
    """

    game: DragonDeck
    cards: np.ndarray
    left: np.ndarray
    right: np.ndarray
    length: int
    start: tuple[int, int]
    shared: bool

    @property
    def hand_size(self) -> int:
        """Cards in each hand in the first position."""
        return self.cards.shape[1] // (2 if self.shared else 1)

    @property
    def root(self) -> int:
        """The entry of the first position, where there is a single one."""
        return int(self.left[-1] + self.right[-1])

    @cached_property
    def hands(self) -> list[np.ndarray]:
        """All hands by their size: int64 ``[how many]`` each."""
        return hands_by_size(self.cards.shape[1])[: self.hand_size + 1]

    @cached_property
    def scores(self) -> list[np.ndarray]:
        """Victory cards of both seats that can occur, by size of the hands: int64 ``[how many, 2]``."""
        return possible_scores(self.game.options.target, self.hand_size, self.start)

    @cached_property
    def score_numbers(self) -> np.ndarray:
        """The number of a score: int64 ``[size, victory cards of seat 0, of seat 1]``, -1 for none."""
        target = self.game.options.target
        numbers = np.full((self.hand_size + 1, target, target), -1)
        for size, scores in enumerate(self.scores):
            numbers[size, scores[:, 0], scores[:, 1]] = np.arange(len(scores))
        return numbers

    @cached_property
    def gains(self) -> np.ndarray:
        """Victory cards won by seat 0, or by seat 1 if negative: int64 ``[bits, bits]``, bit against bit.

        0 stands where both bits are the same card.
        """
        record = self.game.template[0]
        return np.array(
            [
                [0 if own == rival else result(record, own, rival) for rival in self.cards[1]]
                for own in self.cards[0]
            ]
        )

    @cached_property
    def ones(self) -> np.ndarray:
        """The bits of the cards of value 1, which win two victory cards: int64 ``[2]``."""
        is_one = self.cards % self.game.options.values_per_type == 0
        return (is_one << np.arange(self.cards.shape[1])).sum(1)

    def place(self, state: State) -> Places | None:
        """Where a position is; None if it is not here."""
        record = state.record
        if state.game != self.game or state.is_over or record.phase != rules.BATTLE:
            return None
        held = record.place[None, : self.game.num_cards]
        place = self.locate(
            held == rules.HAND, held == rules.HAND + 1, record.victory_cards[None].astype(np.int64)
        )
        return place if place.here[0] else None

    def locate(self, own: np.ndarray, rival: np.ndarray, scores: np.ndarray) -> Places:
        """The same by the cards of seats 0 and 1, bool ``[rows, num_cards]``, and their victory cards.

        ``scores`` are int64 ``[rows, 2]``.
        """
        bits = 1 << np.arange(self.cards.shape[1])
        held = [hand[:, cards] for hand, cards in zip((own, rival), self.cards, strict=True)]
        masks = [hand @ bits for hand in held]
        sizes = own.sum(1)
        here = (sizes == rival.sum(1)) & (sizes <= self.hand_size)
        here &= (sizes == held[0].sum(1)) & (sizes == held[1].sum(1))
        sizes = np.where(here, sizes, 0)
        here &= self.score_numbers[sizes, scores[:, 0], scores[:, 1]] >= 0
        ones_left = [
            np.bitwise_count(mask & ones) for mask, ones in zip(masks, self.ones, strict=True)
        ]
        extra = scores.sum(1) - sum(self.start) - (self.hand_size - sizes)
        here &= (extra >= 0) & (extra <= 3 - sum(ones_left))
        return Places(here, masks[0], masks[1], sizes, scores)

    def run(
        self, task: Callable[[int, int, int], None], num_threads: int | None, report: Report | None
    ) -> None:
        """Call ``task(size, low, high)`` for rows ``low`` to ``high`` of every layer, the last cards first.

        A row is a hand of seat 0. The rows of a layer are shared out among threads.
        """
        slices = num_threads or threads.num_cores()
        work = [
            len(hands) ** 2 * len(scores) * size**2
            for size, (hands, scores) in enumerate(zip(self.hands, self.scores, strict=True))
        ]
        done = 0.0
        for size in range(1, self.hand_size + 1):
            rows = len(self.hands[size])
            blocks = min(_BLOCKS, rows)
            for block in range(blocks):
                first, last = rows * block // blocks, rows * (block + 1) // blocks
                threads.run(
                    lambda _, low, high, size=size, first=first: task(
                        size, first + low, first + high
                    ),
                    last - first,
                    min(slices, last - first),
                )
                done += work[size] / blocks
                if report is not None:
                    report(done / sum(work))


def hands_by_size(bits: int) -> list[np.ndarray]:
    """All sets of ``bits`` bits, by their size and then ascending."""
    masks = np.arange(1 << bits)
    sizes = sum(masks >> bit & 1 for bit in range(bits))
    return [masks[sizes == size] for size in range(bits + 1)]


def possible_scores(target: int, hand_size: int, start: tuple[int, int]) -> list[np.ndarray]:
    """Scores by size of the hands: each battle gives one victory card, up to three battles two."""
    found = []
    for size in range(hand_size + 1):
        played = hand_size - size
        found.append(
            np.array(
                [
                    (first, second)
                    for first in range(start[0], target)
                    for second in range(start[1], target)
                    if 0 <= first + second - sum(start) - played <= min(3, played)
                ],
                np.int64,
            ).reshape(-1, 2)
        )
    return found


@njit(cache=True)
def can_occur(own, rival, won, played, ones):
    """Whether ``played`` battles can have brought ``won`` victory cards in all and left these hands.

    Every battle brings one, and a second one if a card of value 1 wins it.
    """
    gone = 3
    held = (own & ones[0], rival & ones[1])
    for hand in held:
        while hand:
            hand &= hand - 1
            gone -= 1
    return 0 <= won - played <= gone


@njit(cache=True)
def bits_of(hand, out):
    """Write the numbers of the bits of a hand to ``out``, ascending."""
    bit, found = 0, 0
    while hand:
        if hand & 1:
            out[found] = bit
            found += 1
        hand >>= 1
        bit += 1


@njit(cache=True)
def fill_links(own, rival, own_bits, rival_bits, left, right, gains, links, wins):
    """For each pair of cards where the next position stands, and what the battle wins: int64 ``[m, m]``."""
    bits_of(own, own_bits)
    bits_of(rival, rival_bits)
    for i in range(own_bits.shape[0]):
        at = left[own ^ (1 << own_bits[i])]
        for j in range(rival_bits.shape[0]):
            links[i, j] = at + right[rival ^ (1 << rival_bits[j])]
            wins[i, j] = gains[own_bits[i], rival_bits[j]]


@njit(cache=True)
def fill_matrix(first, second, links, wins, next_numbers, values, matrix):
    """The values, for seat 0, of the positions after each battle at the score ``first`` to ``second``.

    ``next_numbers`` int64 ``[target, target]`` are the numbers of scores in the next layer.
    """
    target = next_numbers.shape[0]
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            win = wins[i, j]
            after_first, after_second = first + max(0, win), second + max(0, -win)
            if after_first >= target:
                matrix[i, j] = 1
            elif after_second >= target:
                matrix[i, j] = -1
            else:
                matrix[i, j] = values[links[i, j] + next_numbers[after_first, after_second]]


@kernel
def solve_rows(
    hands, scores, next_numbers, left, right, gains, ones, start, played, shared, values, low, high
):
    """Write the values of all positions of a layer where seat 0 has ``hands[low]`` to ``hands[high - 1]``.

    ``hands`` int64 ``[rows]`` and ``scores`` int64 ``[how many, 2]`` are those of the layer, ``start``
    is the number of victory cards in the first position and ``played`` how many battles it is ago.
    """
    size = 0
    hand = hands[0]
    while hand:
        hand &= hand - 1
        size += 1
    own_bits, rival_bits = np.empty(size, np.int64), np.empty(size, np.int64)
    links, wins = np.empty((size, size), np.int64), np.empty((size, size), np.int64)
    matrix, tableau = np.empty((size, size)), np.empty((size + 1, size + 1))
    beside, top = np.empty(size, np.int64), np.empty(size, np.int64)
    own_mix, rival_mix = np.empty(size), np.empty(size)
    for row in range(low, high):
        own = hands[row]
        for rival in hands:
            if shared and own & rival:
                continue
            fill_links(own, rival, own_bits, rival_bits, left, right, gains, links, wins)
            at = left[own] + right[rival]
            for number in range(scores.shape[0]):
                first, second = scores[number]
                if can_occur(own, rival, first + second - start, played, ones):
                    fill_matrix(first, second, links, wins, next_numbers, values, matrix)
                    values[at + number] = solve_in(matrix, own_mix, rival_mix, tableau, beside, top)


@kernel
def mix_rows(
    owns,
    rivals,
    sizes,
    scores,
    seat,
    score_numbers,
    left,
    right,
    gains,
    cards,
    values,
    out,
    low,
    high,
):
    """Write how likely the equilibrium of each position plays each card of ``seat``.

    ``owns``, ``rivals`` and ``sizes`` int64 ``[rows]``, ``scores`` int64 ``[rows, 2]``, ``out``
    float64 ``[rows, num_actions]``, zero on entry.
    """
    for row in range(low, high):
        size = sizes[row]
        own_bits, rival_bits = np.empty(size, np.int64), np.empty(size, np.int64)
        links, wins = np.empty((size, size), np.int64), np.empty((size, size), np.int64)
        matrix, tableau = np.empty((size, size)), np.empty((size + 1, size + 1))
        beside, top = np.empty(size, np.int64), np.empty(size, np.int64)
        mixes = np.empty((2, size))
        fill_links(owns[row], rivals[row], own_bits, rival_bits, left, right, gains, links, wins)
        numbers = score_numbers[size - 1]
        fill_matrix(scores[row, 0], scores[row, 1], links, wins, numbers, values, matrix)
        solve_in(matrix, mixes[0], mixes[1], tableau, beside, top)
        bits = own_bits if seat == 0 else rival_bits
        for index in range(size):
            out[row, rules.FIRST_CARD + cards[seat, bits[index]]] = mixes[seat, index]


@dataclass(frozen=True, eq=False)
class BattleSolution:
    """The values of all positions that a battle phase can come to, and with them the equilibrium.

    Values are exact up to the rounding of float64 and what ``matrix_game.solve`` allows for. Only
    they are kept; a strategy is the equilibrium of one matrix game and found again when asked for.

    Attributes:
        table: Where they stand.
        values: float64 ``[table.length]``, what seat 0 gets on average, from -1 to 1.
    """

    table: BattleTable
    values: np.ndarray

    @property
    def game(self) -> DragonDeck:
        """The game, with its options."""
        return self.table.game

    def covers(self, state: State) -> bool:
        """Whether ``state`` is a position of this battle phase."""
        return self.table.place(state) is not None

    def value(self, state: State) -> float:
        """What seat 0 gets on average in a position of this battle phase if both play perfectly.

        Once seat 0 has laid a card face down, it is the value as seat 1 sees it: before the battle.

        Raises:
            OptionError: It is not a position of this battle phase.
        """
        place, table = self._placed(state), self.table
        number = table.score_numbers[place.sizes, place.scores[:, 0], place.scores[:, 1]]
        return float(self.values[table.left[place.owns] + table.right[place.rivals] + number][0])

    def strategy(self, state: State, seat: int) -> np.ndarray:
        """An equilibrium strategy of ``seat`` in a position: probabilities, float64 ``[num_actions]``.

        It holds for the battle that is due, whether or not seat 0 has laid its card already.

        Raises:
            OptionError: It is not a position of this battle phase.
        """
        return self.strategies(self._placed(state), seat)[0]

    def strategies(self, places: Places, seat: int) -> np.ndarray:
        """``strategy`` in many positions, which must be here: float64 ``[rows, num_actions]``."""
        table, out = self.table, np.zeros((len(places.owns), self.game.num_actions))
        mix_rows(
            places.owns,
            places.rivals,
            places.sizes,
            places.scores,
            seat,
            table.score_numbers,
            table.left,
            table.right,
            table.gains,
            table.cards,
            self.values,
            out,
            0,
            len(out),
        )
        return out

    def _placed(self, state: State) -> Places:
        found = self.table.place(state)
        if found is None:
            hands = " against ".join(
                ", ".join(self.game.chance_name(int(card)) for card in cards)
                for cards in self.table.cards
            )
            raise OptionError(
                f"{state!r} is not a position of the battles of {hands} in {self.game.label}; "
                "solve that position instead"
            )
        return found

    def save(self, path: Path) -> None:
        """Write the solution to one file (a NumPy archive without pickles), whole or not at all.

        A full-size one has 300 MB.

        Raises:
            OSError: It could not be written.
        """
        data = io.BytesIO()
        np.savez(
            data,
            identity=np.array(json.dumps(self.game.identity())),
            cards=self.table.cards,
            start=np.array(self.table.start),
            values=self.values,
        )
        write_atomically(path, data.getvalue())

    @classmethod
    def load(cls, path: Path) -> BattleSolution:
        """The solution that ``save`` wrote.

        Raises:
            SolutionError: The file is missing, damaged, or of another game, version or layout.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                identity = json.loads(str(file["identity"]))
                cards, start, values = file["cards"], file["start"], file["values"]
            game = make(identity["game"], **identity["options"])
        except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
            raise SolutionError(f"cannot read a solution from {path}: {error}") from None
        if not isinstance(game, DragonDeck) or game.identity() != identity:
            raise SolutionError(f"{path} is the solution of another game, version or layout")
        if not _is_position(game, cards, start):
            raise SolutionError(f"{path} is not the solution of a position of {game.label}")
        table = deal_table(game, cards, (int(start[0]), int(start[1])))
        if values.shape != (table.length,) or values.dtype != np.float64:
            raise SolutionError(f"{path} does not hold the value of every position")
        return cls(table, values)


def _is_position(game: DragonDeck, cards: np.ndarray, start: np.ndarray) -> bool:
    """Whether these can be the hands, int64 ``[2, hand_size]``, and victory cards of a position."""
    return (
        cards.dtype == start.dtype == np.int64
        and cards.ndim == 2
        and len(cards) == 2
        and 1 <= cards.shape[1] <= game.num_cards // 2
        and bool(np.isin(cards, np.arange(game.num_cards)).all())
        and len(np.unique(cards)) == cards.size
        and start.shape == (2,)
        and bool(((start >= 0) & (start < game.options.target)).all())
    )


def solve_battles(
    state: State, *, num_threads: int | None = None, report: Report | None = None
) -> BattleSolution:
    """Solve the battle phase from a position on.

    A full-size deal takes about 18 seconds of one core, shared among ``num_threads``, and 0.4 GB;
    every battle that has been fought before makes it several times quicker.

    Args:
        state: A position of the battle phase.
        num_threads: None takes one a core.
        report: Called now and then.

    Raises:
        OptionError: It is not a position of the battle phase of Dragon Deck.
    """
    game, record = state.game, state.record
    if not isinstance(game, DragonDeck):
        raise OptionError(f"battles are solved for dragon_deck, not for {game.label}")
    if state.is_over or record.phase != rules.BATTLE:
        raise OptionError(f"{game.label}: this is not a position of the battle phase")
    hands = [np.flatnonzero(record.place == rules.HAND + seat) for seat in range(2)]
    start = int(record.victory_cards[0]), int(record.victory_cards[1])
    return solve_from(game, hands, start, num_threads=num_threads, report=report)


def solve_from(
    game: DragonDeck,
    hands: Sequence[np.ndarray],
    start: tuple[int, int],
    *,
    num_threads: int | None = None,
    report: Report | None = None,
) -> BattleSolution:
    """The same from two hands of equal size, cards ascending, and the victory cards of both seats."""
    table = deal_table(game, np.array(hands), start)
    return BattleSolution(table, solve_table(table, num_threads, report))


def solve_deal(
    game: DragonDeck,
    hand: Sequence[int],
    *,
    num_threads: int | None = None,
    report: Report | None = None,
) -> BattleSolution:
    """Solve the battles after a draft that gave seat 0 the cards in ``hand`` and seat 1 the others.

    Raises:
        OptionError: These are not half of the cards.
    """
    cards = np.unique(np.asarray(hand, np.int64))
    size = game.num_cards // 2
    if len(cards) != size or len(hand) != size or cards[0] < 0 or cards[-1] >= game.num_cards:
        raise OptionError(
            f"{game.label}: a hand is {size} different cards from 0 to {game.num_cards - 1}, "
            f"not {list(hand)}"
        )
    others = np.setdiff1d(np.arange(game.num_cards), cards)
    return solve_from(game, [cards, others], (0, 0), num_threads=num_threads, report=report)


def deal_table(game: DragonDeck, cards: np.ndarray, start: tuple[int, int]) -> BattleTable:
    """The table of a battle phase with these hands, int64 ``[2, hand_size]``, and victory cards."""
    hand_size = cards.shape[1]
    left, right = np.zeros((2, 1 << hand_size), np.int64)
    length = 0
    scores = possible_scores(game.options.target, hand_size, start)
    for hands, possible in zip(hands_by_size(hand_size), scores, strict=True):
        number = np.arange(len(hands))
        left[hands] = length + number * len(hands) * len(possible)
        right[hands] = number * len(possible)
        length += len(hands) ** 2 * len(possible)
    return BattleTable(game, cards, left, right, length, start, shared=False)


def solve_table(
    table: BattleTable, num_threads: int | None = None, report: Report | None = None
) -> np.ndarray:
    """The values of all positions, float64 ``[table.length]``; NaN where there is none."""
    values = np.full(table.length, np.nan)
    left, right, gains, ones = table.left, table.right, table.gains, table.ones

    def task(size: int, low: int, high: int) -> None:
        solve_rows(
            table.hands[size],
            table.scores[size],
            table.score_numbers[size - 1],
            left,
            right,
            gains,
            ones,
            sum(table.start),
            table.hand_size - size,
            table.shared,
            values,
            low,
            high,
        )

    table.run(task, num_threads, report)
    return values
