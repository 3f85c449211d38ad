"""The functions that every game's ``rules.py`` defines, dispatched by the type of the state record.

Generic code calls these; compiled code resolves them while it compiles, plain Python (with
``NUMBA_DISABLE_JIT=1``) looks them up. There is one implementation of each rule for both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from .errors import StateFormatError
from .records import functions_of

RULES = ("setup", "legal", "chance", "apply", "observe", "returns", "resample", "seen")
OPTIONAL_RULES = ("retract",)


def setup(state):
    """Start a game in a record that holds only its variant's parameters, its seed, and zeros."""
    return interpreted(state, "setup")(state)


def legal(state, mask):
    """Set ``mask[action] = 1`` for every legal action of ``state.player``.

    ``mask`` is int8 ``[num_actions]`` and all zero on entry.
    """
    return interpreted(state, "legal")(state, mask)


def chance(state, weights):
    """Write the integer weight of every outcome of a chance node; returns their sum.

    ``weights`` is int32 ``[num_chance_outcomes]`` and all zero on entry. The sum is below 2**31.
    """
    return interpreted(state, "chance")(state, weights)


def apply(state, action):
    """Make one legal move, or let one chance outcome happen."""
    return interpreted(state, "apply")(state, action)


def observe(state, seat, out):
    """Write what ``seat`` knows. ``out`` is float32 ``[observation_size]``, all zero on entry."""
    return interpreted(state, "observe")(state, seat, out)


def returns(state, out):
    """Write the payoffs of a finished game. ``out`` is float32 ``[num_players]``, all zero on entry."""
    return interpreted(state, "returns")(state, out)


def resample(state, seat, seed):
    """Redraw all that ``seat`` does not know, ``state.seed`` included, from the uint64 ``seed`` alone."""
    return interpreted(state, "resample")(state, seat, seed)


def seen(state, action, seat):
    """What ``seat`` sees of ``action`` (a move or a chance outcome), asked before it is applied.

    Returns:
        An integer of at least 0; 0 means that the seat notices nothing at all.
    """
    return interpreted(state, "seen")(state, action, seat)


def retract(state, seat):
    """Let a rival choose again what ``seat`` has not seen, if it chose at the same time as ``seat``.

    Simultaneous choices are made one after the other. This takes back a choice that was made
    before that of ``seat``, the player to move, and gives the move back to who made it; then
    ``seat`` is asked again. A game without such choices does not define it, and nothing happens.
    """
    return interpreted(state, "retract")(state, seat)


def nothing_to_retract(state, seat):
    """``retract`` of a game that does not define it."""


def interpreted(record: np.record, name: str) -> Callable[..., Any]:
    """The implementation for a record, in plain Python."""
    functions = functions_of(record.dtype.names)
    if functions is None:
        raise StateFormatError(
            f"{name}(): this record is not of a registered type but has "
            f"{', '.join(record.dtype.names or ())}; load saved states with load_states()"
        )
    return functions.get(name, nothing_to_retract)


def compiled(record: Any, name: str) -> Callable[..., Any] | None:
    """The implementation for a Numba record type, as ``overload`` wants it."""
    functions = functions_of(record.fields) if isinstance(record, types.Record) else None
    if functions is None:
        return None
    function = functions.get(name, nothing_to_retract)
    # The plain function, not a wrapper around the compiled one: a further call costs as much as a rule.
    return getattr(function, "py_func", function)


for _function in (setup, legal, chance, apply, observe, returns, resample, seen, retract):
    overload(_function, strict=False)(
        lambda record, *arguments, _name=_function.__name__: compiled(record, _name)
    )
