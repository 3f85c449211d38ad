"""Named parts of the flat observation vector, declared once by each game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Section:
    """A run of neighbouring entries of the observation that say one kind of thing.

    Attributes:
        name: Key in what ``describe`` gives.
        labels: What each entry stands for; its length is the size of the section.
        meaning: One sentence for the documentation page, ``entry`` being one of the labels.
        low: Least value of an entry.
        high: Greatest value of an entry.
        kind: How ``describe`` reads it: ``flags`` (the labels of the entries that are 1),
            ``level`` (how many leading entries are 1), ``numbers`` (a number for each label) or
            ``counts`` (the same without zeros).
    """

    name: str
    labels: Sequence[str]
    meaning: str
    low: int = 0
    high: int = 1
    kind: str = "flags"

    @property
    def size(self) -> int:
        """Number of entries."""
        return len(self.labels)

    def read(self, values: np.ndarray) -> Any:
        """What the entries ``values`` of this section say, in words and whole numbers."""
        if self.kind == "level":
            return int(values.sum())
        if self.kind == "numbers":
            numbers = {label: int(value) for label, value in zip(self.labels, values, strict=True)}
            return numbers if self.size > 1 else int(values[0])
        if self.kind == "counts":
            return {label: int(n) for label, n in zip(self.labels, values, strict=True) if n}
        return [label for label, value in zip(self.labels, values, strict=True) if value]


def steps(count: int) -> list[str]:
    """Labels of a ``level`` section that counts up to ``count``."""
    return [f"at least {step}" for step in range(1, count + 1)]


def bounds(sections: Sequence[Section]) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest value of every entry: two float32 arrays ``[observation_size]``."""
    low = [np.full(section.size, section.low, np.float32) for section in sections]
    high = [np.full(section.size, section.high, np.float32) for section in sections]
    return np.concatenate(low), np.concatenate(high)


def offsets(sections: Sequence[Section]) -> dict[str, slice]:
    """Where in the observation each section lies."""
    places, start = {}, 0
    for section in sections:
        places[section.name] = slice(start, start + section.size)
        start += section.size
    return places


def describe(sections: Sequence[Section], observation: np.ndarray) -> dict[str, Any]:
    """An observation in words: the value of every section by its name.

    Raises:
        ValueError: The observation has another shape.
    """
    size = sum(section.size for section in sections)
    if np.shape(observation) != (size,):
        raise ValueError(f"an observation has shape [{size}], not {list(np.shape(observation))}")
    return {
        section.name: section.read(observation[place])
        for section, place in zip(sections, offsets(sections).values(), strict=True)
    }


def table(sections: Sequence[Section]) -> str:
    """The sections as the Markdown table that a game's documentation page shows."""
    lines = ["| entries | section | values | meaning |", "|---|---|---|---|"]
    for section, place in zip(sections, offsets(sections).values(), strict=True):
        entries = f"{place.start}" if section.size == 1 else f"{place.start}-{place.stop - 1}"
        values = f"{section.low}..{section.high}"
        lines.append(f"| {entries} | `{section.name}` | {values} | {section.meaning} |")
    return "\n".join(lines)
