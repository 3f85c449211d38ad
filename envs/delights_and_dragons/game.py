"""Delights & Dragons as a ``Game``: options, names, observation sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..core import Facts, Game, OptionError, Section
from ..core.errors import is_whole, suggest
from . import render, rules
from .cards import CardSet, Character, Item, read_card_set

MAX_HEALTH = 200
MAX_TURNS = 10_000


@dataclass(frozen=True)
class Options:
    """Options of Delights & Dragons, which are settled so that no file is needed any more.

    Attributes:
        card_set: A set that comes with Duelgym by name, a YAML file, or the data of a set; becomes
            a ``CardSet``.
        decks: Names of both players' decks in the set, or one name for both; None takes the first
            deck of the set for both. Becomes a pair of names.
        health: Health that each player starts with, 1 to 200.
        opening_hand: Cards that each player starts with, from 1 to those of the smaller deck.
        max_turns: Turns of both players together after which a game is cut off, 1 to 10,000.
        open_decklists: Whether each player knows the other's decklist.
    """

    card_set: Any = "starter"
    decks: Any = None
    health: int = 20
    opening_hand: int = 3
    max_turns: int = 100
    open_decklists: bool = True

    def __post_init__(self) -> None:
        """Read the card set and check the options against it."""
        cards = read_card_set(self.card_set)
        decks = self.decks if self.decks is not None else next(iter(cards.decks))
        pair = (decks, decks) if isinstance(decks, str) else decks
        if not isinstance(pair, Sequence) or len(pair) != 2:
            raise OptionError(
                f"delights_and_dragons: decks is one name, or two in a list, not {decks!r}"
            )
        for deck in pair:
            if not isinstance(deck, str) or deck not in cards.decks:
                raise OptionError(
                    f"delights_and_dragons: card set {cards.name!r} has no deck {deck!r}; "
                    f"{suggest(str(deck), cards.decks)}"
                )
        if not isinstance(self.open_decklists, (bool, np.bool_)):
            raise OptionError(
                f"delights_and_dragons: open_decklists is true or false, not {self.open_decklists!r}"
            )
        smaller = min(sum(cards.decks[deck].values()) for deck in pair)
        _check("health", self.health, MAX_HEALTH)
        _check("opening_hand", self.opening_hand, smaller, " (the cards of the smaller deck)")
        _check("max_turns", self.max_turns, MAX_TURNS)
        object.__setattr__(self, "card_set", cards)
        object.__setattr__(self, "decks", tuple(pair))
        for name in ("health", "opening_hand", "max_turns"):
            object.__setattr__(self, name, int(getattr(self, name)))
        object.__setattr__(self, "open_decklists", bool(self.open_decklists))
        if len(self.decklists) > rules.MAX_DECKS or len(self.cards) > rules.MAX_CARDS:
            raise OptionError(
                "delights_and_dragons: with open_decklists=False a card set has at most "
                f"{rules.MAX_DECKS} decks of {rules.MAX_CARDS} different cards together, but "
                f"{cards.name!r} has {len(self.decklists)} decks of {len(self.cards)}"
            )

    @property
    def decklists(self) -> dict[str, dict[str, int]]:
        """The decks that a player may have, as far as the opponent knows, by name.

        With open decklists these are the two that are played, else all of the card set.
        """
        decks = self.card_set.decks
        return {name: decks[name] for name in (self.decks if self.open_decklists else decks)}

    @property
    def cards(self) -> list[Character | Item]:
        """The cards of the decklists by their numbers: characters first, then items."""
        used = set().union(*self.decklists.values())
        return [card for card in self.card_set.cards if card.name in used]


def _check(name: str, value: Any, most: int, why: str = "") -> None:
    if not is_whole(value) or not 1 <= value <= most:
        raise OptionError(
            f"delights_and_dragons: {name} is a whole number from 1 to {most}{why}, not {value!r}"
        )


class SlotCards(Section):
    """A section of numbers that ``describe`` reads as names: 1 is the first of ``names``."""

    def __init__(
        self, name: str, labels: Sequence[str], meaning: str, names: Sequence[str]
    ) -> None:
        """A section with an entry for each of ``labels``; 0 stands for nothing."""
        super().__init__(name, labels, meaning, high=len(names))
        object.__setattr__(self, "names", tuple(names))

    names: tuple[str, ...]

    def read(self, values: np.ndarray) -> dict[str, str]:
        """The name that each entry which is not 0 stands for."""
        return {
            label: self.names[int(value) - 1]
            for label, value in zip(self.labels, values, strict=True)
            if value
        }


class DelightsAndDragons(Game):
    """Characters, items and injuries; see ``delights_and_dragons_v0`` for the whole page."""

    name = "delights_and_dragons"
    title = "Delights & Dragons"
    version = 0
    rules = rules
    Options = Options
    variants: ClassVar = {
        "mirror": {},
        "themed": {"decks": ("delights", "dragons")},
        "closed": {"decks": ("delights", "dragons"), "open_decklists": False},
    }

    @property
    def card_set(self) -> CardSet:
        """The card set that is played with."""
        return self.options.card_set

    @cached_property
    def decklists(self) -> dict[str, dict[str, int]]:
        """The decks that a player may have, as far as the opponent knows, by name."""
        return self.options.decklists

    @cached_property
    def cards(self) -> list[Character | Item]:
        """The cards of the decklists by their numbers: characters first, then items."""
        return self.options.cards

    @property
    def num_cards(self) -> int:
        """Distinct cards."""
        return len(self.cards)

    @cached_property
    def characters(self) -> list[Character]:
        """The characters among the cards."""
        return [card for card in self.cards if isinstance(card, Character)]

    @cached_property
    def items(self) -> list[Item]:
        """The items among the cards."""
        return [card for card in self.cards if isinstance(card, Item)]

    @cached_property
    def num_slots(self) -> int:
        """Slots of a side: the most characters in a deck, so there is always room."""
        return max(self.card_set.num_characters(deck) for deck in self.decklists)

    @property
    def facts(self) -> Facts:
        """See the rules: at least one decision a turn, and no attack before the third turn."""
        options, slots = self.options, self.num_slots
        # In the n-th turn of a player: a character, an item and its holder, n - 1 attackers and
        # their targets, the end of the phase, and a decision when the deck has run out.
        turns = [turn // 2 for turn in range(options.max_turns)]
        return Facts(
            num_players=2,
            num_actions=self.num_cards + 3 * slots + 3,
            num_chance_outcomes=self.num_cards,
            min_decisions=min(3, options.max_turns),
            max_decisions=sum(5 + 2 * min(slots, before) for before in turns),
            max_chance_run=2 * options.opening_hand,
            min_return=-1,
            max_return=1,
            zero_sum=True,
            can_truncate=True,
        )

    @property
    def sections(self) -> Sequence[Section]:
        """What a seat sees: everything but the order of decks and what it cannot know of a hand."""
        names = [card.name for card in self.cards]
        most = max(max(deck.values()) for deck in self.decklists.values())
        largest = max(sum(deck.values()) for deck in self.decklists.values())

        def counts(name: str, meaning: str) -> Section:
            return Section(name, names, meaning, high=most, kind="counts")

        sections = [
            counts("own_hand", "copies of each card in the observer's hand"),
            counts("own_deck", "in the observer's deck"),
            counts("own_discard", "in the observer's discard"),
            counts("rival_discard", "in the opponent's discard"),
        ]
        if self.options.open_decklists:
            sections += [
                counts(
                    "rival_unknown",
                    "in the opponent's deck, or in its hand without being known to be there",
                ),
                counts("rival_known", "in the opponent's hand for certain, by counting"),
                counts("own_known", "in the observer's hand for certain, to the opponent"),
            ]
        else:
            decks = list(self.decklists)
            sections += [
                counts("rival_shuffled", "that the opponent's deck was last reshuffled from"),
                counts("own_shuffled", "that the observer's deck was last reshuffled from"),
                Section("rival_decks", decks, "decks that the opponent may be playing"),
                Section(
                    "own_decks", decks, "decks that the observer may be playing, to the opponent"
                ),
            ]
        for number in ("attack", "defense"):
            values = {card.name: getattr(card, number) for card in self.cards}
            sections.append(
                Section(
                    f"own_hand_{number}",
                    [name for name, value in values.items() if value],
                    f"{number} of each card in the observer's hand, 0 if it is not there",
                    high=max(values.values()),
                    kind="counts",
                )
            )
        sections += [*self._side_sections("own"), *self._side_sections("rival")]
        slots, highest = self._slot_names, self._highest("attack")
        sections += [
            Section(
                "item",
                [card.name for card in self.items],
                "the item that is being given to a character",
            ),
            Section("attacker", slots, "the slot that is attacking and chooses a target"),
            Section(
                "target_destroyed", slots, "whether that would destroy the character in a slot"
            ),
            Section(
                "target_damage",
                slots,
                "how much health it would cost then",
                high=highest,
                kind="counts",
            ),
            Section(
                "health",
                ["own", "rival"],
                "health of the observer and the opponent",
                high=self.options.health,
                kind="numbers",
            ),
            Section(
                "hand_size", ["own", "rival"], "cards in both hands", high=largest, kind="numbers"
            ),
            Section(
                "deck_size", ["own", "rival"], "cards in both decks", high=largest, kind="numbers"
            ),
            Section(
                "turn_number",
                ["turn"],
                "turns that have begun, both players' together",
                high=self.options.max_turns,
                kind="numbers",
            ),
            Section("own_turn", ["yes"], "whether it is the observer's turn"),
            Section(
                "may_play",
                ["a character", "an item"],
                "what may still be played this turn, by the player whose turn it is",
            ),
            Section(
                "decision",
                ["attack phase", "holder of an item", "target", "deck has run out"],
                "what the player whose turn it is decides",
            ),
        ]
        return [section for section in sections if section.size]

    def _side_sections(self, side: str) -> list[Section]:
        """The characters and items in play of one side."""
        slots, who = self._slot_names, {"own": "the observer", "rival": "the opponent"}[side]
        other = {"own": "the opponent", "rival": "the observer"}[side]

        def numbers(name: str, meaning: str, high: int) -> Section:
            return Section(f"{side}_{name}", slots, meaning, high=high, kind="counts")

        return [
            SlotCards(
                f"{side}_characters",
                slots,
                f"number of the character in each slot of {who}",
                [card.name for card in self.characters],
            ),
            numbers("attack", "its attack, with items", self._highest("attack")),
            numbers("defense", "its defense, with items", self._highest("defense")),
            Section(f"{side}_legendary", slots, "whether it is legendary"),
            numbers("marks", "attacks that it has survived; 1 is injured, unless legendary", 2),
            Section(f"{side}_ready", slots, "whether it may attack this turn"),
            numbers(
                "destroys", f"characters of {other} that its attack would destroy", self.num_slots
            ),
            SlotCards(
                f"{side}_items",
                self._item_copies,
                f"number of the slot of each item that {who} has in play",
                slots,
            ),
        ]

    @cached_property
    def _slot_names(self) -> list[str]:
        return [f"slot {slot + 1}" for slot in range(self.num_slots)]

    @cached_property
    def _most_copies(self) -> dict[str, int]:
        """The most copies of each item that a deck has."""
        decks = self.decklists.values()
        return {item.name: max(deck.get(item.name, 0) for deck in decks) for item in self.items}

    @cached_property
    def _item_copies(self) -> list[str]:
        return [
            f"{name} {copy + 1}" for name, most in self._most_copies.items() for copy in range(most)
        ]

    def _highest(self, number: str) -> int:
        """The greatest attack or defense that a character can have, with all items of its deck."""
        return max(
            max((getattr(card, number) for card in self.characters if card.name in deck), default=0)
            + sum(getattr(item, number) * deck.get(item.name, 0) for item in self.items)
            for deck in self.decklists.values()
        )

    def parameters(self) -> dict[str, Any]:
        """Fields of the record that hold the options and the numbers of all cards."""
        options, cards = self.options, self.cards
        numbers = {card.name: number for number, card in enumerate(cards)}
        tables = np.zeros((3, rules.MAX_CARDS), np.int8)
        for number, card in enumerate(cards):
            tables[:, number] = card.attack, card.defense, getattr(card, "legendary", False)
        entries = np.zeros(rules.MAX_CARDS, np.int16)
        first = 0
        for name, most in self._most_copies.items():
            entries[numbers[name]], first = first, first + most
        decks = np.zeros((rules.MAX_DECKS, rules.MAX_DECK), np.int8)
        sizes = np.zeros(rules.MAX_DECKS, np.int8)
        for row, deck in enumerate(self.decklists.values()):
            copies = sorted(numbers[name] for name, count in deck.items() for _ in range(count))
            decks[row, : len(copies)], sizes[row] = copies, len(copies)
        return {
            "num_cards": self.num_cards,
            "num_characters": len(self.characters),
            "num_slots": self.num_slots,
            "num_decks": len(self.decklists),
            "attack": tables[0],
            "defense": tables[1],
            "legendary": tables[2],
            "holder_entry": entries,
            "num_holder_entries": first,
            "decks": decks,
            "deck_sizes": sizes,
            "own_decks": [list(self.decklists).index(name) for name in options.decks],
            "starting_health": options.health,
            "opening_hand": options.opening_hand,
            "max_turns": options.max_turns,
            "open_decklists": options.open_decklists,
        }

    def action_name(self, action: int, seat: int = 0) -> str:
        """Such as ``play Cave Drake``, ``on slot 2``, ``attack with slot 1``, ``target slot 3``."""
        if action < self.num_cards:
            return f"play {self.cards[action].name}"
        if action >= self.num_actions + rules.END_PHASE:
            return ("end phase", "reshuffle", "forfeit")[action - self.num_actions]
        run, slot = divmod(action - self.num_cards, self.num_slots)
        return f"{('on', 'attack with', 'target')[run]} slot {slot + 1}"

    def chance_name(self, outcome: int) -> str:
        """The card that is drawn."""
        return self.cards[outcome].name

    def text(self, state: np.record, seat: int | None = None) -> str:
        """See ``render.text``."""
        return render.text(self, state, seat)

    def picture(self, state: np.record, seat: int | None = None) -> np.ndarray:
        """See ``render.picture``."""
        return render.picture(self, state, seat)
