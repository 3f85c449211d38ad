"""Dragon's Path as a ``Game``: options, names, observation sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core import Facts, Game, OptionError, Section
from ..core.errors import is_whole
from ..core.observation import steps
from . import render, rules
from .names import ACTIONS, EFFECTS, ELEMENTS, QUESTIONS, SPELL_QUESTIONS, SPELLS


@dataclass(frozen=True)
class Options:
    """Options of Dragon's Path.

    Attributes:
        advanced: Spells, and the best of three matches.
        copies: Cards of each element in each player's deck: 1 to 5.
        hand: Cards of the opening hand: 1 to ``5 * copies``.
        fire_search_to: Where Fire B puts the card that was found: ``hand`` or ``deck_top``.
        replay_returned_earth: Whether an Earth that Thunder returned to the hand is "another" card
            for its own effect A even if it is the only one.
        next_first: Who begins the next match of the advanced game: the ``loser`` of the one
            before, or both by turns (``alternate``).
    """

    advanced: bool = False
    copies: int = 5
    hand: int = 5
    fire_search_to: str = "hand"
    replay_returned_earth: bool = False
    next_first: str = "loser"

    def __post_init__(self) -> None:
        """Check the options."""
        copies, hand = self.copies, self.hand
        if not is_whole(copies) or not 1 <= copies <= 5:
            raise OptionError(f"dragons_path: copies is a whole number from 1 to 5, not {copies!r}")
        if not is_whole(hand) or not 1 <= hand <= 5 * copies:
            raise OptionError(
                f"dragons_path: hand is a whole number from 1 to {5 * copies} with "
                f"copies={copies}, not {hand!r}"
            )
        for name in ("advanced", "replay_returned_earth"):
            if not isinstance(getattr(self, name), bool):
                raise OptionError(
                    f"dragons_path: {name} is True or False, not {getattr(self, name)!r}"
                )
        for name, one, other in (
            ("fire_search_to", "hand", "deck_top"),
            ("next_first", "loser", "alternate"),
        ):
            if getattr(self, name) not in (one, other):
                raise OptionError(
                    f"dragons_path: {name} is {one!r} or {other!r}, not {getattr(self, name)!r}"
                )
        object.__setattr__(self, "copies", int(copies))
        object.__setattr__(self, "hand", int(hand))


class DragonsPath(Game):
    """Collect four alike or five different elements; see ``dragons_path_v0`` for the whole page."""

    name = "dragons_path"
    title = "Dragon's Path"
    version = 0
    rules = rules
    Options = Options
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "basic": {},
        "advanced": {"advanced": True},
    }

    @property
    def max_turns(self) -> int:
        """Turns after which a match is over, for whatever players.

        Every turn but the first draws a card, and only Primordial Maelstrom, once in a game, puts
        cards back into a deck: two.
        """
        deck = 5 * self.options.copies - self.options.hand
        return 2 * deck + 2 + (2 if self.options.advanced else 0)

    @property
    def facts(self) -> Facts:
        """From the fastest victory to decks that run out, with every turn as long as can be.

        A turn has up to 6 decisions: Water A, a refusal, the player, three discards. The last
        turn, in which a draw fails, has none. Of the spells Cinderstorm Prophecy takes longest
        (13 more), then Runebolt Invocation and a cancelled Stormveil Reversal (1 more each).
        """
        options, turns = self.options, self.max_turns - 1
        # Small decks can run out at once, and a small hand has too few cards to win soon.
        usual = options.hand >= 3 and 5 * options.copies - options.hand >= 16
        if options.advanced:
            # The draft; a match won in the third turn with Titan's Emberforge and Earth A; one won
            # in the fourth turn with Earth A, as its winner does not begin it.
            least = 2 + (6 + 8 if usual else 2)
            most = 2 + 6 * (3 * (turns - 2) + 2) + 13 + 1 + 1
        else:
            # Two cards in the first turn and two in the third, by Earth A.
            least = 7 if usual else 1
            most = 6 * turns
        return Facts(
            num_players=2,
            num_actions=rules.NUM_ACTIONS if options.advanced else rules.NUM_BASIC_ACTIONS,
            num_chance_outcomes=rules.DEALT + (rules.NUM_SPELLS if options.advanced else 0),
            min_decisions=least,
            max_decisions=most,
            # New hands, in the advanced game after Scalding Deluge has emptied a deck.
            max_chance_run=max(3, 2 * options.hand) + (9 if options.advanced else 0),
            min_return=-1,
            max_return=1,
            zero_sum=True,
        )

    @property
    def sections(self) -> Sequence[Section]:
        """What a seat sees; the advanced game only adds to the end."""
        sections = self._basic_sections()
        if self.options.advanced:
            sections += self._advanced_sections()
        if self.options.fire_search_to == "deck_top":
            sections += self._top_sections()
        return sections

    def _cards(self, name: str, meaning: str, decks: int = 1) -> Section:
        """How many cards of each element there are at a place, of one or both decks."""
        return Section(name, ELEMENTS, meaning, 0, decks * self.options.copies, "counts")

    def _basic_sections(self) -> list[Section]:
        cards, most = self._cards, 5 * self.options.copies
        paths = 2 if self.options.advanced else 1
        sections = [
            cards("own_hand", "cards in the observer's hand"),
            cards("own_hand_known", "those of them that the opponent knows of, at least"),
            cards("own_deck", "cards in the observer's deck"),
            cards("own_discard", "cards in the observer's discard pile"),
            cards("rival_hand_known", "cards known to be in the opponent's hand, at least"),
            cards("rival_discard", "cards in the opponent's discard pile"),
            cards("rival_unseen", "cards in the opponent's hand and deck together"),
            cards("own_path", "cards in the observer's path", paths),
            cards("rival_path", "cards in the opponent's path", paths),
        ]
        for who, whose in (("own", "the observer's"), ("rival", "the opponent's")):
            sections += [
                Section(
                    f"{who}_hand_size", ["cards"], f"cards in {whose} hand", 0, most, "numbers"
                ),
                Section(
                    f"{who}_deck_size", ["cards"], f"cards in {whose} deck", 0, most, "numbers"
                ),
                Section(
                    f"{who}_alike",
                    steps(4),
                    f"cards of the most frequent element in {whose} path, up to 4",
                    kind="level",
                ),
                Section(
                    f"{who}_different",
                    steps(5),
                    f"different elements in {whose} path",
                    kind="level",
                ),
            ]
        return [
            *sections,
            Section("own_first", ["yes"], "whether the observer began this match"),
            Section("own_turn", ["yes"], "whether it is the observer's turn"),
            Section("decides", ["observer", "rival"], "who decides now"),
            Section("question", QUESTIONS, "what is to be decided, if it is of the basic game"),
            Section("choices", steps(3), "how many choices of this kind there are", kind="level"),
            Section("effect", EFFECTS, "the effect that is declared and not cancelled"),
            Section("returned", ["yes"], "whether Thunder returned the card that was played"),
            Section("exchanging", ["observer", "rival"], "whose cards Water B exchanges"),
            Section("chosen_card", ELEMENTS, "the card in a path that is about to change places"),
        ]

    def _advanced_sections(self) -> list[Section]:
        cards = self._cards
        return [
            Section("own_tokens", steps(2), "matches won by the observer", kind="level"),
            Section("rival_tokens", steps(2), "matches won by the opponent", kind="level"),
            Section("own_spells", SPELLS, "spells of the observer, not used yet"),
            Section("rival_spells", SPELLS, "spells of the opponent, not used yet"),
            Section("own_spells_used", SPELLS, "spells that the observer has used"),
            Section("rival_spells_used", SPELLS, "spells that the opponent has used"),
            Section("own_dealt", SPELLS, "the two to choose from, during the draft"),
            Section("own_kept", SPELLS, "the one that is kept, until both have chosen"),
            Section("spell", SPELLS, "the spell that was cast last in this turn, if not cancelled"),
            Section("spell_question", SPELL_QUESTIONS, "what is to be decided, if not `question`"),
            Section("revealed", ELEMENTS, "the card that Cinderstorm Prophecy has revealed"),
            Section("reveals_left", steps(2), "how many more it may reveal", kind="level"),
            Section("chosen_foreign", ["yes"], "whether `chosen_card` is not of that path's player"),
            Section("mindstorm", ["by observer", "by rival"], "who controls the other in this turn"),
            Section("decides_for", ["observer", "rival"], "whose choice it is that is made now"),
            cards("own_path_foreign", "cards in the observer's path that the opponent owns"),
            cards("rival_path_foreign", "cards in the opponent's path that the observer owns"),
            cards("own_deck_known", "cards that Primordial Maelstrom put into the observer's deck"),
            cards("rival_deck_known", "cards that it put into the opponent's deck"),
            Section("own_deck_sure", ["cards"], "how many of `own_deck_known` are surely still there", 0, 3, "numbers"),
            Section("rival_deck_sure", ["cards"], "how many of `rival_deck_known` are", 0, 3, "numbers"),
        ]  # fmt: skip

    def _top_sections(self) -> list[Section]:
        return [
            Section("own_top", ELEMENTS, "the top card of the observer's deck, after a search"),
            Section("rival_top", ELEMENTS, "that of the opponent's deck, if the observer saw it"),
            Section("own_top_known", ["yes"], "whether the opponent knows `own_top` too"),
            Section("rival_top_searched", ["yes"], "whether the opponent knows its own top card"),
        ]

    def parameters(self) -> dict[str, Any]:
        """Fields of the record that hold the options."""
        options = self.options
        return {
            "advanced": options.advanced,
            "copies": options.copies,
            "opening_hand": options.hand,
            "search_to_top": options.fire_search_to == "deck_top",
            "replay_returned_earth": options.replay_returned_earth,
            "alternate_first": options.next_first == "alternate",
        }

    def action_name(self, action: int, seat: int = 0) -> str:
        """Such as ``fire A: remove``, ``respond with wind``, ``thunder`` or ``cast Skyshard Shift``."""
        return ACTIONS[action]

    def chance_name(self, outcome: int) -> str:
        """The card that is drawn or turned up, or the spell that is dealt."""
        return ELEMENTS[outcome] if outcome < rules.DEALT else SPELLS[outcome - rules.DEALT]

    def text(self, state: np.record, seat: int | None = None) -> str:
        """See ``render.text``."""
        return render.text(state, seat)

    def picture(self, state: np.record, seat: int | None = None) -> np.ndarray:
        """See ``render.picture``."""
        return render.picture(state, seat)
