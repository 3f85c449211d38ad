"""Leduc poker for people: text, and a picture drawn with Pillow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..core.drawing import FAINT, INK, font, sheet, who
from ..core.records import CHANCE, TERMINAL
from . import rules

if TYPE_CHECKING:
    from .game import LeducPoker

_ROUNDS = ("first", "second")
_VERBS = {rules.CALL: "calls", rules.RAISE: "raises"}
_FRONT, _BACK, _CHIP = (255, 255, 252), (96, 116, 156), (225, 170, 40)
_SUITS = {"hearts": (190, 50, 45), "spades": (50, 45, 40)}
_WIDTH, _HEIGHT, _MARGIN, _LINE = 560, 480, 20, 30
_CARD_WIDTH, _CARD_HEIGHT = 80, 104


def text(game: LeducPoker, state: np.record, seat: int | None = None) -> str:
    """The position in a few lines; ``seat`` None shows the whole table, both private cards included."""
    lines = [_headline(state)]
    for owner in range(2):
        card = _private_card(game, state, owner, seat)
        lines.append(f"  {who(owner, seat):<15} {card:<16} {_chips(state, owner)}")
    lines.append(f"  {'public card':<15} {_card(game, state.public_card)}")
    for betting_round, name in enumerate(_ROUNDS):
        lines.append(f"  {name + ' round':<15} {_moves(state, betting_round)}")
    return "\n".join([*lines, *_next_move(state, seat)])


def _headline(state: np.record) -> str:
    if state.player != TERMINAL:
        pot = int(state.chips.sum())
        return f"Leduc poker - {_ROUNDS[state.betting_round]} betting round, {pot} chips in the pot"
    winner = rules.winner(state)
    if winner == rules.NOBODY:
        return "Leduc poker - the pot is split"
    return f"Leduc poker - player_{winner} wins {_chips(state, 1 - winner)}"


def _chips(state: np.record, owner: int) -> str:
    count = int(state.chips[owner])
    return "1 chip" if count == 1 else f"{count} chips"


def _card(game: LeducPoker, card: int) -> str:
    return "-" if card == rules.NO_CARD else game.chance_name(int(card))


def _is_hidden(state: np.record, owner: int, seat: int | None) -> bool:
    dealt = state.private_card[owner] != rules.NO_CARD
    return bool(dealt and seat == 1 - owner and not rules.is_showdown(state))


def _private_card(game: LeducPoker, state: np.record, owner: int, seat: int | None) -> str:
    if _is_hidden(state, owner, seat):
        return "face down"
    return _card(game, state.private_card[owner])


def _moves(state: np.record, betting_round: int) -> str:
    """The moves of a betting round, such as ``player_0 calls, player_1 raises``."""
    moves = [
        f"player_{turn % 2} {verb}"
        for turn in range(rules.MAX_TURNS)
        for action, verb in _VERBS.items()
        if state.moves[turn % 2, rules.flag(betting_round, turn, action)]
    ]
    folder = rules.folder(state)
    if folder != rules.NOBODY and betting_round == state.betting_round:
        moves.append(f"player_{folder} folds")
    return ", ".join(moves) or "-"


def _next_move(state: np.record, seat: int | None) -> list[str]:
    if state.player == CHANCE:
        receiver = rules.receiver(state)
        if receiver == rules.NOBODY:
            return ["  the public card is dealt"]
        return [f"  {who(receiver, seat)} is dealt a card"]
    return [] if state.player == TERMINAL else [f"  {who(int(state.player), seat)} to move"]


def picture(game: LeducPoker, state: np.record, seat: int | None = None) -> np.ndarray:
    """The position drawn: uint8 ``[480, 560, 3]``.

    Raises:
        OptionError: Pillow is not installed.
    """
    image, draw = sheet(_WIDTH, _HEIGHT)
    huge, big, small = (font(size) for size in (40, 18, 14))

    def card(left: int, top: int, index: int, hidden: bool = False) -> None:
        box = (left, top, left + _CARD_WIDTH, top + _CARD_HEIGHT)
        if index == rules.NO_CARD or hidden:
            draw.rounded_rectangle(box, 8, fill=_BACK if hidden else FAINT)
            return
        rank, _, suit = game.chance_name(index).partition(" of ")
        middle = left + _CARD_WIDTH // 2
        draw.rounded_rectangle(box, 8, fill=_FRONT, outline=_SUITS[suit], width=2)
        draw.text((middle, top + 42), rank[0].upper(), _SUITS[suit], font=huge, anchor="mm")
        draw.text((middle, top + 84), suit, _SUITS[suit], font=small, anchor="mm")

    draw.text((_MARGIN, _MARGIN), _headline(state), INK, font=big)
    top = _MARGIN + _LINE
    for owner in range(2):
        draw.text((_MARGIN, top + 8), who(owner, seat), INK, font=small)
        draw.text((_MARGIN, top + 32), _chips(state, owner), INK, font=small)
        card(150, top, int(state.private_card[owner]), _is_hidden(state, owner, seat))
        for chip in range(int(state.chips[owner])):
            left = 250 + 21 * chip
            draw.ellipse((left, top + 42, left + 18, top + 60), fill=_CHIP)
        top += _CARD_HEIGHT + 10
    draw.text((_MARGIN, top + 8), "public card", INK, font=small)
    card(150, top, int(state.public_card))
    top += _CARD_HEIGHT + 16
    moves = [f"{name} round: {_moves(state, number)}" for number, name in enumerate(_ROUNDS)]
    for line in (*moves, *_next_move(state, seat)):
        draw.text((_MARGIN, top), line.strip(), INK, font=small)
        top += 20
    return np.asarray(image, dtype=np.uint8)
