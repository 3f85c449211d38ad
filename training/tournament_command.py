"""``duelgym tournament``."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from ..envs.core.errors import OptionError
from ..envs.core.threads import num_cores
from .command_options import game_options, seed_option, trained_on, variant_option
from .ray_cluster import checked_address


def _address(context: click.Context, parameter: click.Parameter, address: str | None) -> str | None:
    """An address of Ray's, which is easily an agent that was written after a bare --ray."""
    if address is None:
        return None
    try:
        return checked_address(address)
    except OptionError as error:
        message = f"{error}; without an address write --ray last"
        raise click.BadParameter(message, context, parameter) from None


@click.command(short_help="Play agents against each other, and rate them.")
@click.argument("game")
@click.argument("agents", metavar="[AGENT]...", nargs=-1)
@variant_option
@game_options
@click.option(
    "--blocks",
    type=click.IntRange(min=1),
    help="Blocks at each table: games with the same chance, seats going round.  [default: 500; "
    "with --until-sure at most 50000]",
)
@seed_option
@click.option("--out", metavar="FOLDER", help="Keep results there; the same command then goes on.")
@click.option("--cores", type=click.IntRange(min=1), help="Processes.  [default: one a core]")
@click.option(
    "--ray",
    metavar="[ADDRESS]",
    is_flag=False,
    flag_value="",
    callback=_address,
    help="Play on a Ray cluster instead, without an address one that Ray finds or starts here.",
)
@click.option(
    "--anchor", metavar="AGENT", help="Whose rating is 0.  [default: random, if it plays]"
)
@click.option("--trust", is_flag=True, help="Load .zip files, which can run any code in them.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    default=10,
    show_default=True,
    metavar="SECONDS",
    help="For each decision of a Python function.",
)
@click.option("--until-sure", is_flag=True, help="Only find out if the first of two is stronger.")
@click.option("--margin", type=float, default=20, show_default=True, help="By how many Elo.")
@click.option("--error", type=float, default=0.05, show_default=True, help="How often to be wrong.")
def tournament(
    game: str,
    agents: tuple[str, ...],
    variant: str | None,
    options: dict[str, Any],
    blocks: int | None,
    seed: int,
    out: str | None,
    cores: int | None,
    ray: str | None,
    anchor: str | None,
    trust: bool,
    time_limit: float,
    until_sure: bool,
    margin: float,
    error: float,
) -> None:
    """Play every AGENT against every other on GAME, and rate them; by default all scripted ones.

    An agent is the name of a scripted one, a run folder of 'duelgym train', a checkpoint file, a
    Python function as my_bot.py:strategy or module:function, or, with --trust, a .zip file that
    Stable-Baselines3 saved.

    \b
      duelgym tournament dragon_deck
      duelgym tournament dragon_deck random matrix runs/mine my_bot.py:strategy --out results
      duelgym tournament dragon_deck runs/new runs/old --until-sure --margin 10

    Two players meet in mirrored pairs of games. With more, each agent sits alone among players of
    each other one, and there are tables of mixed company. The report has the matrix of scores,
    ratings on Elo's scale with the Nash average and cycles, seats, margins, times and forfeits. An
    agent that makes an illegal move, raises an error or exceeds its time forfeits that game. With
    --out there are results.jsonl, report.md and, with Matplotlib, payoffs.png.

    --until-sure is a sequential test (generalised SPRT over whole blocks): is the first agent
    stronger than the second? If it is not, the answer is yes with probability --error at most; if
    it is by --margin, the answer is no with probability --error at most.
    """  # noqa: D301
    from ..agents import agent_names
    from ..envs import make
    from ..envs.core.files import write_atomically
    from .sequential import Sprt
    from .standings import standings
    from .tournament import play, play_until_sure
    from .tournament_report import picture, report, told

    played = make(game, variant, **options)
    if variant is None and not options:
        played = trained_on(agents, played)
    names = [name.rstrip("/") for name in agents or agent_names(played)]
    settings: dict[str, Any] = {
        "seed": seed,
        "cores": cores or num_cores(),
        "ray": ray,
        "trust": trust,
        "time_limit": time_limit,
        "file": Path(out) / "results.jsonl" if out else None,
    }
    if until_sure:
        test = Sprt(margin, error, played.num_players)
        with _progress() as bar:
            task = bar.add_task("", total=test.bound)

            def looked(done: int, ratio: float) -> None:
                bar.update(
                    task, completed=abs(ratio), description=f"{done:,} blocks, ratio {ratio:+.2f}"
                )

            verdict = play_until_sure(
                played, names, test, blocks or 50_000, **settings, progress=looked
            )
        click.echo(told(verdict), nl=False)
        return
    if anchor is not None and anchor not in names:
        raise click.BadParameter(f"{anchor!r} does not take part", param_hint="--anchor")
    blocks = blocks or 500
    with _progress() as bar:
        task = bar.add_task("blocks")
        results = play(
            played,
            names,
            blocks,
            **settings,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    found = standings(results, anchor)
    command = ["duelgym", "tournament", game, *names, "--blocks", str(blocks), "--seed", str(seed)]
    command += ["--variant", variant] if variant else []
    for key, value in options.items():
        command += ["-o", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
    command += ["--trust"] if trust else []
    text = report(found, command)
    if out:
        write_atomically(Path(out) / "report.md", text.encode())
        if find_spec("matplotlib"):
            write_atomically(Path(out) / "payoffs.png", picture(found))
    _show(text)
    if out:
        click.echo("Saved:")
        for path in sorted(Path(out).iterdir()):
            click.echo(f"  {path}")


def _progress() -> Any:
    """A bar on stderr, if that is a terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _show(markdown: str) -> None:
    """Print Markdown as it is, or drawn on a terminal."""
    if not sys.stdout.isatty():
        click.echo(markdown, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(markdown))
