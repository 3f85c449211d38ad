"""Dragon Deck as a ``Game``: options, names, observation sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core import Facts, Game, OptionError, Section
from ..core.errors import is_whole
from ..core.observation import steps
from . import render, rules

TYPES = ("fire", "forest", "water")


@dataclass(frozen=True)
class Options:
    """Options of Dragon Deck.

    Attributes:
        values_per_type: Dragons of each type, and rounds of the draft: 2, 4, 6 or 8.
        target: Victory cards that win; None takes ``(3 * values_per_type / 2 + 1) // 2``.
    """

    values_per_type: int = 8
    target: int | None = None

    def __post_init__(self) -> None:
        """Check the options and settle the target."""
        values, target = self.values_per_type, self.target
        if not is_whole(values) or values not in (2, 4, 6, 8):
            raise OptionError(f"dragon_deck: values_per_type is 2, 4, 6 or 8, not {values!r}")
        most = (3 * values // 2 + 1) // 2
        if target is None:
            target = most
        if not is_whole(target) or not 1 <= target <= most:
            raise OptionError(
                f"dragon_deck: target is a whole number from 1 to {most} with values_per_type="
                f"{values} (with more, {3 * values // 2} battles might not find a winner), "
                f"not {target!r}"
            )
        object.__setattr__(self, "values_per_type", int(values))
        object.__setattr__(self, "target", int(target))


class DragonDeck(Game):
    """Draft dragons, then fight with them; see ``dragon_deck_v0`` for the whole page."""

    name = "dragon_deck"
    title = "Dragon Deck"
    version = 0
    rules = rules
    Options = Options
    variants: ClassVar = {
        "standard": {},
        "medium": {"values_per_type": 6},
        "small": {"values_per_type": 4},
        "tiny": {"values_per_type": 2},
    }

    @property
    def num_cards(self) -> int:
        """Dragons in the game."""
        return 3 * self.options.values_per_type

    @property
    def fewest_cards(self) -> int:
        """Cards left in each hand before the last battle that can be: one short of the target both."""
        return self.num_cards // 2 - 2 * (int(self.options.target or 0) - 1)

    @property
    def facts(self) -> Facts:
        """See the rules: 1 or 2 decisions a draft round, 2 a battle."""
        values, target = self.options.values_per_type, self.options.target
        return Facts(
            num_players=2,
            num_actions=rules.FIRST_CARD + self.num_cards,
            num_chance_outcomes=self.num_cards,
            min_decisions=values + 2 * ((target + 1) // 2),
            max_decisions=2 * values + 2 * (2 * target - 1),
            max_chance_run=3,
            min_return=-1,
            max_return=1,
            zero_sum=True,
        )

    @property
    def sections(self) -> Sequence[Section]:
        """What a seat sees: every card but the undrawn ones, and seat 0's choice only if it is its own."""
        cards = [self.chance_name(card) for card in range(self.num_cards)]
        values, target = self.options.values_per_type, self.options.target
        hand = 3 * values // 2
        return [
            Section("own_hand", cards, "cards in the observer's hand, a committed one included"),
            Section("rival_hand", cards, "cards in the opponent's hand, a committed one included"),
            Section("unseen", cards, "cards that have not been turned up"),
            Section("turned_up", cards, "the card that the active player decides about"),
            Section("own_committed", cards, "the card that the observer has committed face down"),
            Section("rival_committed", ["yes"], "whether the opponent has committed a card"),
            Section("own_turn_to_recruit", ["yes"], "whether the observer is active in the draft"),
            Section("rival_turn_to_recruit", ["yes"], "whether the opponent is"),
            Section("pile_b", ["yes"], "whether the card to decide about is from pile B, not A"),
            Section("rounds", steps(values), "finished rounds of the draft", kind="level"),
            Section("own_victory_cards", steps(target), "won by the observer", kind="level"),
            Section("rival_victory_cards", steps(target), "won by the opponent", kind="level"),
            Section(
                "own_hand_beats",
                cards,
                "for each card in the observer's hand, how many of the opponent's hand it beats",
                high=hand,
                kind="counts",
            ),
            Section(
                "rival_hand_beats",
                cards,
                "for each card in the opponent's hand, how many of the observer's hand it beats",
                high=hand,
                kind="counts",
            ),
        ]

    def parameters(self) -> dict[str, Any]:
        """Fields of the record that hold the options."""
        return {"values_per_type": self.options.values_per_type, "target": self.options.target}

    def action_name(self, action: int, seat: int = 0) -> str:
        """``keep``, ``refuse`` or a card, such as ``fire 8``."""
        if action < rules.FIRST_CARD:
            return ("keep", "refuse")[action]
        return self.chance_name(action - rules.FIRST_CARD)

    def chance_name(self, outcome: int) -> str:
        """The card that is turned up."""
        kind, value = divmod(outcome, self.options.values_per_type)
        return f"{TYPES[kind]} {value + 1}"

    def text(self, state: np.record, seat: int | None = None) -> str:
        """See ``render.text``."""
        return render.text(self, state, seat)

    def picture(self, state: np.record, seat: int | None = None) -> np.ndarray:
        """See ``render.picture``."""
        return render.picture(self, state, seat)
