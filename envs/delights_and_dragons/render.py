"""Delights & Dragons for people: text, and a picture drawn with Pillow."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from ..core.drawing import FAINT, INK, font, sheet, who
from ..core.records import TERMINAL, TRUNCATED
from . import rules

if TYPE_CHECKING:
    from .game import DelightsAndDragons

_CARD, _LEGEND, _HURT = (255, 255, 252), (225, 170, 40), (190, 50, 45)
_MARGIN, _LINE, _ROW = 20, 24, 8
_WIDTH, _HEIGHT = 132, 78


def text(game: DelightsAndDragons, state: np.record, seat: int | None = None) -> str:
    """The position in a few lines; ``seat`` None shows the whole table, both hands included."""
    lines = [_headline(state)]
    for owner in range(2):
        lines.append(f"  {who(owner, seat):<15} {_counts(state, owner)}")
        lines.append(f"    hand     {_hand(game, state, owner, seat)}")
        lines.append(f"    discard  {_cards(game, state, owner, rules.DISCARD)}")
        for slot in range(game.num_slots):
            if state.character[owner, slot] != rules.NOTHING:
                lines.append(f"    slot {slot + 1:<3} {_character(game, state, owner, slot)}")
    return "\n".join([*lines, *_next_move(game, state, seat)])


def _headline(state: np.record) -> str:
    if state.player == TERMINAL:
        return (
            f"Delights & Dragons - {who(int(state.winner), None)} wins in turn {state.turn_number}"
        )
    if state.player == TRUNCATED:
        return f"Delights & Dragons - cut off after {state.turn_number} turns"
    if state.phase == rules.DEAL:
        return "Delights & Dragons - the opening hands are dealt"
    return (
        f"Delights & Dragons - turn {state.turn_number} of {state.max_turns}, "
        f"{who(int(state.turn), None)}"
    )


def _counts(state: np.record, owner: int) -> str:
    return f"health {state.health[owner]}, deck {state.deck_size[owner]}"


def _names(game: DelightsAndDragons, counted: Counter[int]) -> str:
    """Cards such as ``Cave Drake 2, Dragon Fang``."""
    return ", ".join(
        game.cards[card].name + (f" {count}" if count > 1 else "")
        for card, count in sorted(counted.items())
    )


def _at(state: np.record, owner: int, place: int) -> Counter[int]:
    """How many copies of which card are at a place."""
    deck = state.decks[state.deck[owner]][: state.deck_sizes[state.deck[owner]]]
    return Counter(deck[state.place[owner][: len(deck)] == place].tolist())


def _cards(game: DelightsAndDragons, state: np.record, owner: int, place: int) -> str:
    return _names(game, _at(state, owner, place)) or "-"


def _hand(game: DelightsAndDragons, state: np.record, owner: int, seat: int | None) -> str:
    if seat in (None, owner):
        return _cards(game, state, owner, rules.HAND)
    if not state.open_decklists:
        return f"{state.hand_size[owner]} unknown"
    known = Counter(
        {card: rules.known_in_hand(state, owner, card) for card in range(game.num_cards)}
    )
    known = +known  # those that there are
    unknown = int(state.hand_size[owner]) - known.total()
    parts = [_names(game, known), f"{unknown} unknown" if unknown or not known else ""]
    return ", ".join(filter(None, parts))


def _character(game: DelightsAndDragons, state: np.record, owner: int, slot: int) -> str:
    """Such as ``Cave Drake 7/3, injured, may attack, holds Dragon Fang``."""
    card = int(state.character[owner, slot])
    parts = [
        f"{game.cards[card].name} {state.slot_attack[owner, slot]}/{state.slot_defense[owner, slot]}",
        *_condition(state, owner, slot),
    ]
    if state.ready[owner, slot]:
        parts.append("may attack")
    items = _items(game, state, owner, slot)
    return ", ".join([*parts, f"holds {items}"] if items else parts)


def _condition(state: np.record, owner: int, slot: int) -> list[str]:
    marks = int(state.marks[owner, slot])
    if state.legendary[state.character[owner, slot]]:
        return ["legendary", *([f"attacked {('', 'once', 'twice')[marks]}"] if marks else [])]
    return ["injured"] if marks else []


def _items(game: DelightsAndDragons, state: np.record, owner: int, slot: int) -> str:
    held = _at(state, owner, rules.FIRST_SLOT + slot)
    return _names(
        game, Counter({card: n for card, n in held.items() if card >= len(game.characters)})
    )


def _next_move(game: DelightsAndDragons, state: np.record, seat: int | None) -> list[str]:
    if state.player < 0:
        return []
    mover = f"  {who(int(state.player), seat)}"
    if state.phase == rules.HOLDER:
        return [f"{mover} to give {game.cards[state.chosen].name} to a character"]
    if state.phase == rules.TARGET:
        return [f"{mover} to choose a target for slot {state.chosen + 1}"]
    if state.phase == rules.RUN_OUT:
        return [f"{mover} to shuffle the discard, the deck having run out, or to forfeit"]
    may = [
        what
        for what, allowed in (
            ("a character", state.may_play_character),
            ("an item", state.may_play_item),
        )
        if allowed
    ]
    return [f"{mover} in the attack phase" + (f", may play {' and '.join(may)}" if may else "")]


def picture(game: DelightsAndDragons, state: np.record, seat: int | None = None) -> np.ndarray:
    """The position drawn: uint8 ``[height, width, 3]``, the same shape for every state of a variant.

    Raises:
        OptionError: Pillow is not installed.
    """
    columns = min(_ROW, game.num_slots)
    rows = -(-game.num_slots // columns)
    side = 3 * _LINE + rows * (_HEIGHT + 8)
    width = 2 * _MARGIN + max(5, columns) * (_WIDTH + 8)
    image, draw = sheet(width, 2 * _MARGIN + 2 * _LINE + 2 * side)
    big, small = font(18), font(12)

    def fitted(words: str, room: int) -> str:
        """The words, or as many of their letters as there is room for."""
        while draw.textlength(words, font=small) > room:
            words = words[:-2] + "…" if words.endswith("…") else words[:-1] + "…"
        return words

    def card(left: int, top: int, owner: int, slot: int) -> None:
        box = (left, top, left + _WIDTH, top + _HEIGHT)
        number = int(state.character[owner, slot])
        if number == rules.NOTHING:
            draw.rounded_rectangle(box, 6, outline=FAINT)
            return
        edge = _LEGEND if state.legendary[number] else INK
        draw.rounded_rectangle(
            box, 6, fill=_CARD, outline=edge, width=3 if state.ready[owner, slot] else 1
        )
        strength = f"{state.slot_attack[owner, slot]} / {state.slot_defense[owner, slot]}"
        lines = [
            (game.cards[number].name, INK),
            (strength, INK),
            ("".join(_condition(state, owner, slot)[-1:]), _HURT),  # a golden edge is legendary
            (_items(game, state, owner, slot), INK),
        ]
        for line, (words, colour) in enumerate(lines):
            place = (left + 6, top + 6 + 17 * line)
            draw.text(place, fitted(words, _WIDTH - 12), colour, font=small)

    top = _MARGIN
    draw.text((_MARGIN, top), _headline(state), INK, font=big)
    top += _LINE + 6
    for owner in range(2):
        for words in (
            f"{who(owner, seat)}: {_counts(state, owner)}",
            f"hand: {_hand(game, state, owner, seat)}",
            f"discard: {_cards(game, state, owner, rules.DISCARD)}",
        ):
            draw.text((_MARGIN, top), fitted(words, width - 2 * _MARGIN), INK, font=small)
            top += _LINE - 4
        for slot in range(game.num_slots):
            row, column = divmod(slot, columns)
            card(_MARGIN + column * (_WIDTH + 8), top + row * (_HEIGHT + 8), owner, slot)
        top += rows * (_HEIGHT + 8) + 8
    for line in _next_move(game, state, seat):
        draw.text((_MARGIN, top), line.strip(), INK, font=small)
    return np.asarray(image, dtype=np.uint8)
