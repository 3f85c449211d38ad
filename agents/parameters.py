"""Parameters of agents, as they stand in their names: ``ismcts:iterations=500,rollout=greedy``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..envs.core.errors import OptionError, suggest


class Parameter(NamedTuple):
    """What an agent can be told."""

    default: Any
    read: Callable[[str], Any]  # raises ValueError
    allowed: str  # for error messages


def split(name: str) -> dict[str, str]:
    """The parameters in the name of an agent.

    Raises:
        OptionError: What follows the colon is not ``name=value``, with commas in between.
    """
    _, colon, text = name.partition(":")
    given: dict[str, str] = {}
    for part in text.split(",") if colon else ():
        key, equals, value = part.partition("=")
        if not (key and equals and value):
            raise OptionError(
                f"agent {name!r}: parameters are name=value with commas in between, not {part!r}"
            )
        if key in given:
            raise OptionError(f"agent {name!r}: {key} is given twice")
        given[key] = value
    return given


def read(agent: str, known: Mapping[str, Parameter], given: Mapping[str, object]) -> dict[str, Any]:
    """The value of every known parameter.

    Raises:
        OptionError: An unknown parameter, or a value that it cannot have.
    """
    values = {name: parameter.default for name, parameter in known.items()}
    for name, value in given.items():
        if name not in known:
            raise OptionError(f"{agent} has no parameter {name!r}; {suggest(name, known)}")
        try:
            values[name] = known[name].read(str(value))
        except ValueError:
            raise OptionError(f"{agent}: {name} is {known[name].allowed}, not {value!r}") from None
    return values


def count(text: str) -> int:
    """A whole number of at least 1."""
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def amount(text: str) -> float:
    """A finite number of at least 0."""
    value = float(text)
    if not 0 <= value < math.inf:
        raise ValueError
    return value


def one_of(*words: str) -> Callable[[str], str]:
    """One of some words."""

    def read_word(text: str) -> str:
        if text not in words:
            raise ValueError
        return text

    return read_word
