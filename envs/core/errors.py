"""What goes wrong because of the caller, as exceptions that name the thing, the place and the remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, TypeGuard

import numpy as np


class DuelgymError(Exception):
    """Base of every error that a user can cause and mend; the command line prints it as one line."""


class OptionError(DuelgymError, ValueError):
    """An option of a game, a run or a command has an unknown name or an impossible value."""


class IllegalActionError(DuelgymError, ValueError):
    """An action that the rules forbid here; nothing has been changed when it is raised."""


class OrderError(DuelgymError, RuntimeError):
    """A call at the wrong time, such as a step before ``reset`` or after the end."""


class StateFormatError(DuelgymError, ValueError):
    """Saved bytes that are not a state, or a state of another game, variant or layout."""


def suggest(word: object, known: Iterable[str]) -> str:
    """``"did you mean 'x'?"`` for the nearest known word, else the list of what there is."""
    known = sorted(known)
    near = difflib.get_close_matches(str(word), known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"there is: {', '.join(known) or 'nothing'}"


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether ``value`` is an integer of Python or NumPy; ``True`` and ``1.0`` are not."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
