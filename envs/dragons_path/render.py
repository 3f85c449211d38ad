"""Dragon's Path for people: text, and a picture drawn with Pillow."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..core.drawing import FAINT, INK, PAPER, font, sheet, who
from ..core.records import CHANCE, TERMINAL
from . import rules
from .names import EFFECTS, ELEMENTS, ENDINGS, QUESTIONS, SPELL_QUESTIONS, SPELLS

_COLOURS = {
    "fire": (205, 70, 50),
    "water": (60, 105, 190),
    "earth": (150, 105, 55),
    "wind": (80, 160, 130),
    "thunder": (150, 90, 180),
}
_WIDTH, _HEIGHT, _MARGIN, _LINE, _CELL = 760, 640, 20, 22, 44


def text(state: np.record, seat: int | None = None) -> str:
    """The position in a few lines; ``seat`` None shows the whole table, hidden things included."""
    lines = [_headline(state)]
    for owner in range(2):
        lines.append(f"  {who(owner, seat)}")
        lines += [f"    {name:<8} {value}" for name, value in _places(state, owner, seat)]
    return "\n".join([*lines, *(f"  {line}" for line in _events(state, seat))])


def _headline(state: np.record) -> str:
    if state.player == TERMINAL:
        winner, ending = _ended(state, int(state.match))
        score = f", {state.tokens.max()} to {state.tokens.min()}" if state.advanced else ""
        return f"Dragon's Path - player_{winner} wins{score}, the last match by {ending}"
    if _is_draft(state):
        return "Dragon's Path - the spells are dealt"
    turn = f"turn {state.turn_number}, of player_{state.turn}"
    if not state.advanced:
        return f"Dragon's Path - {turn}"
    return f"Dragon's Path - match {state.match + 1}, {turn}"


def _ended(state: np.record, match: int) -> tuple[int, str]:
    return int(state.match_winner[match]), ENDINGS[state.match_ending[match]]


def _is_draft(state: np.record) -> bool:
    return rules.step_now(state) in (rules.DEAL, rules.KEEP_SPELL)


def _cards(counts: np.ndarray) -> str:
    """Such as ``fire 2, earth 1``."""
    held = [f"{name} {count}" for name, count in zip(ELEMENTS, counts, strict=True) if count]
    return ", ".join(held) or "-"


def _number(counts: np.ndarray) -> str:
    count = int(counts.sum())
    return "1 card" if count == 1 else f"{count} cards"


def _is_open(state: np.record, owner: int, seat: int | None) -> bool:
    """Whether ``seat`` knows all of an owner's hand, and so what the deck holds."""
    known = (state.known_in_hand[owner] == state.hand[owner]).all()
    return seat in (None, owner) or bool(known)


def _places(state: np.record, owner: int, seat: int | None) -> Iterable[tuple[str, str]]:
    """Every place of a player by name, with what is in it as far as ``seat`` may know."""
    foreign = state.path[owner, 1 - owner]
    path = _cards(state.path[owner].sum(axis=0))
    yield "path", f"{path} (foreign: {_cards(foreign)})" if foreign.any() else path
    yield "hand", _hand(state, owner, seat)
    yield "deck", _deck(state, owner, seat)
    yield "discard", _cards(state.discard[owner])
    if state.advanced:
        yield "spells", _spells(state, owner, seat)
        yield "tokens", str(state.tokens[owner])


def _hand(state: np.record, owner: int, seat: int | None) -> str:
    hand, known = state.hand[owner], state.known_in_hand[owner]
    if not _is_open(state, owner, seat):
        return f"{_number(hand)}, known of them: {_cards(known)}"
    return (
        f"{_cards(hand)} (known to the opponent: {_cards(known)})" if known.any() else _cards(hand)
    )


def _deck(state: np.record, owner: int, seat: int | None) -> str:
    parts = [_number(state.deck[owner])]
    if _is_open(state, owner, seat):
        parts.append(_cards(state.deck[owner]))
    if state.sure_in_deck[owner]:
        known = _cards(state.known_in_deck[owner])
        parts.append(f"surely {state.sure_in_deck[owner]} of {known}")
    if state.top[owner] != rules.NO_CARD:
        public = seat in (None, owner) or state.top_seen[owner]
        parts.append(f"on top {ELEMENTS[state.top[owner]]}" if public else "top searched for")
    return "; ".join(parts)


def _spells(state: np.record, owner: int, seat: int | None) -> str:
    words = []
    for spell, name in enumerate(SPELLS):
        place = state.spell_place[spell]
        if place == rules.HELD_BY + owner:
            words.append(name)
        elif place == rules.USED_BY + owner:
            words.append(f"{name} (used)")
        elif place == rules.DEALT_TO + owner:
            if seat not in (None, owner):
                words.append("face down")
            else:
                words.append(f"{name} (kept)" if state.kept == spell and owner == 0 else name)
    return ", ".join(words) or "-"


def _events(state: np.record, seat: int | None) -> list[str]:
    """What has happened to get here, and what comes next."""
    lines = []
    for match in range(int(state.match)):
        winner, ending = _ended(state, match)
        lines.append(f"match {match + 1} went to player_{winner} by {ending}")
    if state.player == TERMINAL:
        return lines
    if rules.is_controlled(state, int(state.turn)):
        lines.append(f"Mindstorm: {who(1 - int(state.turn), seat)} decides for player_{state.turn}")
    if state.spell != rules.NO_SPELL:
        lines.append(f"spell: {SPELLS[state.spell]}")
    if state.revealed != rules.NO_CARD:
        lines.append(f"revealed: {ELEMENTS[state.revealed]}")
    if state.effect != rules.NO_EFFECT:
        returned = ", the card is back in hand" if state.returned else ""
        lines.append(f"effect: {EFFECTS[state.effect]}{returned}")
    if state.chosen_card != rules.NO_CARD:
        lines.append(f"chosen in the path: {ELEMENTS[state.chosen_card % len(ELEMENTS)]}")
    return [*lines, _next(state, seat)]


def _next(state: np.record, seat: int | None) -> str:
    step, asked, left = rules.step_now(state), rules.seat_now(state), rules.left_now(state)
    if state.player == CHANCE:
        if step == rules.DEAL:
            return f"{who(asked, seat)} is dealt a spell"
        if step == rules.DRAW:
            return f"{who(asked, seat)} draws a card"
        return f"the top card of player_{asked}'s deck is turned up"
    question = (QUESTIONS + SPELL_QUESTIONS)[step - rules.MAIN]
    more = f", {left} left" if left > 1 else ""
    whose = f" for player_{asked}" if asked != state.player else ""
    return f"{who(int(state.player), seat)} decides{whose}: {question}{more}"


def picture(state: np.record, seat: int | None = None) -> np.ndarray:
    """The position drawn: uint8 ``[640, 760, 3]``.

    Raises:
        OptionError: Pillow is not installed.
    """
    image, draw = sheet(_WIDTH, _HEIGHT)
    big, small = font(18), font(13)

    def cards(left: int, top: int, counts: np.ndarray) -> None:
        for number, (name, count) in enumerate(zip(ELEMENTS, counts, strict=True)):
            at = left + number * _CELL
            box = (at, top, at + _CELL - 6, top + _CELL - 6)
            draw.rounded_rectangle(box, 6, fill=_COLOURS[name] if count else FAINT)
            if count:
                middle = (at + _CELL // 2 - 3, top + _CELL // 2 - 3)
                draw.text(middle, str(count), PAPER, font=big, anchor="mm")

    draw.text((_MARGIN, _MARGIN), _headline(state), INK, font=big)
    top = _MARGIN + _LINE + 10
    for owner in range(2):
        draw.text((_MARGIN, top), who(owner, seat), INK, font=big)
        top += _LINE + 4
        hand = state.hand if _is_open(state, owner, seat) else state.known_in_hand
        piles = (state.path[owner].sum(axis=0), hand[owner], state.discard[owner])
        for number, (name, counts) in enumerate(
            zip(("path", "hand", "discard"), piles, strict=True)
        ):
            left = _MARGIN + number * (len(ELEMENTS) * _CELL + 20)
            draw.text((left, top), name, INK, font=small)
            cards(left, top + 18, counts)
        top += _CELL + 22
        for name, value in _places(state, owner, seat):
            if name != "path":
                draw.text((_MARGIN, top), f"{name}: {value}", INK, font=small)
                top += 18
        top += 10
    for line in _events(state, seat):
        draw.text((_MARGIN, top), line, INK, font=small)
        top += 18
    return np.asarray(image, dtype=np.uint8)
