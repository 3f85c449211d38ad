"""Gem Duel once more, from the rule sheet and in words: a referee with real cards on a real table.

It knows nothing of records, numbers and bits. Cards are names, what somebody has been told about a
card is the set of cards that it may still be, and decks are lists.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from duelgym.envs.gem_duel import GemDuel

ELEMENTS = ("water", "fire", "plant", "light", "shadow")
BASIC = ELEMENTS[:3]
BEATS = {"water": "fire", "fire": "plant", "plant": "water"}
PROPERTIES = ("element", "power", "special")
CHANCE, OVER = -1, -2


def element(card: str) -> str:
    return card.split()[0]


def power(card: str) -> int:
    return int(card.split()[1])


def is_special(card: str) -> bool:
    return element(card) not in BASIC


def beats(kind: str, card: str, other: str) -> bool:
    """Whether ``card`` wins a duel of this type against ``other``."""
    if kind == "power":
        return power(card) > power(other)
    one, two = element(card), element(other)
    if one == two:
        return False
    return one == "light" or (two == "shadow") or BEATS.get(one) == two


@dataclass
class Card:
    """A card that lies in a slot, and what its holder was told if it is open."""

    name: str
    lies: str
    deck: int
    may_be: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)

    @property
    def is_complete(self) -> bool:
        return self.lies != "open" or "special" in self.told or {"element", "power"} <= self.told


class Referee:
    """Follows a game by the names of its moves and of the cards that are drawn."""

    def __init__(self, game: GemDuel) -> None:
        self.options = game.options
        self.players = self.options.num_players
        self.cards = game.cards
        counts = [count for row in game.powers for count in row]
        self.deck = Counter(dict(zip(game.cards, counts, strict=True)))
        self.discard: Counter[str] = Counter()
        self.decks = 1
        size = self.options.hand_size
        self.hands: list[list[Card | None]] = [[None] * size for _ in range(self.players)]
        self.gems = [0] * self.players
        self.to_draw = [seat for seat in range(self.players) for _ in range(size)]
        self.winner: int | None = None
        self.turn = -1
        self.player: int = CHANCE
        self.decision = "deal"
        self.partner: int | None = None
        self.asked: int | None = None
        self.duel = ""
        self.stake = 0
        self.chosen: int | None = None

    # What may happen, and what happens then.

    def open_cards(self, seat: int) -> list[tuple[int, Card]]:
        return [
            (n, card) for n, card in enumerate(self.hands[seat]) if card and card.lies == "open"
        ]

    def card(self, seat: int, slot: int) -> Card:
        card = self.hands[seat][slot]
        assert card is not None
        return card

    def tellable(self, card: Card) -> set[str]:
        return ({"special"} if is_special(card.name) else {"element", "power"}) - card.told

    def legal(self) -> set[str]:
        if self.player == CHANCE:
            return set(+self.deck)
        if self.player == OVER:
            return set()
        if self.decision == "answer":
            assert self.asked is not None
            return {f"tell {name}" for name in self.tellable(self.card(self.turn, self.asked))}
        if self.decision == "clue":
            assert self.partner is not None
            return {
                f"tell {name} of slot {slot + 1}"
                for slot, card in self.open_cards(self.partner)
                if not card.is_complete
                for name in self.tellable(card)
            }
        if self.decision == "play":
            return {
                f"play slot {slot + 1}"
                for slot, card in enumerate(self.hands[self.player])
                if card and card.lies != "played"
            }
        rivals = [seat for seat in range(self.players) if seat != self.turn]
        return {
            f"challenge player_{rival} by {kind}" for rival in rivals for kind in PROPERTIES[:2]
        } | {
            f"ask player_{rival} about slot {slot + 1}"
            for rival in rivals
            for slot, card in self.open_cards(self.turn)
            if not card.is_complete
        }

    def apply(self, move: str) -> None:
        words = move.split()
        if self.player == CHANCE:
            self.draw(move)
        elif words[0] == "ask":
            self.asked, self.player = int(words[-1]) - 1, int(words[1][-1])
            self.decision, self.partner = "answer", self.player
        elif self.decision == "answer":
            assert self.asked is not None
            self.tell(self.turn, self.asked, words[1])
            self.asked = None
            self.next_turn()
        elif words[0] == "challenge":
            self.partner, self.duel, self.stake = int(words[1][-1]), words[-1], 1
            more = any(not card.is_complete for _, card in self.open_cards(self.partner))
            self.decision = "clue" if more else "play"
        elif self.decision == "clue":
            assert self.partner is not None
            self.tell(self.partner, int(words[-1]) - 1, words[1])
            self.decision = "play"
        elif self.player == self.turn:
            assert self.partner is not None
            self.chosen, self.player = int(words[-1]) - 1, self.partner
        else:
            self.reveal(int(words[-1]) - 1)

    def draw(self, name: str) -> None:
        seat = self.to_draw.pop(0)
        slot = self.hands[seat].index(None)
        self.deck[name] -= 1
        if self.decision == "deal":
            is_open = slot >= self.options.hand_size - self.options.open_cards
        else:
            is_open = seat == self.winner
        card = Card(name, "open" if is_open else "hidden", self.decks)
        if is_open:
            card.may_be = set(self.cards)
        self.hands[seat][slot] = card
        self.before_draw()

    def before_draw(self) -> None:
        if not self.to_draw:
            self.next_turn()
            return
        if not +self.deck:
            self.deck, self.discard = self.discard, Counter()
            self.decks += 1
        self.player = CHANCE

    def next_turn(self) -> None:
        self.turn = (self.turn + 1) % self.players
        self.partner, self.decision, self.player = None, "turn", self.turn

    def tell(self, holder: int, slot: int, what: str) -> None:
        told = self.card(holder, slot)

        def has_it(name: str) -> bool:
            if what == "element":
                return element(name) == element(told.name)
            if what == "special":
                return is_special(name)
            if is_special(name) and not self.options.clue_marks_specials:
                return False
            return power(name) == power(told.name)

        for _, card in self.open_cards(holder):
            pointed_out = has_it(card.name)
            if pointed_out:
                card.told.add(what)
            card.may_be = {name for name in card.may_be if has_it(name) == pointed_out}
        if what != "special":
            told.may_be = {name for name in told.may_be if not is_special(name)}

    def reveal(self, slot: int) -> None:
        assert self.partner is not None
        assert self.chosen is not None
        own, other = self.card(self.turn, self.chosen), self.card(self.partner, slot)
        own.lies = other.lies = "played"
        self.chosen = None
        if beats(self.duel, own.name, other.name):
            self.end_duel(self.turn, self.partner)
        elif beats(self.duel, other.name, own.name):
            self.end_duel(self.partner, self.turn)
        elif self.stake == self.options.hand_size:
            self.end_duel(None, None)
        else:
            self.stake += 1
            self.player = self.turn

    def end_duel(self, winner: int | None, loser: int | None) -> None:
        played = self.stake
        for hand in self.hands:
            for slot, card in enumerate(hand):
                if card and card.lies == "played":
                    self.discard[card.name] += 1
                    hand[slot] = None
        self.winner, self.duel, self.stake, self.partner = winner, "", 0, None
        if winner is None or loser is None:
            self.player = OVER
            return
        self.gems[winner] += played
        if self.gems[winner] >= self.options.target:
            self.player = OVER
            return
        self.to_draw = [winner] * played + [loser] * played
        self.decision = "refill"
        self.before_draw()

    def returns(self) -> list[float]:
        if self.winner is None:
            return [0.0] * self.players
        lost = -1 / (self.players - 1)
        return [1.0 if seat == self.winner else lost for seat in range(self.players)]

    # What a seat knows.

    def sees(self, seat: int, holder: int, card: Card) -> bool:
        return card.lies == "played" or (card.lies == "hidden") == (seat == holder)

    def unseen(self, seat: int) -> list[tuple[str, int]]:
        """Every card that a seat does not see, with the deck that it is from."""
        found = [(name, self.decks) for name in self.deck.elements()]
        for holder, hand in enumerate(self.hands):
            found += [
                (card.name, card.deck)
                for card in hand
                if card and not self.sees(seat, holder, card)
            ]
        return found

    def relative(self, seat: int, other: int | None) -> list[str]:
        if other is None:
            return []
        step = (other - seat) % self.players
        return [f"rival {step}" if step else "observer"]

    def observation(self, seat: int) -> dict[str, Any]:
        """What ``GemDuel.describe`` should give for the observation of a seat."""
        deciding = self.player >= 0
        unseen = self.unseen(seat)
        seen = {
            "decision": [self.decision] if deciding else [],
            "decides": self.relative(seat, self.player if deciding else None),
            "turn": self.relative(seat, self.turn if deciding else None),
            "partner": self.relative(seat, self.partner),
            "asked": [] if self.asked is None else [f"slot {self.asked + 1}"],
            "duel": [self.duel] if self.duel else [],
            "stake": self.stake,
            **{
                f"{self.prefix(step)}_gems": min(
                    self.options.target, self.gems[(seat + step) % self.players]
                )
                for step in range(self.players)
            },
            "deck": self.deck.total(),
            "unseen": Counter(name for name, _ in unseen),
            "discard": +self.discard,
            "unseen_new": Counter(name for name, deck in unseen if deck == self.decks),
        }
        for step in range(self.players):
            holder = (seat + step) % self.players
            for slot, card in enumerate(self.hands[holder]):
                words = self.slot(seat, holder, slot, card) if card else []
                seen[f"{self.prefix(step)}_slot_{slot + 1}"] = words
        return seen

    @staticmethod
    def prefix(step: int) -> str:
        return f"rival_{step}" if step else "own"

    def slot(self, seat: int, holder: int, slot: int, card: Card) -> list[str]:
        words = [card.lies]
        if self.sees(seat, holder, card):
            words += [element(card.name), f"power {power(card.name)}"]
        elif holder == seat:
            words += self.possible(card)
        words += [
            f"told {name}" for name in PROPERTIES if name in card.told and card.lies == "open"
        ]
        if holder != seat and card.lies == "open":
            words += [f"maybe {word}" for word in self.possible(card)]
        if holder == seat == self.turn and slot == self.chosen:
            words.append("committed")
        if card.lies != "played" and card.deck == self.decks:
            words.append("new")
        return words

    def possible(self, card: Card) -> list[str]:
        """Elements, and powers: those of basic cards only, where power clues leave specials out."""
        counted = card.may_be
        if not self.options.clue_marks_specials and not all(map(is_special, counted)):
            counted = {name for name in counted if not is_special(name)}
        elements = {element(name) for name in card.may_be}
        powers = sorted({power(name) for name in counted})
        return [*(name for name in ELEMENTS if name in elements), *(f"power {n}" for n in powers)]

    def knowledge(self, seat: int) -> Any:
        """Every current fact that a seat knows, as nested tuples; equal ones cannot be told apart."""
        hands = []
        for step in range(self.players):
            holder = (seat + step) % self.players
            for slot, card in enumerate(self.hands[holder]):
                if card is None:
                    hands.append(())
                    continue
                face = card.name if self.sees(seat, holder, card) else "?"
                told = (frozenset(card.told), frozenset(card.may_be)) if card.lies == "open" else ()
                mine = holder == seat == self.turn and slot == self.chosen
                is_new = card.lies != "played" and card.deck == self.decks
                hands.append((card.lies, face, told, mine, is_new))
        unseen = [(name, deck == self.decks) for name, deck in self.unseen(seat)]
        happening = (
            (self.decision, self.relative(seat, self.player), self.relative(seat, self.turn),
             self.relative(seat, self.partner), self.asked, self.duel, self.stake)
            if self.player >= 0 else ()
        )  # fmt: skip
        gems = [self.gems[(seat + step) % self.players] for step in range(self.players)]
        gems = [min(self.options.target, owned) for owned in gems]
        counts = (
            frozenset(self.discard.items()),
            self.deck.total(),
            frozenset(Counter(unseen).items()),
        )
        return repr(happening), tuple(gems), counts, tuple(hands)
