"""Gem Duel for people: text, and a picture drawn with Pillow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..core.drawing import FAINT, INK, PAPER, font, sheet, who
from ..core.records import CHANCE, TERMINAL
from . import rules

if TYPE_CHECKING:
    from .game import GemDuel

_ELEMENTS = ("water", "fire", "plant", "light", "shadow")
_PLACES = ("empty", "hidden", "open", "played")
_DUEL_TYPES = ("element", "power")
_BACK, _GEM = (96, 116, 156), (90, 170, 190)
_COLOURS = {
    "water": (60, 105, 190),
    "fire": (205, 70, 50),
    "plant": (60, 140, 70),
    "light": (215, 165, 40),
    "shadow": (85, 65, 100),
}
_CARD_WIDTH, _CARD_HEIGHT, _MARGIN, _LINE = 76, 92, 20, 24


def text(game: GemDuel, state: np.record, seat: int | None = None) -> str:
    """The position in some lines; ``seat`` None shows the whole table, all cards included."""
    size = int(state.hand_size)
    lines = [_headline(state)]
    for owner in range(game.num_players):
        lines.append(f"  {who(owner, seat):<14} {_gems(state, owner)}")
        lines += [
            f"    slot {slot + 1}  {_slot(game, state, owner, slot, seat)}" for slot in range(size)
        ]
    lines.append(f"  deck {state.deck_size}, discard: {_by_element(game, state.discard)}")
    return "\n".join([*lines, *_next_move(game, state, seat)])


def _headline(state: np.record) -> str:
    if state.player == TERMINAL and state.winner == rules.NOBODY:
        return "Gem Duel - everybody shares the victory"
    if state.player == TERMINAL:
        return f"Gem Duel - player_{state.winner} wins"
    if state.phase == rules.DEAL:
        return f"Gem Duel - the deal, first to {state.target} gems"
    return f"Gem Duel - turn of player_{state.turn}, first to {state.target} gems"


def _gems(state: np.record, owner: int) -> str:
    gems, target = int(state.gems[owner]), int(state.target)
    return "◆" * gems + "◇" * max(0, target - gems)


def _is_visible(state: np.record, owner: int, slot: int, seat: int | None) -> bool:
    if seat is None:
        return state.place[owner, slot] != rules.EMPTY
    return bool(rules.sees(state, seat, owner, slot))


def _slot(game: GemDuel, state: np.record, owner: int, slot: int, seat: int | None) -> str:
    """Such as ``open    fire 3    told power: water, fire or plant, power 3``."""
    place = _PLACES[state.place[owner, slot]]
    if place == "empty":
        return "-"
    card = "?"
    if _is_visible(state, owner, slot, seat):
        card = game.chance_name(int(state.card[owner, slot]))
    told = _knowledge(game, state, owner, slot) if place == "open" else ""
    return f"{place:<7} {card:<9} {told}".rstrip()


def _knowledge(game: GemDuel, state: np.record, owner: int, slot: int) -> str:
    """What the holder of an open card has been told, and what that leaves possible."""
    elements, powers = _possible(state, owner, slot)
    told = [
        name
        for number, name in enumerate(("element", "power", "special"))
        if rules.has_bit(state.told[owner, slot], number)
    ]
    if not told and len(elements) == len(_ELEMENTS) and len(powers) == state.max_power:
        return ""
    heard = f"told {' and '.join(told)}" if told else "not pointed out"
    basic = "" if state.clue_marks_specials else " if basic"
    return f"{heard}: {'/'.join(elements)}, power {'/'.join(map(str, powers))}{basic}"


def _possible(state: np.record, owner: int, slot: int) -> tuple[list[str], list[int]]:
    elements, powers = state.possible_elements[owner, slot], state.possible_powers[owner, slot]
    return (
        [name for number, name in enumerate(_ELEMENTS) if rules.has_bit(elements, number)],
        [power for power in range(1, state.max_power + 1) if rules.has_bit(powers, power - 1)],
    )


def _by_element(game: GemDuel, counts: np.ndarray) -> str:
    """Cards such as ``water 1 1 4 | fire - | plant 2``, elements without any left out at the end."""
    width = len(game.powers[0])
    parts = []
    for number, name in enumerate(_ELEMENTS):
        of_element = counts[number * width : (number + 1) * width]
        powers = [str(power) for power, count in enumerate(of_element, 1) for _ in range(count)]
        if powers:
            parts.append(f"{name} {' '.join(powers)}")
    return " | ".join(parts) or "-"


def _next_move(game: GemDuel, state: np.record, seat: int | None) -> list[str]:
    if state.player == TERMINAL:
        return []
    if state.player == CHANCE:
        return [f"  {who(rules.receiver(state), seat)} draws a card"]
    turn, partner, mover = (who(owner, seat) for owner in (state.turn, state.partner, state.player))
    if state.phase == rules.TURN:
        return [f"  {mover} to ask or to challenge"]
    if state.phase == rules.ANSWER:
        return [f"  {turn} asks about slot {state.asked_slot + 1}", f"  {mover} to answer"]
    kind, stake = _DUEL_TYPES[state.duel_type], int(state.duel_round)
    lines = [
        f"  {turn} against {partner} by {kind}, round {stake} for {stake} gem{'s' * (stake > 1)}"
    ]
    if state.phase == rules.CLUE:
        return [*lines, f"  {mover} to tell {partner} something"]
    if state.committed != rules.NO_SLOT:
        secret = seat is not None and seat != state.turn
        chosen = "a card" if secret else f"slot {state.committed + 1}"
        lines.append(f"  {turn} has chosen {chosen}")
    return [*lines, f"  {mover} to play a card"]


def picture(game: GemDuel, state: np.record, seat: int | None = None) -> np.ndarray:
    """The position drawn: uint8 ``[height, width, 3]``, the same shape for every state of a variant.

    Raises:
        OptionError: Pillow is not installed.
    """
    players, size = game.num_players, int(state.hand_size)
    block = _CARD_HEIGHT + 2 * _LINE
    width = 2 * _MARGIN + max(7 * _CARD_WIDTH, (size + 1) * _CARD_WIDTH)
    image, draw = sheet(width, 2 * _MARGIN + players * block + 6 * _LINE)
    big, small, tiny = (font(height) for height in (30, 14, 11))

    def card(left: int, top: int, owner: int, slot: int) -> None:
        place = _PLACES[state.place[owner, slot]]
        box = (left, top, left + _CARD_WIDTH - 8, top + _CARD_HEIGHT)
        middle = left + _CARD_WIDTH // 2 - 4
        if place == "empty":
            draw.rounded_rectangle(box, 8, outline=FAINT, width=2)
            return
        face, colour, element = "?", _BACK, ""
        if _is_visible(state, owner, slot, seat):
            element, face = game.chance_name(int(state.card[owner, slot])).split()
            colour = _COLOURS[element]
        draw.rounded_rectangle(box, 8, fill=colour)
        if state.committed == slot and state.turn == owner and seat in (None, owner):
            draw.rounded_rectangle(box, 8, outline=INK, width=4)
        draw.text((middle, top + 14), f"{slot + 1} {place}", PAPER, font=tiny, anchor="mm")
        draw.text((middle, top + 46), face, PAPER, font=big, anchor="mm")
        draw.text((middle, top + 78), element, PAPER, font=small, anchor="mm")
        if place == "open":
            told(left, top + _CARD_HEIGHT + 4, owner, slot)

    def told(left: int, top: int, owner: int, slot: int) -> None:
        """Letters and digits of what an open card can be for its holder."""
        elements, powers = _possible(state, owner, slot)
        shown = [(name[0].upper(), name in elements) for name in _ELEMENTS]
        draw_row(left, top, shown)
        draw_row(left, top + 12, [(str(n), n in powers) for n in range(1, len(game.powers[0]) + 1)])

    def draw_row(left: int, top: int, marks: Sequence[tuple[str, bool]]) -> None:
        step = min(12, (_CARD_WIDTH - 8) // len(marks))
        for number, (mark, possible) in enumerate(marks):
            draw.text((left + number * step, top), mark, INK if possible else FAINT, font=tiny)

    draw.text((_MARGIN, _MARGIN), _headline(state), INK, font=small)
    top = _MARGIN + _LINE
    for owner in range(players):
        draw.text((_MARGIN, top + 20), f"player_{owner}", INK, font=small)
        gems = f"{state.gems[owner]} of {state.target}"
        draw.polygon([(_MARGIN + 6, top + 42), (_MARGIN + 12, top + 50), (_MARGIN + 6, top + 58),
                      (_MARGIN, top + 50)], fill=_GEM)  # fmt: skip
        draw.text((_MARGIN + 20, top + 42), gems, INK, font=small)
        if owner == seat:
            draw.text((_MARGIN, top + 64), "(you)", INK, font=small)
        for slot in range(size):
            card(_MARGIN + (slot + 1) * _CARD_WIDTH, top, owner, slot)
        top += block
    for line in (f"deck {state.deck_size}", *_next_move(game, state, seat)):
        draw.text((_MARGIN, top), line.strip(), INK, font=small)
        top += _LINE
    return np.asarray(image, dtype=np.uint8)
