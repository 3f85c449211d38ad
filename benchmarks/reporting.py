"""What the benchmark scripts share: the machine that they ran on, and their tables."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import click
from duelgym.envs import make
from duelgym.envs.core import Game, OptionError
from duelgym.envs.core.threads import num_cores
from rich.console import Console
from rich.table import Table


class Played(click.ParamType[str]):
    """A game in its default variant, or ``game:variant``; ``played`` makes it."""

    name = "game"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse what there is not."""
        try:
            played(value)
        except OptionError as error:
            self.fail(str(error), param, ctx)
        return value


def name_and_variant(text: str) -> tuple[str, str | None]:
    """The two parts of ``game:variant``; None where the variant is left out."""
    name, _, variant = text.partition(":")
    return name, variant or None


def played(text: str) -> Game:
    """The game that ``game`` or ``game:variant`` names."""
    return make(*name_and_variant(text))


def load() -> str:
    """How busy the machine is: processes that wanted a core in the last minute, where known."""
    return f"{os.getloadavg()[0]:.2f}" if hasattr(os, "getloadavg") else "unknown"


def machine(load_before: str, *packages: str) -> dict[str, Any]:
    """What a result depends on besides the code."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cores": num_cores(),
        "load": f"{load_before} before, {load()} after",
        "python": platform.python_version(),
        **{name: version(name) for name in ("duelgym", *packages)},
    }


def console() -> Console:
    """Where tables are printed; as wide as they need to be when it is no terminal."""
    return Console(width=None if sys.stdout.isatty() else 140)


def table(
    title: str, rows: Sequence[Mapping[str, Any]], words: Sequence[str], numbers: Sequence[str]
) -> Table:
    """The columns ``words`` and, aligned to the right, ``numbers`` of rows of text."""
    built = Table(title=title, title_justify="left")
    for name in words:
        built.add_column(name)
    for name in numbers:
        built.add_column(name.replace("_", " "), justify="right")
    for row in rows:
        built.add_row(*(row[name] for name in (*words, *numbers)))
    return built
