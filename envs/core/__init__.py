"""What all games share: state records, dispatch, compiled loops, and the interfaces onto a game."""

from .errors import (
    DuelgymError,
    IllegalActionError,
    OptionError,
    OrderError,
    StateFormatError,
)
from .game import Facts, Game
from .observation import Section
from .records import CHANCE, TERMINAL, TRUNCATED
from .state import State

__all__ = [
    "CHANCE",
    "TERMINAL",
    "TRUNCATED",
    "DuelgymError",
    "Facts",
    "Game",
    "IllegalActionError",
    "OptionError",
    "OrderError",
    "Section",
    "State",
    "StateFormatError",
]
