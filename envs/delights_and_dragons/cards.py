"""Card sets: characters, items and decks as data, read from YAML and checked.

The published cards of the game are not public, so every set here is Duelgym's own.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..core.errors import OptionError, is_whole, suggest
from .rules import MAX_DECK, MAX_SLOTS

if TYPE_CHECKING:
    from pydantic import TypeAdapter

MIN_DECK = 5
MAX_STRENGTH = 20
MAX_BONUS = 10
MAX_NAME = 40

# What is right in a field, for errors.
_NAME = f"text of 1 to {MAX_NAME} characters in one line"
_STRENGTH = f"a whole number from 0 to {MAX_STRENGTH}"
_BONUS = f"a whole number from 0 to {MAX_BONUS}"
_COPIES = f"a whole number of copies from 1 to {MAX_DECK}"

_UNKNOWN_KEY = "unexpected_keyword_argument"


@dataclass(frozen=True)
class Character:
    """A character card.

    Attributes:
        name: Its name, unique in the set.
        attack: 0 to 20.
        defense: 0 to 20.
        legendary: Whether it takes three attacks to destroy it.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid", "strict": True}
    rights: ClassVar = {
        "name": _NAME,
        "attack": _STRENGTH,
        "defense": _STRENGTH,
        "legendary": "true or false",
    }
    name: str
    attack: int
    defense: int
    legendary: bool = False

    def __post_init__(self) -> None:
        """Check the numbers."""
        _check_name(self.name)
        for field in ("attack", "defense"):
            _check_number(self, field, MAX_STRENGTH)
        if not isinstance(self.legendary, bool):
            raise OptionError(f"legendary is {self.rights['legendary']}, not {self.legendary!r}")


@dataclass(frozen=True)
class Item:
    """An item card, held by a character.

    Attributes:
        name: Its name, unique in the set.
        attack: What it adds to the holder's attack, 0 to 10.
        defense: What it adds to the holder's defense, 0 to 10.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid", "strict": True}
    rights: ClassVar = {"name": _NAME, "attack": _BONUS, "defense": _BONUS}
    name: str
    attack: int = 0
    defense: int = 0

    def __post_init__(self) -> None:
        """Check the numbers."""
        _check_name(self.name)
        for field in ("attack", "defense"):
            _check_number(self, field, MAX_BONUS)
        if self.attack == self.defense == 0:
            raise OptionError("attack and defense are not both 0: an item adds to one of them")


@dataclass(frozen=True)
class CardSet:
    """Cards, and decks made of them.

    Attributes:
        name: What the set is called.
        characters: The characters, names unique in the set.
        decks: By name, how many copies of which cards are in a deck: 5 to 60 cards, 1 to 16 of them
            characters.
        items: The items, names unique in the set.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid", "strict": True}
    rights: ClassVar = {
        "name": _NAME,
        "characters": "a list of cards, each with name, attack and defense",
        "items": "a list of cards, each with name and attack or defense",
        "decks": "a mapping from names to decks, each a mapping from cards to copies",
    }
    name: str
    characters: tuple[Character, ...]
    decks: dict[str, dict[str, int]]
    items: tuple[Item, ...] = ()

    def __post_init__(self) -> None:
        """Check the names and the decks."""
        object.__setattr__(self, "characters", tuple(self.characters))
        object.__setattr__(self, "items", tuple(self.items))
        _check_name(self.name)
        names = [card.name for card in self.cards]
        for name in names:
            if names.count(name) > 1:
                raise OptionError(
                    f"card {name!r}: name is used {names.count(name)} times, not once"
                )
        if not self.decks:
            raise OptionError(f"decks is {self.rights['decks']}; there is none")
        for deck in self.decks:
            self._check_deck(deck)
        plain = {
            deck: {name: int(copies) for name, copies in cards.items()}
            for deck, cards in self.decks.items()
        }
        object.__setattr__(self, "decks", plain)

    def _check_deck(self, deck: str) -> None:
        _check_name(deck, f"deck {deck!r}: name")
        known = {card.name: card for card in self.cards}
        for name, copies in self.decks[deck].items():
            if name not in known:
                raise OptionError(f"deck {deck!r}: unknown card {name!r}; {suggest(name, known)}")
            if not is_whole(copies) or not 1 <= copies <= MAX_DECK:
                raise OptionError(f"deck {deck!r}: {name} is {_COPIES}, not {copies!r}")
        size = sum(self.decks[deck].values())
        if not MIN_DECK <= size <= MAX_DECK:
            raise OptionError(
                f"deck {deck!r}: a deck has {MIN_DECK} to {MAX_DECK} cards, not {size}"
            )
        characters = self.num_characters(deck)
        if not 1 <= characters <= MAX_SLOTS:
            raise OptionError(
                f"deck {deck!r}: a deck has 1 to {MAX_SLOTS} characters, not {characters}"
            )

    @property
    def cards(self) -> tuple[Character | Item, ...]:
        """Every card: characters first, then items."""
        return (*self.characters, *self.items)

    def num_characters(self, deck: str) -> int:
        """How many cards of a deck are characters."""
        return sum(self.decks[deck].get(card.name, 0) for card in self.characters)

    @property
    def digest(self) -> str:
        """Eight hex digits that differ where anything in the set differs."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<{self.name} {self.digest}>"


def _check_name(name: Any, what: str = "name") -> None:
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME or name != name.strip():
        raise OptionError(f"{what} is {_NAME}, not {name!r}")
    if not name.isprintable():
        raise OptionError(f"{what} is {_NAME}, not {name!r}")


def _check_number(card: Character | Item, field: str, most: int) -> None:
    value = getattr(card, field)
    if not is_whole(value) or not 0 <= value <= most:
        raise OptionError(f"{field} is {card.rights[field]}, not {value!r}")
    object.__setattr__(card, field, int(value))


# Reading.


def read_card_set(source: CardSet | Mapping[str, Any] | str | os.PathLike[str]) -> CardSet:
    """A card set from its data.

    Args:
        source: The name of a set that comes with Duelgym, such as ``starter``; a YAML file, told by
            its ending or folder; or what such a file holds, as a mapping.

    Raises:
        OptionError: There is no such set or file, or it is not a valid set; it names the file, the
            card and the field, and what would be right.
    """
    if isinstance(source, CardSet):
        return source
    if isinstance(source, Mapping):
        return _checked(source, "card_set")
    if not isinstance(source, (str, os.PathLike)):
        raise OptionError(
            "delights_and_dragons: card_set is the name of a set, a YAML file or a mapping, "
            f"not {source!r}"
        )
    path = Path(source)
    if isinstance(source, str) and not path.suffix and path.name == source:
        return _shipped(source)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"cannot read card set {path}: {error}") from None
    return _checked(_parsed(text, str(path)), str(path))


@cache
def _shipped(name: str) -> CardSet:
    """The set of that name in Duelgym's configs."""
    folder = files(f"{__name__.split('.', 1)[0]}.configs") / "card_sets"
    known = [path.name.removesuffix(".yaml") for path in folder.iterdir()]
    if name not in known:
        raise OptionError(
            f"delights_and_dragons: there is no card set {name!r}; {suggest(name, known)} "
            "(a file of your own is given with its ending, such as my_set.yaml)"
        )
    path = folder / f"{name}.yaml"
    return _checked(_parsed(path.read_text(encoding="utf-8"), path.name), path.name)


def _parsed(text: str, where: str) -> Any:
    """The data in a YAML text, in which no key stands twice."""
    import yaml

    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as error:
        raise OptionError(f"{where} is not valid YAML: {' '.join(str(error).split())}") from None
    _refuse_repeated_keys(yaml.compose(text, Loader=yaml.SafeLoader), where)
    return data


def _refuse_repeated_keys(root: Any, where: str) -> None:
    """YAML itself lets the last of them count, in silence."""
    nodes, seen = [root] if root else [], set()
    while nodes:
        node = nodes.pop()
        if id(node) in seen or isinstance(node.value, str):
            continue
        seen.add(id(node))
        keys = set()
        for child in node.value:
            key, value = child if isinstance(child, tuple) else (None, child)
            nodes.append(value)
            if key is not None and isinstance(key.value, str):
                if key.value in keys:
                    line = key.start_mark.line + 1
                    raise OptionError(f"{where}, line {line}: {key.value!r} is there twice")
                keys.add(key.value)


def _checked(data: Any, where: str) -> CardSet:
    """Plain data as a card set."""
    from pydantic import ValidationError

    if not isinstance(data, Mapping):
        raise OptionError(
            f"{where}: a card set has the keys {_keys(CardSet)}, but this is {data!r}"
        )
    try:
        # By way of JSON, where a list is as good as a tuple but "3" is no number.
        return _adapter().validate_json(json.dumps(dict(data), default=_plain))
    except ValidationError as error:
        # A misspelt key is also a missing one: the spelling is what to mend.
        first = min(error.errors(), key=lambda found: found["type"] != _UNKNOWN_KEY)
        raise OptionError(f"{where}: {_complaint(first, data)}") from None
    except (ValueError, TypeError) as error:
        raise OptionError(f"{where}: not the plain data of a card set: {error}") from None


@cache
def _adapter() -> TypeAdapter[CardSet]:
    """Pydantic's reader of card sets, which takes milliseconds to make."""
    from pydantic import TypeAdapter

    return TypeAdapter(CardSet)


def _plain(value: Any) -> Any:
    """Numbers of NumPy as Python has them, and mappings as dictionaries; anything else as text."""
    if isinstance(value, np.generic):
        return value.item()
    return dict(value) if isinstance(value, Mapping) else str(value)


def _keys(kind: type) -> str:
    return ", ".join(field.name for field in fields(kind))


def _complaint(error: Any, data: Mapping[str, Any]) -> str:
    """What is wrong, where, and what would be right, from the first error that Pydantic found."""
    kinds: dict[str, type] = {"characters": Character, "items": Item}
    section, *place = error["loc"] or ("",)
    kind, where = CardSet, ""
    if section == "decks" and place:
        where = f"deck {place[0]!r}" + (f": {place[1]}" if place[1:] else "")
        right = _COPIES if place[1:] else "a mapping from cards to copies"
        return f"{where} is {right}, not {error['input']!r}"
    if section in kinds and place:
        kind = kinds[section]
        card = data[section][place[0]]
        name = card.get("name") if isinstance(card, Mapping) else None
        what = kind.__name__.lower()
        where = f"{what} {name!r}: " if isinstance(name, str) else f"{what} {place[0] + 1}: "
        if not place[1:] and error["type"] != "value_error":
            return f"{where}a card has the keys {_keys(kind)}, but this is {error['input']!r}"
    field = (place or [section])[-1]
    if error["type"] == "value_error":
        return f"{where}{error['ctx']['error']}"
    if error["type"] == _UNKNOWN_KEY:
        names = [known.name for known in fields(kind)]
        return f"{where}unknown key {field!r}; {suggest(str(field), names)}"
    right = kind.rights[field]
    if error["type"] == "missing":
        return f"{where}{field} is missing; it is {right}"
    return f"{where}{field} is {right}, not {error['input']!r}"
