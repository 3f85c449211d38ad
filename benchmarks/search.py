"""Agents that search: how fast they are, and what more thought is worth to them."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np
import reporting
from duelgym.agents import make_agent, search_names
from duelgym.envs import GAMES
from duelgym.envs.core import Game, OptionError
from duelgym.envs.core.files import check_writable, write_atomically
from duelgym.envs.core.randomness import row_seeds
from duelgym.envs.core.threads import num_cores
from duelgym.training.evaluation import check_picture_format, evaluate

ROWS = 64
ITERATIONS = 1000


def playouts_per_second(game: Game, agent: str, threads: int, rounds: int) -> float:
    """The median over some rounds of 64 decisions at the beginning of a game."""
    env = game.vector(ROWS, num_threads=threads)
    player = make_agent(f"{agent}{',' if ':' in agent else ':'}iterations={ITERATIONS}", game)
    player.begin(game, row_seeds(np.uint64(1), ROWS))
    rates = []
    for number in range(rounds):
        env.reset(seed=number)
        rows = np.flatnonzero(env.masks.sum(axis=1) > 1)
        begin = perf_counter()
        player.decide(env, rows, np.zeros(ROWS, np.int64))
        rates.append(len(rows) * ITERATIONS / (perf_counter() - begin))
    return statistics.median(rates)


@click.group(help=__doc__)
def main() -> None:
    pass


@main.command(help="Playouts a second at the first decision of a game, the longest ones.")
@click.option(
    "--game", "games", type=reporting.Played(), multiple=True, help="All games if not given."
)
@click.option(
    "--agent", "agents", multiple=True, help="With parameters but its budget; both if not given."
)
@click.option("--rounds", default=5, show_default=True, help="Measurements of each.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def rates(games: tuple[str, ...], agents: tuple[str, ...], rounds: int, as_json: bool) -> None:
    before = reporting.load()
    try:
        rows = [
            {
                "game": name,
                "agent": agent,
                "threads": threads,
                "rate": playouts_per_second(reporting.played(name), agent, threads, rounds),
            }
            for name in games or GAMES
            for agent in agents or search_names()
            for threads in sorted({1, num_cores()})
        ]
    except OptionError as error:
        raise click.ClickException(str(error)) from None
    machine = reporting.machine(before, "numpy", "numba")
    if as_json:
        click.echo(json.dumps({"machine": machine, "rates": rows}, indent=2))
        return
    console = reporting.console()
    console.print(", ".join(f"{name} {value}" for name, value in machine.items()))
    written = [
        {**row, "threads": str(row["threads"]), "rate": f"{row['rate']:,.0f}"} for row in rows
    ]
    title = "Playouts a second at the first decision"
    console.print(reporting.table(title, written, ("game", "agent"), ("threads", "rate")))


@main.command(help="Scores of an agent by its number of iterations, against scripted ones.")
@click.argument("game", type=reporting.Played())
@click.argument("opponents", nargs=-1, required=True)
@click.option(
    "--agent", default="ismcts", show_default=True, help="With parameters but its budget."
)
@click.option(
    "--iterations",
    "budgets",
    type=click.IntRange(min=1),
    multiple=True,
    default=(100, 300, 1000, 3000),
    show_default=True,
    help="May be repeated.",
)
@click.option("--games", default=400, show_default=True, help="Games for each number.")
@click.option("--seed", default=0, show_default=True, help="Seed of all games.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--picture", metavar="FILE", help="Also draw the curves: .png, .svg, .pdf.")
def curve(
    game: str,
    opponents: tuple[str, ...],
    agent: str,
    budgets: tuple[int, ...],
    games: int,
    seed: int,
    as_json: bool,
    picture: str | None,
) -> None:
    if picture is not None:
        check_writable(Path(picture))
        check_picture_format(Path(picture).suffix[1:])
    try:
        rows = [
            score(game, agent, iterations, opponent, games, seed)
            for opponent in opponents
            for iterations in budgets
        ]
    except OptionError as error:
        raise click.ClickException(str(error)) from None
    if picture is not None:
        write_atomically(Path(picture), drawn(rows, Path(picture).suffix[1:]))
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    written = [
        {
            "opponent": row["opponent"],
            "iterations": f"{row['iterations']:,}",
            "score": f"{row['score']:.3f} [{row['low']:.3f}, {row['high']:.3f}]",
            "milliseconds": f"{row['milliseconds']:.2f}",
        }
        for row in rows
    ]
    title = f"{agent} on {game}, {games:,} games, seed {seed}; 95 % intervals, time of a decision"
    numbers = ("iterations", "score", "milliseconds")
    reporting.console().print(reporting.table(title, written, ("opponent",), numbers))


def score(
    name: str, agent: str, iterations: int, opponent: str, games: int, seed: int
) -> dict[str, Any]:
    """One point of a curve."""
    game = reporting.played(name)
    searching = f"{agent}{',' if ':' in agent else ':'}iterations={iterations}"
    players = [make_agent(searching, game), make_agent(opponent, game)]
    standing = evaluate(game, players, games, seed).standings[0]
    return {
        "game": name,
        "agent": searching,
        "opponent": opponent,
        "iterations": iterations,
        "score": standing.overall.score.mean,
        "low": standing.overall.score.low,
        "high": standing.overall.score.high,
        "milliseconds": standing.microseconds_per_decision / 1000,
    }


def drawn(rows: Sequence[dict[str, Any]], file_format: str) -> bytes:
    """The curves as an image file: one for each opponent, the iterations on a scale of logarithms."""
    import io

    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for opponent in dict.fromkeys(row["opponent"] for row in rows):
        points = [row for row in rows if row["opponent"] == opponent]
        iterations = [row["iterations"] for row in points]
        (line,) = axes.plot(iterations, [row["score"] for row in points], "o-", label=opponent)
        lows, highs = ([row[end] for row in points] for end in ("low", "high"))
        axes.fill_between(iterations, lows, highs, color=line.get_color(), alpha=0.2)
    axes.axhline(
        1 / reporting.played(rows[0]["game"]).num_players, color="0.8", linestyle="--", zorder=0
    )
    axes.set_xscale("log")
    axes.set_ylim(0, 1)
    axes.set_xlabel("iterations for a decision")
    axes.set_ylabel("score, with 95 % interval")
    axes.set_title(f"{rows[0]['game']}, against", loc="left", fontsize="medium")
    axes.legend()
    image = io.BytesIO()
    figure.savefig(image, format=file_format, dpi=150)
    return image.getvalue()


if __name__ == "__main__":
    main()
