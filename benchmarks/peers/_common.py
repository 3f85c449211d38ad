"""What the peer scripts share: their arguments, the timing and the printing.

Nothing here imports Duelgym or a peer, so it works in any peer's own interpreter.
"""

import argparse
import contextlib
import importlib
import json
import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

Result = TypeVar("Result")
Mode = dict[str, float]


@dataclass
class Tally:
    """What was played in how many seconds, and how many of those need not count."""

    decisions: int = 0
    hands: int = 0
    seconds: float = 0.0
    left_out: float = 0.0

    @classmethod
    def together(cls, tallies: Sequence["Tally"]) -> "Tally":
        """Return what processes that ran side by side played, in their mean time."""
        return cls(
            decisions=sum(tally.decisions for tally in tallies),
            hands=sum(tally.hands for tally in tallies),
            seconds=sum(tally.seconds for tally in tallies) / len(tallies),
        )

    def mode(self, *, leave_out: bool = False, cores: int = 1, **more: float) -> Mode:
        """Return one entry of the output's ``modes``, with ``more`` fields at its end."""
        seconds = self.seconds - self.left_out if leave_out else self.seconds
        return {
            "decisions_per_second": self.decisions / seconds,
            "cores": cores,
            "decisions_per_hand": self.decisions / self.hands,
            **more,
        }


def measure(play: Callable[[Tally], None], seconds: float) -> Tally:
    """Repeat ``play``, which adds what it played to the tally, for ``seconds``.

    One call before the clock starts warms up.
    """
    play(Tally())
    tally = Tally()
    start = perf_counter()
    while tally.seconds < seconds:
        play(tally)
        tally.seconds = perf_counter() - start
    return tally


def all_cores() -> set[int]:
    """Return the cores that this process may run on."""
    return os.sched_getaffinity(0)


def one_core() -> set[int]:
    """Return one of the cores that this process may run on."""
    return {min(all_cores())}


def confined(core_sets: Sequence[set[int]], work: Callable[[], Result]) -> list[Result]:
    """Run ``work`` once on each set of cores, all at once, each in a process of its own."""
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(len(core_sets), mp_context=context) as pool:
        return list(pool.map(partial(_work_on, work), core_sets))


def _work_on(work: Callable[[], Result], cores: set[int]) -> Result:
    os.sched_setaffinity(0, cores)
    return work()


def require(module: str, pip: str) -> Any:
    """Import a peer's ``module``, or end with exit code 2 and how to install it.

    This folder leaves ``sys.path`` first, since ``import pgx`` would find ``pgx.py`` in it.
    What the import prints goes to stderr, as stdout is for the result.
    """
    here = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != here]
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return importlib.import_module(module)
    except ImportError as error:
        print(f"{error}: pip install {pip}", file=sys.stderr)
        raise SystemExit(2) from None


def main(doc: str | None, package: str, modes: Callable[[float], dict[str, Mode]]) -> None:
    """Run a peer script: parse the arguments, measure its ``modes``, print the result."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="to measure each mode for")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args()

    result = {"modes": modes(args.seconds)}
    result = {"package": package, "version": version(package), **result}
    print(json.dumps(result) if args.json else _table(result))


def _table(result: dict[str, Any]) -> str:
    lines = [f"{result['package']} {result['version']}"]
    for name, mode in result["modes"].items():
        cores = f"{mode['cores']} core{'s' if mode['cores'] > 1 else ''}"
        lines.append(f"  {name:<32}{mode['decisions_per_second']:>12,.0f} decisions/s, {cores}")
    return "\n".join(lines)
