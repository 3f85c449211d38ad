"""Dragon Deck for people: text, and a picture drawn with Pillow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..core.drawing import FAINT, INK, PAPER, font, sheet, who
from ..core.records import TERMINAL
from . import rules

if TYPE_CHECKING:
    from .game import DragonDeck

_TYPES = ("fire", "forest", "water")
_COLOURS = {"fire": (205, 70, 50), "forest": (60, 140, 70), "water": (60, 105, 190)}
_CELL, _MARGIN, _LINE = 44, 20, 34


def text(game: DragonDeck, state: np.record, seat: int | None = None) -> str:
    """The position in a few lines; ``seat`` None shows the whole table, commitment included."""
    lines = [_headline(game, state)]
    for owner in range(2):
        won = int(state.victory_cards[owner])
        lines.append(f"  {who(owner, seat):<14} {_stars(won, int(state.target))}")
        lines.append(f"    hand    {_by_type(game, state, rules.HAND + owner)}")
    undrawn = _by_type(game, state, rules.UNSEEN)
    if state.phase != rules.BATTLE:
        lines.append(f"  undrawn   {undrawn}")
    else:
        lines.append(f"  discarded {_by_type(game, state, rules.DISCARD)}")
    return "\n".join([*lines, *_next_move(game, state, seat)])


def _headline(game: DragonDeck, state: np.record) -> str:
    if state.player == TERMINAL:
        return f"Dragon Deck - {who(rules.winner(state), None)} wins"
    if state.phase == rules.BATTLE:
        battle = int(np.count_nonzero(state.place == rules.DISCARD)) // 2 + 1
        return f"Dragon Deck - battle {battle}, first to {state.target} victory cards"
    return f"Dragon Deck - draft, round {state.draft_round + 1} of {state.values_per_type}"


def _next_move(game: DragonDeck, state: np.record, seat: int | None) -> list[str]:
    lines = []
    if state.committed != rules.NO_CARD:
        card = game.chance_name(int(state.committed)) if seat in (None, 0) else "a card"
        lines.append(f"  {who(0, seat)} committed {card} face down")
    if state.phase == rules.RECRUIT:
        lines.append(
            f"  {who(int(state.player), seat)} to keep or refuse {game.chance_name(int(state.turned_up))}"
            f" from pile {'AB'[state.pile]}"
        )
    elif state.player >= 0:
        lines.append(f"  {who(int(state.player), seat)} to choose a dragon")
    elif state.phase == rules.TURN_UP:
        lines.append(f"  the next card of pile {'ABC'[state.pile]} is turned up")
    return lines


def _stars(won: int, target: int) -> str:
    return "★" * won + "☆" * max(0, target - won)


def _by_type(game: DragonDeck, state: np.record, place: int) -> str:
    """Cards at a place such as ``fire 1 4 8 | forest - | water 2 3``."""
    parts = []
    for kind, name in enumerate(_TYPES):
        values = [
            str(rules.card_value(state, card))
            for card in range(game.num_cards)
            if rules.card_type(state, card) == kind and state.place[card] == place
        ]
        parts.append(f"{name} {' '.join(values) or '-'}")
    return " | ".join(parts)


def picture(game: DragonDeck, state: np.record, seat: int | None = None) -> np.ndarray:
    """The position drawn: uint8 ``[height, width, 3]``, the same shape for every state of a variant.

    Raises:
        OptionError: Pillow is not installed.
    """
    values = game.options.values_per_type
    width = 2 * _MARGIN + max(8, values) * _CELL + 80
    block = 3 * _CELL + _LINE
    height = 2 * _MARGIN + _LINE + 3 * block + _LINE
    image, draw = sheet(width, height)
    big, small = font(18), font(14)

    def cards(top: int, place: int) -> None:
        for card in range(game.num_cards):
            kind, value = rules.card_type(state, card), rules.card_value(state, card)
            left, upper = _MARGIN + 80 + (value - 1) * _CELL, top + kind * _CELL
            box = (left + 2, upper + 2, left + _CELL - 4, upper + _CELL - 4)
            here = state.place[card] == place
            draw.rounded_rectangle(box, 6, fill=_COLOURS[_TYPES[kind]] if here else FAINT)
            if here and state.committed == card and seat in (None, 0):
                draw.rounded_rectangle(box, 6, outline=INK, width=4)
            if here:
                middle = (left + _CELL // 2 - 1, upper + _CELL // 2 - 1)
                draw.text(middle, str(value), PAPER, font=big, anchor="mm")
        for kind, name in enumerate(_TYPES):
            draw.text((_MARGIN, top + kind * _CELL + 14), name, _COLOURS[name], font=small)

    top = _MARGIN
    draw.text((_MARGIN, top), _headline(game, state), INK, font=big)
    top += _LINE
    for owner in range(2):
        won, target = int(state.victory_cards[owner]), int(state.target)
        draw.text((_MARGIN, top + 8), who(owner, seat), INK, font=small)
        for step in range(target):
            left = _MARGIN + 130 + step * 24
            box = (left, top + 6, left + 18, top + 24)
            draw.ellipse(box, fill=(225, 170, 40) if step < won else FAINT)
        cards(top + _LINE, rules.HAND + owner)
        top += block
    battling = state.phase == rules.BATTLE
    draw.text((_MARGIN, top + 8), "discarded" if battling else "undrawn", INK, font=small)
    cards(top + _LINE, rules.DISCARD if battling else rules.UNSEEN)
    top += block
    for line in _next_move(game, state, seat)[-1:]:
        draw.text((_MARGIN, top + 8), line.strip(), INK, font=small)
    return np.asarray(image, dtype=np.uint8)
