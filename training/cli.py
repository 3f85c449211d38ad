"""The command line: ``duelgym``, or ``python -m duelgym``."""

from __future__ import annotations

import dataclasses
import inspect
import io
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ..envs.core.errors import DuelgymError, OptionError
from .command_options import game_options, key_values, seed_option, trained_on, variant_option
from .exploit_command import exploit
from .tournament_command import tournament

if TYPE_CHECKING:
    from ..envs.core.game import Game
    from ..envs.core.game_records import GameRecord
    from .config import ValueConfig
    from .evaluation import Evaluation

FAILURE, WRONG_USAGE, INTERRUPTED = 1, 2, 130


class OneLineErrors(click.Command):
    """A command where all that can go wrong ends in one line on stderr and a code."""

    def main(self, *args: Any, **settings: Any) -> NoReturn:  # type: ignore[override]
        """Run a command and exit with its code."""
        if isinstance(sys.stdout, io.TextIOWrapper):
            # A terminal that cannot show a star or a µ gets a question mark, not an error.
            sys.stdout.reconfigure(errors="replace")
        try:
            code = super().main(*args, **{**settings, "standalone_mode": False})
        except click.UsageError as error:
            command = error.ctx.command_path if error.ctx else "duelgym"
            code = fail(f"{error.format_message()} (see '{command} --help')", WRONG_USAGE)
        except click.Abort:
            code = fail("interrupted", INTERRUPTED)
        except DuelgymError as error:
            code = fail(str(error), WRONG_USAGE)
        except MemoryError as error:
            code = fail(f"not enough memory: {error}", FAILURE)
        except OSError as error:
            code = fail(f"{error.filename or 'output'}: {error.strerror or error}", FAILURE)
        sys.exit(code or 0)


class CommandLine(OneLineErrors, click.Group):
    """A group of such commands."""


def fail(message: str, code: int) -> int:
    """Print an error as one line on stderr; gives ``code``, to exit with."""
    click.echo(f"duelgym: error: {' '.join(message.split())}", err=True)
    return code


@click.group(
    cls=CommandLine,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Exit codes:
  0    all went well
  1    failure of the machine: disk full, folder not writable
  2    wrong usage or input: unknown game, agent or option, damaged checkpoint
  130  interrupted
""",
)
@click.version_option(package_name="duelgym")
@click.pass_context
def main(context: click.Context) -> None:
    """Card duels with hidden information: look at the games, train agents, evaluate them.

    \b
    A first tour:
      duelgym games
      duelgym rules dragon_deck
      duelgym playthrough dragon_deck --variant small
      duelgym evaluate dragon_deck greedy random --record games.jsonl
      duelgym replay games.jsonl
      duelgym train dragon_deck
      duelgym balance starter
      duelgym tournament dragon_deck
      duelgym exploit greedy --game dragon_deck --variant small
    """  # noqa: D301
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@main.command(short_help="List every game and variant.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def games(as_json: bool) -> None:
    """List every game and variant, with its sizes.

    The length is the mean number of decisions in 1,000 games of random play, measured now.
    """
    from ..agents import make_agent
    from ..envs import GAMES, game_class
    from .evaluation import evaluate

    rows = []
    for name in GAMES:
        for variant in game_class(name).variants:
            game = game_class(name)(variant)
            players = [make_agent("random", game) for _ in range(game.num_players)]
            rows.append(
                {
                    "game": name,
                    "title": game.title,
                    "version": game.version,
                    "variant": variant,
                    "options": dataclasses.asdict(game.options),
                    "players": game.num_players,
                    "actions": game.num_actions,
                    "observation_size": game.observation_size,
                    "state_bytes": game.record.itemsize,
                    "mean_length": round(evaluate(game, players, 1000).mean_length, 1),
                }
            )
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    shown = ("game", "variant", "players", "actions", "observation_size", "mean_length")
    headings = ("game", "variant", "players", "actions", "observation", "length")
    _print_table(headings, [[str(row[key]) for key in shown] for row in rows])
    click.echo("The first variant of a game is its default. 'duelgym rules GAME' explains it.")


main.add_command(tournament)


def _print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich import box
    from rich.table import Table

    from .evaluation import console

    table = Table(box=box.SIMPLE_HEAD)
    for column, heading in enumerate(headings):
        table.add_column(heading, justify="left" if column < 2 else "right")
    for row in rows:
        table.add_row(*row)
    console().print(table)


@main.command(short_help="Print the page of a game.")
@click.argument("game")
def rules(game: str) -> None:
    """Print the page of a game: rules, options, actions, observation."""
    from ..envs import game_class

    found = game_class(game)
    page = import_module(f"..envs.{found.name}_v{found.version}", __package__)
    text = inspect.cleandoc(page.__doc__ or "")
    if not sys.stdout.isatty():
        click.echo(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))


@main.command(short_help="Print one random game, move by move.")
@click.argument("game")
@variant_option
@game_options
@seed_option
def playthrough(game: str, variant: str | None, options: dict[str, Any], seed: int) -> None:
    """Print one random game, move by move: the table, what the mover sees, what it does."""
    from ..envs import make
    from ..envs.core import playthrough as writer

    click.echo(writer.playthrough(make(game, variant, **options), seed), nl=False)


@main.command(short_help="Play an agent against others.")
@click.argument("game")
@click.argument("agent")
@click.argument("opponents", metavar="[OPPONENT]...", nargs=-1)
@variant_option
@game_options
@click.option(
    "--games",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Games against each opponent; rounded up to whole blocks.",
)
@seed_option
@click.option("--json", "json_file", metavar="FILE", help="Also write JSON; '-' prints it instead.")
@click.option("--picture", metavar="FILE", help="Also draw the scores: .png, .svg, .pdf.")
@click.option("--record", metavar="FILE", help="Also write every game, for 'duelgym replay'.")
def evaluate(
    game: str,
    agent: str,
    opponents: tuple[str, ...],
    variant: str | None,
    options: dict[str, Any],
    games: int,
    seed: int,
    json_file: str | None,
    picture: str | None,
    record: str | None,
) -> None:
    """Play AGENT against each OPPONENT, or against every scripted agent of the game.

    An agent is the name of a scripted one (random, ...; a wrong name lists them), one that searches
    (flat_mc or ismcts, with parameters as in ismcts:iterations=500,rollout=random), a run folder of
    'duelgym train', or a checkpoint file. Parameters make a trained policy guide a search, as in
    runs/mine:worlds=16, and an agent that looks ahead solve more, as in runs/mine:exact=9. Without
    --variant and --option, the game has the options that the first trained agent was trained on.

    \b
      duelgym evaluate dragon_deck greedy random
      duelgym evaluate dragon_deck ismcts:iterations=300 greedy --games 200
      duelgym evaluate dragon_deck runs/mine --games 50000 --picture mine.png
      duelgym evaluate dragon_deck runs/mine runs/yours runs/old/checkpoints/000001000000.safetensors

    Games come in blocks with the same shuffles and exchanged seats (with more than two players
    AGENT goes round the seats and OPPONENT has all others). The score counts a win as 1 and a
    draw as its share, so equal players get 1 / players; its 95% interval takes blocks as
    independent, not games. Where it is quick to compute, the report also says how much an opponent
    gains who knows AGENT; 'duelgym exploit' has more.
    """  # noqa: D301
    from ..agents import agent_names, make_agent
    from ..envs import make
    from ..envs.core import game_records
    from ..envs.core.files import check_writable, write_atomically
    from .evaluation import check_picture_format, console, table, to_json
    from .evaluation import picture as draw
    from .exploit import cheap, summary

    played = make(game, variant, **options)
    if variant is None and not options:
        played = trained_on((agent, *opponents), played)
    if json_file not in (None, "-"):
        check_writable(Path(json_file))
    if picture is not None:
        check_writable(Path(picture))
        check_picture_format(Path(picture).suffix[1:])
    if record is not None:
        check_writable(Path(record))
    records: list[GameRecord] = []
    keep = records.append if record is not None else None
    results = _against_each(played, agent, opponents or agent_names(played), games, seed, keep)
    if record is not None:
        write_atomically(Path(record), game_records.dump(records))
    loss = cheap(played, make_agent(agent, played), name=agent)
    if picture is not None:
        write_atomically(Path(picture), draw(results, Path(picture).suffix[1:]))
    if json_file == "-":
        click.echo(to_json(results, loss), nl=False)
        return
    if json_file is not None:
        write_atomically(Path(json_file), to_json(results, loss).encode())
    console().print(table(results))
    if loss is not None:
        click.echo(f"{agent}. {summary(loss)}")


def _against_each(
    game: Game,
    agent: str,
    opponents: Sequence[str],
    games: int,
    seed: int,
    record: Callable[[GameRecord], None] | None = None,
) -> list[Evaluation]:
    """Evaluate ``agent`` against each of the opponents; ``record`` is given every game."""
    from ..agents import make_agent
    from .evaluation import evaluate as play

    first = make_agent(agent, game)
    others = [make_agent(opponent, game) for opponent in opponents]
    torch_threads = nullcontext()
    if "torch" in sys.modules:  # only if a neural agent plays
        from ..agents.neural import single_threaded_torch

        torch_threads = single_threaded_torch()
    with torch_threads:
        return [
            play(game, [first, other], games, seed, names=[agent, name], record=record)
            for name, other in zip(opponents, others, strict=True)
        ]


main.add_command(exploit)


@main.command(short_help="Check recorded games by playing them again.")
@click.argument("file")
@click.option(
    "--show",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="Print this game move by move; the first is 1.",
)
def replay(file: str, show: int | None) -> None:
    """Play the games of FILE again, check that each goes as recorded, and print a line for each.

    FILE is what 'duelgym evaluate --record FILE' and the game_record() of every environment write:
    one game a line, as JSON.

    \b
      duelgym evaluate dragon_deck matrix greedy --games 100 --record games.jsonl
      duelgym replay games.jsonl
      duelgym replay games.jsonl --show 3
    """  # noqa: D301
    from ..envs import make
    from ..envs.core import game_records
    from ..envs.core.playthrough import transcript

    found = game_records.read(Path(file))
    if show is not None and show > len(found.records):
        raise click.UsageError(f"{file} has {len(found.records)} games, so there is no game {show}")
    for number, record in enumerate(found.records, 1):
        try:
            game = make(record.game, **record.options)
            game_records.replay(record, game)
        except (DuelgymError, TypeError) as error:
            raise game_records.RecordError(f"{file}, line {number}: {error}") from None
        if show is None:
            click.echo(_summary(number, record, game))
    if found.torn:
        click.echo(f"{file}: the last line was cut short and is left out", err=True)
    if show is None:
        count = len(found.records)
        click.echo(f"{count:,} game{'s' * (count != 1)}, {'each ' * (count != 1)}as recorded")
        return
    record = found.records[show - 1]
    game = make(record.game, **record.options)
    moves = game_records.moves_of(record, game)
    click.echo(transcript(game, record.seed, lambda _, decision: moves[decision]), nl=False)


def _summary(number: int, record: GameRecord, game: Game) -> str:
    seats = ", ".join(
        f"{agent or f'player_{seat}'} {payoff:+g}"
        for seat, (agent, payoff) in enumerate(zip(record.agents, record.returns, strict=True))
    )
    end = ", cut off" if record.truncated else ""
    count = len(record.actions)
    return f"{number}: {game.label}, seed {record.seed}: {seats} after {count} decisions{end}"


@main.command(short_help="See whether a card set is balanced.")
@click.argument("card_set", default="starter")
@click.option("--decks", nargs=2, metavar="DECK DECK", help="These two; by default every pair.")
@click.option("--agent", "agents", multiple=True, help="Only this one; may be repeated.")
@game_options
@click.option(
    "--games",
    type=click.IntRange(min=1),
    default=20_000,
    show_default=True,
    help="Games of each pair of decks between players of each kind.",
)
@seed_option
@click.option("--json", "json_file", metavar="FILE", help="Also write JSON; '-' prints it instead.")
def balance(
    card_set: str,
    decks: tuple[str, str] | None,
    agents: tuple[str, ...],
    options: dict[str, Any],
    games: int,
    seed: int,
    json_file: str | None,
) -> None:
    """Measure whether the decks of CARD_SET are balanced: a set of Delights & Dragons.

    CARD_SET is a YAML file, or the name of a set that comes with Duelgym. Each scripted agent but
    the random one plays the decks against each other, in both seats.

    \b
      duelgym balance my_set.yaml
      duelgym balance my_set.yaml --decks mine yours --agent planner --games 50000

    Balanced are two decks if each wins 45% to 55% of the games, every card is played in at least
    10% of the games in which it was drawn, and nobody who starts with a certain card wins more
    than 20 percentage points above the average.
    """  # noqa: D301
    from ..envs.core.files import check_writable, write_atomically
    from .balance import measure, pairs, tables, to_json
    from .evaluation import console

    if {"card_set", "decks"} & set(options):
        raise click.UsageError("name the card set as CARD_SET, and its decks with --decks")
    if json_file not in (None, "-"):
        check_writable(Path(json_file))
    measured = [
        measure(card_set, pair, agents or None, games, seed, **options)
        for pair in ([decks] if decks else pairs(card_set))
    ]
    if json_file == "-":
        click.echo(to_json(measured), nl=False)
        return
    if json_file is not None:
        write_atomically(Path(json_file), to_json(measured).encode())
    for one in measured:
        console().print(*tables(one), sep="\n")
        for fault in one.faults:
            click.echo(f"Not balanced: {fault}")
        if not one.faults:
            click.echo(f"{' and '.join(one.decks)} are balanced.")


@main.command(short_help="Train an agent by self-play.")
@click.argument("game", required=False)
@variant_option
@game_options
@click.option("--config", metavar="FILE", help="Settings in YAML, instead of the game's own.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    callback=key_values,
    metavar="KEY=VALUE",
    help="Change one setting, such as entropy=0.1; may be repeated.",
)
@click.option("--seed", type=click.IntRange(min=0), help="Seed of the run.")
@click.option(
    "--decisions",
    type=click.IntRange(min=1),
    help="How long to train, in decisions; whole updates are made.",
)
@click.option("--out", metavar="FOLDER", help="Run folder; by default a new one in runs/.")
@click.option("--resume", metavar="FOLDER", help="Go on with an interrupted run instead.")
@click.option(
    "--games",
    type=click.IntRange(min=1),
    help="Games against each scripted agent, at the end: by default 20,000, or 2,000 of an agent that "
    "looks ahead.",
)
def train(
    game: str | None,
    variant: str | None,
    options: dict[str, Any],
    config: str | None,
    settings: dict[str, Any],
    seed: int | None,
    decisions: int | None,
    out: str | None,
    resume: str | None,
    games: int | None,
) -> None:
    """Train an agent by self-play and evaluate it against every scripted agent.

    \b
      duelgym train dragon_deck
      duelgym train dragon_deck --variant small --decisions 1000000 --out runs/small
      duelgym train --resume runs/small

    \b
    Methods:
      ppo          proximal policy optimisation with a magnet: plays by a network
      nash_values  networks learn the values of positions: plays by looking ahead. For dragon_deck,
                   and the default there for decks that are not small; --set method=ppo is the other
    """  # noqa: D301
    chosen = (game, variant, options, config, settings, seed, decisions, out)
    if resume is not None and any(value not in (None, {}) for value in chosen):
        raise click.UsageError("--resume goes on with the run's own settings; leave the others out")
    if resume is None and game is None:
        raise click.UsageError("name a GAME to train on, or a run to --resume")
    try:
        from . import nash_values, run_folder, selfplay
    except ModuleNotFoundError as error:
        raise OptionError(f"training needs {error.name}: pip install 'duelgym[train]'") from None
    from ..agents import agent_names
    from ..envs import make
    from ..envs.core.files import write_atomically
    from . import curves
    from .config import ValueConfig, load_config
    from .evaluation import console, picture, table, to_json

    if game is not None:
        changes = dict(settings)
        if seed is not None:
            changes["seed"] = seed
        if decisions is not None:
            changes["decisions"] = decisions
        if variant is not None or options:
            changes["options"] = dataclasses.asdict(make(game, variant, **options).options)
        run = load_config(game, Path(config) if config else None, **changes)
        folder = Path(out or f"runs/{run.game}-{time.strftime('%Y%m%d-%H%M%S')}")
    else:
        folder = Path(str(resume))
        run = run_folder.load_run_config(folder)
    trained = run.make_game()
    if isinstance(run, ValueConfig):
        click.echo(f"Nash value iteration on {trained.label}: {folder}")
        click.echo(f"  (if interrupted, go on with: duelgym train --resume {folder})")
        nash_values.train(run, folder, resume=game is None, report=_value_progress(run))
    else:
        click.echo(f"Self-play on {trained.label} for {run.decisions:,} decisions: {folder}")
        click.echo(f"  (if interrupted, go on with: duelgym train --resume {folder})")
        selfplay.train(run, folder, resume=game is None, report=_progress(run.decisions))
    metrics = run_folder.read_metrics(folder)
    write_atomically(folder / "learning_curve.png", curves.picture(metrics, trained.label))
    games = games or (2000 if isinstance(run, ValueConfig) else 20_000)
    click.echo(f"Evaluating over {games:,} games against each scripted agent")
    results = _against_each(trained, str(folder), agent_names(trained), games, run.seed)
    write_atomically(folder / "evaluation.json", to_json(results).encode())
    write_atomically(folder / "evaluation.png", picture(results))
    console().print(table(results))
    last = metrics[-1]
    if "entropy" in last:
        click.echo(f"Mean entropy of the policy at the end: {last['entropy']:.3f} nats")
    if "exploitability" in last:
        click.echo(f"Exploitability (NashConv / 2), exact: {last['exploitability']:.3f}")
    if "battle_loss" in last:
        click.echo(f"Mean exact loss in the battles of fixed deals: {last['battle_loss']:.3f}")
    if "responder_gain" in last:
        click.echo(f"A trained responder gains: {last['responder_gain']:.3f} (a lower bound)")
    click.echo("Saved:")
    for path in sorted(folder.iterdir()):
        click.echo(f"  {path}{os.sep if path.is_dir() else ''}")


def _value_progress(run: ValueConfig) -> Callable[[Mapping[str, float]], None]:
    """A report of Nash value iteration: a line whenever there are metrics."""
    total = run.updates * len(run.sizes)

    def report(metrics: Mapping[str, float]) -> None:
        if "cards" in metrics:
            click.echo(
                f"  {metrics['updates'] / total:4.0%}  hands of {metrics['cards']}  "
                f"{metrics['decisions']:>11,} positions  {metrics['updates']:>9,} updates  "
                f"off by {metrics['held_out_error']:.4f}"
            )

    return report


def _progress(total: int) -> Callable[[Mapping[str, float]], None]:
    """A report of training: a line after the first update, at every 5 %, and with every score."""
    from .exploit import LOGGED

    shown, before = -1, None

    def report(metrics: Mapping[str, float]) -> None:
        nonlocal shown, before
        done, now = metrics["decisions"], time.perf_counter()
        step = int(20 * done / total)
        scores = {
            key.removeprefix("score_"): value
            for key, value in metrics.items()
            if key.startswith("score_")
        }
        scores |= {name.replace("_", " "): metrics[name] for name in LOGGED if name in metrics}
        if step > shown or scores:
            rate = f"{(done - before[0]) / (now - before[1]):,.0f}" if before else "..."
            shown, before = step, (done, now)
            click.echo(
                f"  {min(1, done / total):4.0%}  {done:>13,} decisions  {rate:>8} a second  "
                f"entropy {metrics['entropy']:.3f}"
                + "".join(f"  {name} {score:.3f}" for name, score in scores.items())
            )

    return report
