"""Gem Duel as a ``Game``: options, names, observation sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..core import Facts, Game, OptionError, Section
from ..core.errors import is_whole
from ..core.observation import steps
from . import render, rules

ELEMENTS = ("water", "fire", "plant", "light", "shadow")
PROPERTIES = ("element", "power", "special")
DUEL_TYPES = ("element", "power")
DECISIONS = ("turn", "answer", "clue", "play")
PLACES = ("hidden", "open", "played")

Table = tuple[tuple[int, ...], ...]

STANDARD_POWERS: Table = ((2, 3, 3, 3, 2),) * 3 + ((1, 1, 1, 1, 1),) * 2
"""Cards of each element (rows) and power from 1 on (columns)."""
MAX_COPIES = 15
MAX_TARGET = 50
TARGETS = {2: 7, 3: 6, 4: 5, 5: 4}
"""Gems that win, by the number of players."""


@dataclass(frozen=True)
class Options:
    """Options of Gem Duel.

    Attributes:
        num_players: 2 to 5.
        hand_size: Cards in a hand, 1 to 6; None takes 5 for two players, else 4.
        open_cards: How many of them are open at the start, the rest being hidden; None takes 2, or
            the whole hand if that is smaller.
        powers: How many cards there are, a row for each of water, fire, plant, light, shadow with
            the counts of powers 1, 2 and so on; None takes the standard table.
        target: Gems that win, 1 to 50; None takes 7, 6, 5, 4 for two, three, four, five players.
        clue_marks_specials: Whether a clue about power also points out light and shadow cards.
    """

    num_players: int = 2
    hand_size: int | None = None
    open_cards: int | None = None
    powers: Table | None = None
    target: int | None = None
    clue_marks_specials: bool = True

    def __post_init__(self) -> None:
        """Check the options and settle those that are None, but ``powers``."""
        players = _whole("num_players", self.num_players, 2, rules.MAX_PLAYERS)
        size = 5 if players == 2 else 4
        if self.hand_size is not None:
            size = _whole("hand_size", self.hand_size, 1, rules.MAX_HAND)
        open_cards = min(2, size)
        if self.open_cards is not None:
            split = f" with hand_size={size} (the rest of a hand is hidden)"
            open_cards = _whole("open_cards", self.open_cards, 0, size, split)
        target = TARGETS[players]
        if self.target is not None:
            target = _whole("target", self.target, 1, MAX_TARGET)
        powers = STANDARD_POWERS if self.powers is None else _table(self.powers)
        cards = sum(map(sum, powers))
        if cards < players * size:
            raise OptionError(
                f"gem_duel: powers needs at least {players * size} cards for {players} players "
                f"with {size} cards each, and has {cards}"
            )
        if not isinstance(self.clue_marks_specials, (bool, np.bool_)):
            raise OptionError(
                f"gem_duel: clue_marks_specials is true or false, not {self.clue_marks_specials!r}"
            )
        settled = {
            "num_players": players,
            "hand_size": size,
            "open_cards": open_cards,
            "powers": None if powers == STANDARD_POWERS else powers,
            "target": target,
            "clue_marks_specials": bool(self.clue_marks_specials),
        }
        for name, value in settled.items():
            object.__setattr__(self, name, value)


def _whole(name: str, value: Any, low: int, high: int, condition: str = "") -> int:
    """``value`` as an integer, if it is one from ``low`` to ``high``."""
    if not is_whole(value) or not low <= value <= high:
        raise OptionError(
            f"gem_duel: {name} is a whole number from {low} to {high}{condition}, not {value!r}"
        )
    return int(value)


def _table(powers: Any) -> Table:
    """A table of counts with rows of equal length, up to the highest power that there is."""
    powers = _plain(powers)
    if not isinstance(powers, (list, tuple)) or len(powers) != len(ELEMENTS):
        raise OptionError(
            f"gem_duel: powers has one row of counts for each of {', '.join(ELEMENTS)}, "
            f"such as {STANDARD_POWERS}; not {powers!r}"
        )
    rows = [_plain(row) for row in powers]
    for element, row in zip(ELEMENTS, rows, strict=True):
        if not isinstance(row, (list, tuple)) or len(row) > rules.MAX_POWER:
            raise OptionError(
                f"gem_duel: the row {element} of powers has the counts of powers 1 to at most "
                f"{rules.MAX_POWER}, not {row!r}"
            )
        for power, count in enumerate(row, 1):
            _whole(f"the number of cards {element} {power} in powers", count, 0, MAX_COPIES)
    width = max((power for row in rows for power, n in enumerate(row, 1) if n), default=0)
    return tuple(tuple(int(n) for n in [*row, *[0] * width][:width]) for row in rows)


def _plain(value: Any) -> Any:
    """A list for an array of NumPy, anything else as it is."""
    return value.tolist() if isinstance(value, np.ndarray) else value


class GemDuel(Game):
    """Ask about cards that only the others see, and duel with them; see ``gem_duel_v0``."""

    name = "gem_duel"
    title = "Gem Duel"
    version = 0
    rules = rules
    Options = Options
    variants: ClassVar = {
        "two_players": {},
        "three_players": {"num_players": 3},
        "four_players": {"num_players": 4},
        "five_players": {"num_players": 5},
    }

    @property
    def powers(self) -> Table:
        """Cards of each element (rows) and power from 1 on (columns)."""
        return self.options.powers or STANDARD_POWERS

    @property
    def cards(self) -> list[str]:
        """The name of every card, by chance outcome; there may be several copies, or none."""
        powers = range(1, len(self.powers[0]) + 1)
        return [f"{element} {power}" for element in ELEMENTS for power in powers]

    @property
    def facts(self) -> Facts:
        """Bounds on the length: each question or clue tells something new, each duel gives a gem.

        As long as nobody has won, ``players * (target - 1)`` gems are out at most, one for each
        round of a duel that had a winner, and each brought one open card. About an open card two
        things can be told at most, each by a question, which is two decisions, or a clue. The
        last duel may go on through the whole hand. A shortest game is a single duel that is tied
        to the end, or duels that one player wins in as few rounds as gems are needed.
        """
        options = self.options
        players, size, target = options.num_players, options.hand_size, options.target
        rounds = players * (target - 1)
        told = 2 * (players * options.open_cards + rounds)
        first_clue = int(options.open_cards > 0)
        return Facts(
            num_players=players,
            num_actions=len(self._names[0]),
            num_chance_outcomes=len(self.cards),
            min_decisions=first_clue + min(1 + 2 * size, (target + size - 1) // size + 2 * target),
            max_decisions=2 * told + 3 * rounds + 1 + 2 * size,
            max_chance_run=players * size,
            min_return=-1,
            max_return=1,
            zero_sum=True,
        )

    @property
    def sections(self) -> Sequence[Section]:
        """What a seat sees: all cards but its own open ones, the hidden ones of rivals, the deck."""
        options = self.options
        rivals = [f"rival {number}" for number in range(1, options.num_players)]
        seats = ["observer", *rivals]
        slots = [f"slot {number}" for number in range(1, options.hand_size + 1)]
        most = max(map(max, self.powers))
        new = ["new"] if self.may_reshuffle else []
        faces = [*ELEMENTS, *(f"power {power}" for power in range(1, len(self.powers[0]) + 1))]
        told = [f"told {name}" for name in PROPERTIES]
        own = [*PLACES, *faces, *told, "committed", *new]
        rival = [*PLACES, *faces, *told, *(f"maybe {face}" for face in faces), *new]
        return [
            Section("decision", DECISIONS, "what is to be decided"),
            Section("decides", seats, "who decides it"),
            Section("turn", seats, "whose turn it is"),
            Section("partner", seats, "who is asked or challenged in this turn"),
            Section("asked", slots, "which slot of the player whose turn it is was asked about"),
            Section("duel", DUEL_TYPES, "the type of the duel that is announced or fought"),
            Section(
                "stake", steps(options.hand_size), "its round, the stake in gems", kind="level"
            ),
            *(
                Section(
                    _name(seat, "gems"), steps(options.target), f"of {_whose(seat)}", kind="level"
                )
                for seat in seats
            ),
            Section("deck", ["cards"], "cards left in the deck", 0, self._num_cards, "numbers"),
            Section(
                "unseen",
                self.cards,
                "cards that the observer does not see: in the deck, open in its own hand, hidden in others",
                high=most,
                kind="counts",
            ),
            Section("discard", self.cards, "cards in the discard", high=most, kind="counts"),
            *(
                [
                    Section(
                        "unseen_new",
                        self.cards,
                        "unseen cards that are in the deck or were drawn since the discard was last shuffled",
                        high=most,
                        kind="counts",
                    )
                ]
                if new
                else []
            ),
            *(
                Section(f"own_{slot.replace(' ', '_')}", own, f"{slot} of the observer")
                for slot in slots
            ),
            *(
                Section(_name(seat, slot), rival, f"{slot} of {seat}")
                for seat in rivals
                for slot in slots
            ),
        ]

    @cached_property
    def may_reshuffle(self) -> bool:
        """Whether the deck can run out, so that the discard becomes a new one."""
        return bool(rules.may_reshuffle(self.template[0]))

    @property
    def _num_cards(self) -> int:
        return sum(map(sum, self.powers))

    def parameters(self) -> dict[str, Any]:
        """Fields of the record that hold the options."""
        options = self.options
        copies = np.zeros(rules.MAX_CARDS, np.int8)
        copies[: len(self.cards)] = np.ravel(self.powers)
        return {
            "hand_size": options.hand_size,
            "open_cards": options.open_cards,
            "max_power": len(self.powers[0]),
            "target": options.target,
            "clue_marks_specials": options.clue_marks_specials,
            "num_cards": self._num_cards,
            "copies": copies,
        }

    @cached_property
    def _names(self) -> list[list[str]]:
        """The action names of every seat, in the order of the rules."""
        players = self.options.num_players
        slots = [f"slot {number}" for number in range(1, self.options.hand_size + 1)]
        tables = []
        for seat in range(players):
            rivals = [f"player_{(seat + step) % players}" for step in range(1, players)]
            tables.append(
                [
                    *(f"tell {name}" for name in PROPERTIES),
                    *(f"tell {name} of {slot}" for name in PROPERTIES for slot in slots),
                    *(f"play {slot}" for slot in slots),
                    *(f"challenge {rival} by {kind}" for rival in rivals for kind in DUEL_TYPES),
                    *(f"ask {rival} about {slot}" for rival in rivals for slot in slots),
                ]
            )
        return tables

    def action_name(self, action: int, seat: int = 0) -> str:
        """Such as ``ask player_1 about slot 4``; slots of clues are the rival's, all others own."""
        return self._names[seat][action]

    def chance_name(self, outcome: int) -> str:
        """The card that is drawn, such as ``fire 3``."""
        return self.cards[outcome]

    def text(self, state: np.record, seat: int | None = None) -> str:
        """See ``render.text``."""
        return render.text(self, state, seat)

    def picture(self, state: np.record, seat: int | None = None) -> np.ndarray:
        """See ``render.picture``."""
        return render.picture(self, state, seat)


def _name(seat: str, thing: str) -> str:
    """A section's name, such as ``own_gems`` or ``rival_1_slot_2``."""
    return f"{'own' if seat == 'observer' else seat} {thing}".replace(" ", "_")


def _whose(seat: str) -> str:
    return "the observer" if seat == "observer" else seat
