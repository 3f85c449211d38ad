"""The games, and how to get one by name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .core.errors import OptionError, suggest
from .core.game import Game

GAMES = {
    "dragon_deck": "DragonDeck",
    "gem_duel": "GemDuel",
    "dragons_path": "DragonsPath",
    "delights_and_dragons": "DelightsAndDragons",
    "leduc_poker": "LeducPoker",
}
"""Every game by name, with its class in the package of that name."""


def game_class(name: str) -> type[Game]:
    """The class of the game called ``name``, without importing the others.

    Raises:
        OptionError: There is no such game.
    """
    if not isinstance(name, str):
        raise OptionError(f"a game's name is a word, not {name!r}; {suggest('', GAMES)}")
    plain = name.rpartition("_v")[0] if name.rpartition("_v")[2].isdigit() else name
    if plain not in GAMES:
        raise OptionError(f"there is no game {name!r}; {suggest(plain, GAMES)}")
    found: type[Game] = getattr(import_module(f".{plain}", __name__), GAMES[plain])
    if plain != name and name != f"{plain}_v{found.version}":
        raise OptionError(f"there is no {name!r}; this release has {plain}_v{found.version}")
    return found


def make(name: str, variant: str | None = None, **options: Any) -> Game:
    """A game by name, with a named variant or options of its own.

    Raises:
        OptionError: An unknown game, variant or option, or an impossible value.
    """
    return game_class(name)(variant, **options)
