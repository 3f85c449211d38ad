"""Leduc poker as a ``Game``: names and observation sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core import Facts, Game, Section
from . import render, rules

ACTIONS = ("fold", "call", "raise")
RANKS = ("jack", "queen", "king")
SUITS = ("hearts", "spades")


@dataclass(frozen=True)
class Options:
    """Leduc poker has no options: it is a yardstick."""


class LeducPoker(Game):
    """Two private cards, a public one and two betting rounds; see ``leduc_poker_v0``."""

    name = "leduc_poker"
    title = "Leduc poker"
    version = 0
    rules = rules
    Options = Options
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {"standard": {}}

    @property
    def facts(self) -> Facts:
        """From raise and fold to two betting rounds of call, raise, raise, call."""
        most = rules.ANTE + rules.MAX_RAISES * (2 + 4)
        return Facts(
            num_players=2,
            num_actions=len(ACTIONS),
            num_chance_outcomes=rules.NUM_CARDS,
            min_decisions=2,
            max_decisions=2 * rules.MAX_TURNS,
            max_chance_run=2,
            min_return=-most,
            max_return=most,
            zero_sum=True,
        )

    @property
    def sections(self) -> Sequence[Section]:
        """What a seat sees: everything but the rival's private card."""
        cards = [self.chance_name(card) for card in range(rules.NUM_CARDS)]
        moves = ["call", "raise", "then call", "then raise"]
        most = int(self.facts.max_return)
        return [
            Section("own_card", cards, "the observer's private card"),
            Section("public_card", cards, "the public card, once it is dealt"),
            Section("rival_card", cards, "the opponent's private card, at a showdown only"),
            Section("own_moves_1", moves, "the observer's moves in the first betting round"),
            Section("own_moves_2", moves, "the observer's moves in the second betting round"),
            Section("rival_moves_1", moves, "the opponent's moves in the first betting round"),
            Section("rival_moves_2", moves, "the opponent's moves in the second betting round"),
            Section("own_chips", ["chips"], "the observer's chips in the pot", 1, most, "numbers"),
            Section(
                "rival_chips", ["chips"], "the opponent's chips in the pot", 1, most, "numbers"
            ),
            Section("acts_first", ["yes"], "whether the observer opens both betting rounds"),
            Section("folded", ["observer", "rival"], "who has folded, at the end only"),
        ]

    def parameters(self) -> dict[str, Any]:
        """No options, so nothing to hold."""
        return {}

    def action_name(self, action: int, seat: int = 0) -> str:
        """``fold``, ``call`` (which is a check when there is nothing to match) or ``raise``."""
        return ACTIONS[action]

    def chance_name(self, outcome: int) -> str:
        """The card that is dealt, such as ``queen of hearts``."""
        kind, suit = divmod(outcome, rules.NUM_SUITS)
        return f"{RANKS[kind]} of {SUITS[suit]}"

    def text(self, state: np.record, seat: int | None = None) -> str:
        """See ``render.text``."""
        return render.text(self, state, seat)

    def picture(self, state: np.record, seat: int | None = None) -> np.ndarray:
        """See ``render.picture``."""
        return render.picture(self, state, seat)
