"""Decisions a second of random play, peak memory and start times, for every game.

With ``--peer NAME=PYTHON`` other libraries play Leduc poker too, each in an interpreter of its own
(peers/README.md says how to install them), and Duelgym plays it right after each in the same way.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import click
import numpy as np
import reporting
from duelgym.envs import GAMES
from duelgym.envs.core import Game
from duelgym.envs.core.threads import num_cores
from duelgym.envs.core.vector import play_random
from pettingzoo.utils import wrappers
from rich.table import Table

PEERS = Path(__file__).parent / "peers"
BATCH = 4096
ONE_CORE, THREADS, PROCESSES = "one core", "threads on all cores", "a process a core"

Row = dict[str, Any]


@dataclass
class Tally:
    """Decisions, the seconds that they took, and those of them that went into choosing."""

    decisions: int = 0
    seconds: float = 0.0
    choosing: float = 0.0


Burst = Callable[[Tally], None]
"""Plays for a moment and adds the decisions and the time of choosing to the tally."""


# Ways to play.


def rollout(game: Game, batch: int, threads: int | None) -> Burst:
    """Compiled from end to end, without observations."""
    steps, seed = 64, 0

    def burst(tally: Tally) -> None:
        nonlocal seed
        seed += 1
        play_random(game, batch, steps, seed, threads)
        tally.decisions += batch * steps

    return burst


def vector(game: Game, batch: int, threads: int | None) -> Burst:
    """``VectorEnv``: the observation and mask of every decision are written out."""
    env = game.vector(batch, threads)
    env.reset(0)
    step = 0

    def burst(tally: Tally) -> None:
        nonlocal step
        for _ in range(16):
            step += 1
            asked = perf_counter()
            actions = env.random_actions(0, step)
            tally.choosing += perf_counter() - asked
            env.step(actions)
            tally.decisions += batch

    return burst


def states(observe: bool, game: Game) -> Burst:
    """``State``, one game after the other: legal actions, a choice, ``apply``."""
    random = Random(0)

    def burst(tally: Tally) -> None:
        state = game.start(random.getrandbits(64))
        while not state.is_over:
            if observe:
                state.observation()
                state.legal_mask()
            legal = state.legal_actions()
            state.apply(legal[int(random.random() * len(legal))])
            tally.decisions += 1
        state.returns()

    return burst


def aec(constructor: str, game: Game) -> Burst:
    """PettingZoo's loop, with a random action from the mask."""
    module = import_module(f"duelgym.envs.{game.name}_v{game.version}")
    options = asdict(game.options)
    if constructor == "stock":
        env = stock_wrapped(module.raw_env(**options))
    else:
        env = getattr(module, constructor)(**options)
    env.reset(seed=0)
    rng = np.random.default_rng(0)

    def burst(tally: Tally) -> None:
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            asked = perf_counter()
            action = rng.choice(np.flatnonzero(observation["action_mask"]))
            tally.choosing += perf_counter() - asked
            env.step(action)
            tally.decisions += 1

    return burst


def stock_wrapped(raw: Any) -> Any:
    """A raw environment in the wrappers that PettingZoo Classic puts around its own."""
    env = wrappers.TerminateIllegalWrapper(raw, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))


BATCHED: dict[str, Callable[[Game, int, int | None], Burst]] = {
    "raw rollout": rollout,
    "vector": vector,
}
SINGLE: dict[str, Callable[[Game], Burst]] = {
    "State": partial(states, False),
    "State, observed": partial(states, True),
    "AEC env()": partial(aec, "env"),
    "AEC raw_env()": partial(aec, "raw_env"),
    "AEC in stock wrappers": partial(aec, "stock"),
}
LEFT_OUT = ", choice left out"
"""Ends the name of the mode that does not count the time of choosing, where that is known."""


# Measuring.


@dataclass(frozen=True)
class Task:
    """What to measure, for how many seconds a repetition."""

    game: str
    way: str
    place: str
    seconds: float
    batch: int = 1


def work(task: Task) -> Tally:
    """Play for ``task.seconds`` in this process; a burst before the clock starts warms up."""
    game, threads = reporting.played(task.game), None if task.place == THREADS else 1
    if task.way in BATCHED:
        burst = BATCHED[task.way](game, task.batch, threads)
    else:
        burst = SINGLE[task.way](game)
    burst(Tally())
    if task.place == PROCESSES:
        _start_line.wait()
    tally, start = Tally(), perf_counter()
    while tally.seconds < task.seconds:
        burst(tally)
        tally.seconds = perf_counter() - start
    return tally


_start_line: Barrier
"""Where the processes of a pool wait for each other, so that they play at the same time."""


def _wait_at(barrier: Barrier) -> None:
    global _start_line
    _start_line = barrier


def one_process_a_core() -> ProcessPoolExecutor:
    """A pool for tasks with ``place=PROCESSES``."""
    context = get_context("spawn")
    barrier = context.Barrier(num_cores(), timeout=300)
    return ProcessPoolExecutor(num_cores(), context, _wait_at, (barrier,))


def rates_of(task: Task, pool: ProcessPoolExecutor) -> dict[str, float]:
    """Decisions a second, by mode: one or two of them from one measurement."""
    same = [task] * num_cores()
    tallies = list(pool.map(work, same)) if task.place == PROCESSES else [work(task)]
    rates = {task.way: sum(tally.decisions / tally.seconds for tally in tallies)}
    if tallies[0].choosing:
        rates[task.way + LEFT_OUT] = sum(
            tally.decisions / (tally.seconds - tally.choosing) for tally in tallies
        )
    return rates


def measure(tasks: Sequence[Task], rounds: int, pool: ProcessPoolExecutor) -> list[Row]:
    """Every task ``rounds`` times, in turns, so that a disturbance hits all of them alike."""
    found: dict[tuple[Task, str], list[float]] = {}
    for _ in range(rounds):
        for task in tasks:
            for mode, rate in rates_of(task, pool).items():
                found.setdefault((task, mode), []).append(rate)
    return [
        {
            "game": task.game,
            "mode": mode,
            "place": task.place,
            "cores": 1 if task.place == ONE_CORE else num_cores(),
            "batch": task.batch,
            "median": statistics.median(rates),
            "best": max(rates),
        }
        for (task, mode), rates in found.items()
    ]


def tasks_for(game: str, seconds: float) -> list[Task]:
    """Every way to play, on one core and on all of them."""
    everywhere = (ONE_CORE, THREADS, PROCESSES)
    batched = [Task(game, way, place, seconds, BATCH) for way in BATCHED for place in everywhere]
    single = [Task(game, way, place, seconds) for way in SINGLE for place in (ONE_CORE, PROCESSES)]
    return batched + single


# Peers.

LIKE = {
    "openspiel": {"step": "State", "step, tensor and mask": "State, observed"},
    "pettingzoo_classic": {"env": "AEC env()", "raw_env": "AEC raw_env()"},
    "rlcard": {"step": "State, observed"},
}
"""Which of our ways plays like a peer's mode, where it plays single games."""


def like(peer: str, name: str, mode: Mapping[str, Any], seconds: float) -> list[Task]:
    """What of ours is to be compared with a peer's mode."""
    place = ONE_CORE
    if mode["cores"] > 1:
        place = PROCESSES if "process a core" in name else THREADS
    if "batch" not in mode:
        return [Task("leduc_poker", LIKE[peer][name.removesuffix(LEFT_OUT)], place, seconds)]
    # Pgx observes, as ``vector`` does, and is compiled from end to end, as a raw rollout is.
    ways = ("vector", "raw rollout") if peer == "pgx" else ("vector",)
    return [Task("leduc_poker", way, place, seconds, int(mode["batch"])) for way in ways]


def compare(
    peer: str, interpreter: str, seconds: float, rounds: int, pool: ProcessPoolExecutor
) -> list[Row]:
    """Leduc poker by a peer, and right after it by Duelgym in the same ways."""
    result = run_peer(peer, interpreter, seconds * rounds)
    tasks = {name: like(peer, name, mode, seconds) for name, mode in result["modes"].items()}
    different = dict.fromkeys(task for some in tasks.values() for task in some)
    medians = {
        (row["mode"], row["place"], row["batch"]): row["median"]
        for row in measure(list(different), rounds, pool)
    }
    rows = []
    for name, mode in result["modes"].items():
        for task in tasks[name]:
            ours = (task.way, task.place, task.batch)
            if name.endswith(LEFT_OUT) and (task.way + LEFT_OUT, *ours[1:]) in medians:
                ours = (task.way + LEFT_OUT, *ours[1:])
            row = {
                "peer": result["package"],
                "version": result["version"],
                "mode": name,
                "cores": mode["cores"],
                "rate": mode["decisions_per_second"],
                "like": ours[0],
                "batch": task.batch,
                "ours": medians[ours],
                "ratio": medians[ours] / mode["decisions_per_second"],
            }
            rows.append(row)
    return rows


def run_peer(peer: str, python: str, seconds: float) -> dict[str, Any]:
    """What a peer's script prints.

    Raises:
        ClickException: It failed.
    """
    command = [python, str(PEERS / f"{peer}.py"), "--json", "--seconds", str(seconds)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        why = (getattr(error, "stderr", "") or str(error)).strip().splitlines()[-1]
        raise click.ClickException(f"peer {peer}: {why}") from None
    return json.loads(done.stdout)


# Memory and start times, in processes of their own.

PEAK = "print(next(line.split()[1] for line in open('/proc/self/status') if 'VmHWM' in line))"
"""Peak memory in KiB. What ``resource.getrusage`` gives includes the parent's, until exec."""

PLAY = """
from duelgym.envs import make
games = make(*{game!r}).vector({batch})
games.reset(0)
for step in range(64):
    games.step(games.random_actions(0, step))
"""
START = """
from duelgym.envs import {module}
env = {module}.env(variant={variant!r})
env.reset(seed=0)
env.step(int(env.last()[0]["action_mask"].argmax()))
"""


def python(code: str, **environment: str) -> str:
    """Run ``code`` in a fresh interpreter; gives what it prints."""
    command = [sys.executable, "-c", code]
    environment = {**os.environ, **environment}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def memory(game: str) -> Row:
    """Peak memory in MiB of the import alone, and of games in a vector environment."""
    name, variant = reporting.name_and_variant(game)
    play = partial(PLAY.format, game=(name, variant))
    python(play(batch=1))  # Whatever there is to compile is compiled here.
    imported, one, many = (
        int(python(code + PEAK)) / 1024
        for code in (f"import duelgym.envs.{name}\n", play(batch=1), play(batch=BATCH))
    )
    return {
        "game": game,
        "games": BATCH,
        "import": imported,
        "one_game": one,
        "all_games": many,
        "above_import": many - imported,
    }


def start_times(game: str) -> Row:
    """Seconds from the start of Python to the first move: with nothing compiled yet, and after."""
    name, variant = reporting.name_and_variant(game)
    version = reporting.played(game).version
    code = START.format(module=f"{name}_v{version}", variant=variant)

    def seconds(folder: str) -> float:
        start = perf_counter()
        python(code, NUMBA_CACHE_DIR=folder)
        return perf_counter() - start

    with tempfile.TemporaryDirectory() as folder:
        cold = seconds(folder)
        warm = min(seconds(folder) for _ in range(3))
    return {"game": game, "cold": cold, "warm": warm}


# Printing.


def show(result: Mapping[str, Any]) -> None:
    """The result as tables."""
    out = reporting.console()
    out.print(" · ".join(f"{name} {value}" for name, value in result["machine"].items()))
    if result["rates"]:
        out.print(rates_table(result["rates"]))
    if result["peers"]:
        out.print(peers_table(result["peers"]))
    if result["memory"]:
        sizes = ("import", "one_game", "all_games", "above_import")
        title = f"Peak memory in MiB, vector environment of {BATCH:,} games"
        out.print(reporting.table(title, written(result["memory"], "{:,.0f}"), ("game",), sizes))
    if result["starts"]:
        title = "Seconds from the start of Python to the first move through env()"
        rows = written(result["starts"], "{:.2f}")
        out.print(reporting.table(title, rows, ("game",), ("cold", "warm")))


def written(rows: Sequence[Row], form: str) -> list[dict[str, str]]:
    """The values as text, numbers by ``form``."""
    return [
        {
            name: value if isinstance(value, str) else form.format(value)
            for name, value in row.items()
        }
        for row in rows
    ]


def rates_table(rows: Sequence[Row]) -> Table:
    """One line a game and mode; one core and all of them side by side."""
    places = (ONE_CORE, THREADS, PROCESSES)
    lines: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        line = lines.setdefault((row["game"], row["mode"]), dict.fromkeys(places, ""))
        line |= {"game": row["game"], "mode": row["mode"], row["place"]: f"{row['median']:,.0f}"}
        if row["place"] == ONE_CORE:
            line["best"] = f"{row['best']:,.0f}"
    return reporting.table(
        "Decisions a second: median, and on one core also the best repetition",
        list(lines.values()),
        ("game", "mode"),
        (ONE_CORE, "best", THREADS, PROCESSES),
    )


def peers_table(rows: Sequence[Row]) -> Table:
    """One line a peer's mode."""
    lines = [
        {
            "peer": f"{row['peer']} {row['version']}",
            "mode": row["mode"],
            "like": f"{row['like']}, batch of {row['batch']}" if row["batch"] > 1 else row["like"],
            "cores": str(row["cores"]),
            "theirs": f"{row['rate']:,.0f}",
            "ours": f"{row['ours']:,.0f}",
            "ratio": f"{row['ratio']:.1f}",
        }
        for row in rows
    ]
    words, numbers = ("peer", "mode", "like"), ("cores", "theirs", "ours", "ratio")
    return reporting.table("Leduc poker, decisions a second", lines, words, numbers)


def peer_option(
    context: click.Context, option: click.Parameter, pairs: Sequence[str]
) -> dict[str, str]:
    """``NAME=PYTHON`` pairs."""
    known = sorted(path.stem for path in PEERS.glob("[!_]*.py"))
    for pair in pairs:
        if pair.partition("=")[0] not in known or not pair.partition("=")[2]:
            raise click.BadParameter(f"{pair!r} is not NAME=PYTHON; names are {', '.join(known)}")
    return dict(pair.split("=", 1) for pair in pairs)


@click.command(help=__doc__)
@click.option("--game", "games", multiple=True, type=reporting.Played(), help="Only this one.")
@click.option("--peer", "peers", multiple=True, callback=peer_option, metavar="NAME=PYTHON",
              help="Compare with a script of peers/, run by this interpreter.")  # fmt: skip
@click.option("--only", "parts", multiple=True, type=click.Choice(["rates", "memory", "starts"]),
              help="Only this part.")  # fmt: skip
@click.option("--seconds", default=0.25, show_default=True, help="To measure at a time.")
@click.option("--rounds", default=5, show_default=True, help="Repetitions of each measurement.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def main(
    games: Sequence[str],
    peers: Mapping[str, str],
    parts: Sequence[str],
    seconds: float,
    rounds: int,
    as_json: bool,
) -> None:
    games, parts = games or list(GAMES), parts or ["rates", "memory", "starts"]
    before = reporting.load()
    result: dict[str, Any] = {"machine": {}, "rates": [], "peers": [], "memory": [], "starts": []}
    with one_process_a_core() as pool:
        for peer, interpreter in peers.items():
            click.echo(f"Leduc poker beside {peer} ...", err=True)
            result["peers"] += compare(peer, interpreter, seconds, rounds, pool)
        if "rates" in parts:
            click.echo("rates ...", err=True)
            tasks = [task for game in games for task in tasks_for(game, seconds)]
            result["rates"] = measure(tasks, rounds, pool)
    for part, measured in (("memory", memory), ("starts", start_times)):
        if part in parts and not (part == "memory" and sys.platform != "linux"):
            click.echo(f"{part} ...", err=True)
            result[part] = [measured(game) for game in games]
    result["machine"] = reporting.machine(before, "numpy", "numba", "pettingzoo")
    print(json.dumps(result)) if as_json else show(result)


if __name__ == "__main__":
    main()
