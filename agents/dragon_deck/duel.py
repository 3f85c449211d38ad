"""Small decks of Dragon Deck, solved exactly from the first card of the draft to the last battle.

Everything in the draft is public and its choices are made in turns, so with the undrawn cards left
to chance it is a game of perfect information (backward induction over the expected value of each
turned-up card), and the battles after it are a stack of matrix games (``battle.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numba import njit

from ...envs.core.compilation import borrowed, kernel
from ...envs.core.dispatch import legal, observe
from ...envs.core.errors import OptionError
from ...envs.core.state import State
from ...envs.dragon_deck import rules
from ...envs.dragon_deck.game import DragonDeck
from .battle import BattleSolution, BattleTable, possible_scores, solve_table
from .response import BATCH, AskPolicy, least_values

MAX_VALUES_PER_TYPE = 4
"""Larger decks have too many deals."""

BEST = -1.0
"""In place of a probability: whatever is best for the seat that recruits."""


def is_small(game: DragonDeck) -> bool:
    """Whether the whole game is solved."""
    return game.options.values_per_type <= MAX_VALUES_PER_TYPE


@dataclass(frozen=True, eq=False)
class DuelSolution:
    """The values of all positions of a small deck, and with them the equilibrium.

    Attributes:
        battles: Those of the battles after every deal.
        drafts: float64 ``[3**cards]``, what seat 0 gets on average before the next card is turned
            up; the entry is ``code(own, rival)`` of the hands, NaN where there is none.
    """

    battles: BattleSolution
    drafts: np.ndarray

    @property
    def game(self) -> DragonDeck:
        """The game, with its options."""
        return self.battles.game

    def value(self, state: State) -> float:
        """What seat 0 gets on average in a position if both play perfectly.

        Once seat 0 has laid a card face down, it is the value as seat 1 sees it: before the battle.

        Raises:
            OptionError: It is not a position of this game.
        """
        if self._is_drafting(state):
            card = int(state.record.turned_up)
            if card == rules.NO_CARD:
                return float(self.drafts[self._code(state)])
            keep, refuse = self._choices(state, card)
            return max(keep, refuse) if rules.active_seat(state.record) == 0 else min(keep, refuse)
        return self.battles.value(state)

    def strategy(self, state: State, seat: int) -> np.ndarray:
        """An equilibrium strategy of ``seat`` for what is due: probabilities, float64 ``[num_actions]``.

        Raises:
            OptionError: It is not a position of this game, or in the draft another seat chooses.
        """
        if not self._is_drafting(state):
            return self.battles.strategy(state, seat)
        if state.player != seat:
            raise OptionError(f"{state!r}: player {seat} does not choose")
        keep, refuse = self._choices(state, int(state.record.turned_up))
        better = keep >= refuse if seat == 0 else keep <= refuse
        strategy = np.zeros(self.game.num_actions)
        strategy[rules.KEEP if better else rules.REFUSE] = 1
        return strategy

    def _is_drafting(self, state: State) -> bool:
        if state.game != self.game:
            raise OptionError(f"{state!r} is not a position of {self.game.label}")
        return state.record.phase != rules.BATTLE

    def _code(self, state: State) -> int:
        hands = [(state.record.place == rules.HAND + seat).nonzero()[0] for seat in range(2)]
        return int(sum((seat + 1) * (3**cards).sum() for seat, cards in enumerate(hands)))

    def _choices(self, state: State, card: int) -> tuple[float, float]:
        """What seat 0 gets after the active seat has kept or refused ``card``."""
        active, code = rules.active_seat(state.record), self._code(state)
        given = [float(self.drafts[code + (seat + 1) * 3**card]) for seat in range(2)]
        return given[active], given[1 - active]


@lru_cache(maxsize=2)
def solve_duel(game: DragonDeck) -> DuelSolution:
    """The solution of a small deck, kept for the next call: under two seconds, under 0.1 GB.

    Raises:
        OptionError: The deck is too large.
    """
    table = whole_table(game)
    values = solve_table(table)
    return DuelSolution(BattleSolution(table, values), _draft_values(table, values))


def least_duel(game: DragonDeck, policy: AskPolicy, seat: int) -> float:
    """What ``policy`` in ``seat`` guarantees in the whole game, as a value for seat 0.

    Raises:
        OptionError: The deck is too large.
    """
    table = whole_table(game)
    values = least_values(table, policy, seat)
    return float(_draft_values(table, values, policy, seat)[0])


def whole_table(game: DragonDeck) -> BattleTable:
    """The table of the battles after all deals.

    Raises:
        OptionError: The deck is too large.
    """
    if not is_small(game):
        raise OptionError(
            f"{game.label} is too large to be solved with its draft: values_per_type is at most "
            f"{MAX_VALUES_PER_TYPE} for that"
        )
    count = game.num_cards
    scores = max(map(len, possible_scores(game.options.target, count // 2, (0, 0))))
    in_hand = np.arange(1 << count)[:, None] >> np.arange(count) & 1
    codes = in_hand @ 3 ** np.arange(count) * scores
    cards = np.tile(np.arange(count), (2, 1))
    return BattleTable(game, cards, codes, 2 * codes, 3**count * scores, (0, 0), shared=True)


def _draft_values(
    table: BattleTable,
    values: np.ndarray,
    policy: AskPolicy | None = None,
    seat: int = -1,
) -> np.ndarray:
    """The values of the draft where ``seat`` follows ``policy`` and whoever is left plays best.

    ``values`` are those of the battles. Returns what ``DuelSolution.drafts`` holds.
    """
    game, cards = table.game, table.game.num_cards
    per_code = table.length // 3**cards
    drafts = np.full(3**cards, np.nan)
    full = table.hands[cards // 2]
    rest = (1 << cards) - 1 - full
    drafts[(table.left[full] + table.right[rest]) // per_code] = values[
        table.left[full] + table.right[rest]
    ]
    for given in reversed(range(cards)):
        active, pile = given // 3 % 2, given % 3
        for kept in range(2 if pile else 1):
            sizes = _hand_sizes(given, bool(kept))
            pairs = _disjoint(table.hands[sizes[0]], table.hands[sizes[1]])
            keeps = np.full((len(pairs), cards), BEST)
            if policy is not None and active == seat and not kept and pile < rules.PILE_C:
                _ask(game, policy, pairs, given, keeps)
            recruit_rows(pairs, keeps, active, kept, pile, drafts)
    return drafts


def _hand_sizes(given: int, kept: bool) -> tuple[int, int]:
    """Cards in both hands after ``given`` cards; ``kept`` says whether the active seat has one of the round."""
    sizes = [0, 0]
    for number in range(given):
        active, pile = number // 3 % 2, number % 3
        # It has one of the three cards of a finished round, and all that matters is how many.
        if number < given - given % 3:
            sizes[active if pile == 0 else 1 - active] += 1
        else:
            sizes[active if kept and pile == 0 else 1 - active] += 1
    return sizes[0], sizes[1]


def _disjoint(owns: np.ndarray, rivals: np.ndarray) -> np.ndarray:
    """All pairs of hands without a common card: int64 ``[how many, 2]``."""
    found = np.argwhere((owns[:, None] & rivals) == 0)
    return np.stack([owns[found[:, 0]], rivals[found[:, 1]]], 1)


def _ask(
    game: DragonDeck, policy: AskPolicy, pairs: np.ndarray, given: int, keeps: np.ndarray
) -> None:
    """Write how likely ``policy`` is to keep each card: ``keeps`` float64 ``[pairs, cards]``."""
    cards = game.num_cards
    step = max(1, BATCH // cards)
    for first in range(0, len(pairs), step):
        some = pairs[first : first + step]
        unseen = ((some[:, :1] | some[:, 1:]) >> np.arange(cards) & 1) == 0
        rows, turned_up = unseen.nonzero()
        observations = np.zeros((len(rows), game.observation_size), np.float32)
        masks = np.zeros((len(rows), game.num_actions), np.int8)
        states = np.repeat(game.template, len(rows))
        view_drafts(states, some[rows], turned_up, given, observations, masks)
        keeps[first + rows, turned_up] = policy(observations, masks)[:, rules.KEEP]


@kernel
def view_drafts(states, pairs, turned_up, given, observations, masks):
    """Write what the active seat sees and may do where ``turned_up`` int64 ``[rows]`` lies before it."""
    states, observations, masks = borrowed(states), borrowed(observations), borrowed(masks)
    for row in range(pairs.shape[0]):
        state = states[row]
        set_up_draft(state, pairs[row, 0], pairs[row, 1], turned_up[row], given)
        observe(state, int(state.player), observations[row])
        legal(state, masks[row])


@njit(cache=True)
def set_up_draft(state, own, rival, card, given):
    """Lay out the hands as after ``given`` cards, with ``card`` turned up for the active seat."""
    state.phase = rules.RECRUIT
    state.draft_round = given // 3
    state.pile = given % 3
    state.turned_up = card
    state.committed = rules.NO_CARD
    state.player = rules.active_seat(state)
    for other in range(rules.num_cards(state)):
        if own >> other & 1:
            state.place[other] = rules.HAND
        elif rival >> other & 1:
            state.place[other] = rules.HAND + 1
    state.place[card] = rules.TURNED_UP


@kernel
def recruit_rows(pairs, keeps, active, kept, pile, drafts):
    """Write the values of drafts before a card of ``pile`` is turned up: the mean over all cards.

    ``pairs`` int64 ``[rows, 2]`` are the hands; those with one card more are valued already.
    ``keeps`` float64 ``[rows, cards]`` says how likely a card is kept, or ``BEST``.
    """
    cards = keeps.shape[1]
    sign = 1 if active == 0 else -1
    for row in range(pairs.shape[0]):
        code, total, unseen = code_of(pairs[row, 0], pairs[row, 1]), 0.0, 0
        digit = 1
        for card in range(cards):
            if (pairs[row, 0] | pairs[row, 1]) >> card & 1 == 0:
                unseen += 1
                own = drafts[code + (1 + active) * digit]
                other = drafts[code + (2 - active) * digit]
                if kept:
                    total += other
                elif pile == rules.PILE_C:
                    total += own
                elif keeps[row, card] == BEST:
                    total += sign * max(sign * own, sign * other)
                else:
                    total += keeps[row, card] * own + (1 - keeps[row, card]) * other
            digit *= 3
        drafts[code] = total / unseen


@njit(cache=True)
def code_of(own, rival):
    """Hands as a number in base 3: digit 1 for a card of seat 0, 2 for one of seat 1."""
    code, digit = 0, 1
    while own or rival:
        code += digit * ((own & 1) + 2 * (rival & 1))
        own >>= 1
        rival >>= 1
        digit *= 3
    return code
