"""Record types: one game state, or one compiled agent, is one NumPy record.

A record is a fixed number of bytes with named fields and no Python objects in it. Copying it is
a memory copy, a batch is an array, and equality and hashing are those of its bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from .fingerprint import fingerprint

CHANCE = -1
"""``state.player`` where the next move is a random outcome."""
TERMINAL = -2
"""``state.player`` when the game is over."""
TRUNCATED = -3
"""``state.player`` when the game was cut off by a limit that is not one of its rules."""

Field = tuple[str, Any] | tuple[str, Any, tuple[int, ...]]

# The rules of each record type, by the name of the field that carries its fingerprint.
_FUNCTIONS: dict[str, dict[str, Callable[..., Any]]] = {}


def state_fields(sources: int, fields: Sequence[Field]) -> list[Field]:
    """The fields of a game's state: those that every game has, and its own.

    ``seed`` and ``draws`` (one counter a chance source) are all the randomness there is;
    ``player`` is the seat that decides now, or ``CHANCE``, ``TERMINAL`` or ``TRUNCATED``;
    ``source`` names where the outcome of the present chance node comes from.
    """
    return [
        ("seed", np.uint64),
        ("draws", np.int32, (sources,)),
        ("player", np.int8),
        ("source", np.int8),
        ("num_players", np.int8),
        *fields,
    ]


def register(
    name: str,
    fields: Sequence[Field],
    rules: ModuleType,
    functions: Sequence[str],
    loops: str,
    optional: Sequence[str] = (),
) -> np.dtype:
    """Make the record type of ``name`` and tie it to the functions of a module.

    Args:
        name: Unique name of the game or agent.
        fields: Fields as for ``np.dtype``. They are ordered so that there is no padding.
        rules: The module that defines ``functions``.
        functions: Names of the compiled functions to dispatch on this type.
        loops: Name of the module whose compiled loops call them.
        optional: Names of functions that the module need not define.

    Raises:
        ValueError: A field has the name of an attribute of ``np.record``, or a function is missing.
    """
    for field in fields:
        if hasattr(np.record, field[0]):
            raise ValueError(
                f"{name}: a field cannot be named {field[0]!r}, which is an attribute of np.record"
            )
    missing = [function for function in functions if not hasattr(rules, function)]
    if missing:
        raise ValueError(f"{name}: {rules.__name__} lacks {', '.join(missing)}")
    carrier = f"{name}_{fingerprint([rules.__name__, loops])}"
    dtype = _packed([*fields, (carrier, np.int8, (0,))])
    defined = [*functions, *(function for function in optional if hasattr(rules, function))]
    _FUNCTIONS[carrier] = {function: getattr(rules, function) for function in defined}
    return dtype


def _packed(fields: Sequence[Field]) -> np.dtype:
    """An aligned record type without hidden padding: wide fields first, ``spare`` bytes last."""
    ordered = sorted(fields, key=lambda field: -np.dtype(field[1]).alignment)
    size = sum(np.dtype([field]).itemsize for field in ordered)
    width = max(np.dtype(field[1]).alignment for field in ordered)
    if size % width:
        ordered.append(("spare", np.int8, (width - size % width,)))
    dtype = np.dtype((np.record, np.dtype(ordered, align=True)))
    if dtype.itemsize != size + -size % width:
        raise ValueError(f"the fields {[field[0] for field in ordered]} leave padding between them")
    return dtype


def copied(states: np.ndarray) -> np.ndarray:
    """A copy of the records ``[n]``; an array's own ``copy`` goes field by field, ten times as slow."""
    return np.frombuffer(bytearray(states.tobytes()), states.dtype)


def functions_of(field_names: Mapping[str, Any] | Sequence[str] | None) -> dict[str, Any] | None:
    """The functions tied to the record type with these fields; None if it is not a registered one."""
    for field in field_names or ():
        if field in _FUNCTIONS:
            return _FUNCTIONS[field]
    return None


def layout_version(dtype: np.dtype) -> str:
    """Eight hex digits over names, types and order of the fields, but not over the code."""
    names = [name for name in dtype.names or () if name not in _FUNCTIONS]
    text = repr([(name, str(dtype[name])) for name in names])
    return hashlib.sha256(text.encode()).hexdigest()[:8]
