"""Evaluation: agents against each other over mirrored games, with honest intervals.

A *block* is one set of games that meet the same chance, every agent taking every seat once: with
two players a mirrored pair with the seats exchanged. Games of a block are not independent, blocks
are, so blocks are the sampling units of every interval.
"""

from __future__ import annotations

import copy
import io
import json
import math
import textwrap
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from ..agents.protocol import Agent
from ..envs.core.errors import OptionError
from ..envs.core.game import Facts, Game
from ..envs.core.game_records import GameRecord, VectorRecorder
from ..envs.core.randomness import row_seeds
from ..envs.core.state import fresh_seed

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from .exploit import Exploit


@dataclass(frozen=True)
class Estimate:
    """A mean over blocks with its confidence interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Tally:
    """How one agent did, in one seat or in all of them.

    Attributes:
        games: Games it played there. An agent in several seats of a game counts once for each.
        wins: Games in which no other seat had as high a return.
        draws: Games in which it shared the highest return.
        losses: The others.
        score: Mean share of the win, from 0 to 1: 1 for a win, 0 for a loss, and for a draw 1
            divided by the number of seats that share it. Equals are expected to get 1 divided by
            the number of seats. In zero-sum games of two players it goes by the sign of the return.
        mean_return: Mean payoff, in the game's own units.
    """

    games: int
    wins: int
    draws: int
    losses: int
    score: Estimate
    mean_return: Estimate


@dataclass(frozen=True)
class Standing:
    """The results of one agent.

    Attributes:
        agent: Its name.
        overall: Over all seats.
        seats: In each seat.
        decisions: How often it had to choose.
        microseconds_per_decision: Time it took, in batches; the only thing here that the seed
            does not settle, so it does not count when evaluations are compared.
    """

    agent: str
    overall: Tally
    seats: tuple[Tally, ...]
    decisions: int
    microseconds_per_decision: float = field(compare=False)


@dataclass(frozen=True)
class Evaluation:
    """The outcome of ``evaluate``.

    Attributes:
        game: Label of the game, with its options.
        seed: Seed of everything random in it.
        games: Games played.
        games_per_block: Games that share their chance, one for every way to go round the seats.
        confidence: Of every interval, such as 0.95.
        mean_length: Mean number of decisions in a game.
        longest: Most decisions in a game.
        truncations: Games cut off by a limit that is no rule; their returns count as they are.
        illegal_moves: Always 0, because an illegal move is an error that ends the evaluation.
        standings: The results of every agent.
    """

    game: str
    seed: int
    games: int
    games_per_block: int
    confidence: float
    mean_length: float
    longest: int
    truncations: int
    illegal_moves: int
    standings: tuple[Standing, ...]


def evaluate(
    game: Game,
    agents: Sequence[Agent],
    games: int = 10_000,
    seed: int = 0,
    *,
    names: Sequence[str] | None = None,
    confidence: float = 0.95,
    batch_size: int = 4096,
    num_threads: int | None = None,
    record: Callable[[GameRecord], None] | None = None,
) -> Evaluation:
    """Play agents against each other, in mirrored games.

    Two agents meet in one seat against all others, the seats going round: with two players both
    games of a pair have the same chance and exchanged seats. As many agents as there are seats
    all sit at one table. The chance of a block and the randomness of an agent in a game depend
    only on ``seed`` and their number, so the results do not depend on ``batch_size`` or
    ``num_threads``, as far as the agents' own arithmetic does not. One game is played in each
    row of a batch and every game counts, so there is no bias towards short ones.

    Args:
        game: What to play.
        agents: Two, or one for each seat.
        games: How many at least; rounded up to whole blocks.
        seed: Settles all results.
        names: What to call the agents; None takes their own names.
        confidence: Probability that an interval covers what it estimates.
        batch_size: Games played at once, at most; bounds the memory.
        num_threads: Threads for the rules in large batches; None takes one a core.
        record: Is given the record of every game, in the order of their numbers.

    Raises:
        OptionError: A wrong number of agents or games, or an agent that cannot play the game.
        IllegalActionError: An agent made an illegal move.
    """
    seats = game.num_players
    if len(agents) not in (2, seats):
        raise OptionError(
            f"{game.label} is evaluated with 2 agents or one for each of its {seats} seats, "
            f"not {len(agents)}"
        )
    if games < 1:
        raise OptionError(f"an evaluation takes at least 1 game, not {games}")
    # Which agent plays position p; in game r of a block position p has seat (p + r) % seats.
    lineup = np.minimum(np.arange(seats), len(agents) - 1)
    # Agents that sit at one table twice must not share what they remember.
    players = [copy.copy(agents[index]) for index in lineup.tolist()]
    blocks = -(-games // seats)
    chance, seeds = block_seeds(fresh_seed(seed), seats, blocks)
    chunk = max(1, batch_size // seats) * seats
    # A first block is played and thrown away, so that no compilation is in the times.
    play_blocks(game, players, chance[:seats], seeds[:, :seats], num_threads)
    own_names = list(names) if names else [agent.name for agent in agents]
    called: list[str] = [own_names[at] for at in map(int, lineup)]
    parts = []
    for at in range(0, blocks * seats, chunk):
        part = slice(at, at + chunk)
        told = called if record else None
        parts.append(play_blocks(game, players, chance[part], seeds[:, part], num_threads, told))
        if record:
            for _, each in sorted(parts[-1].records.items()):
                record(each)
            parts[-1].records.clear()
    lengths = np.concatenate([part.lengths for part in parts])
    returns = np.concatenate([part.returns for part in parts]).reshape(blocks, seats, seats)
    decisions = np.sum([part.decisions for part in parts], axis=0)
    nanoseconds = np.sum([part.nanoseconds for part in parts], axis=0)
    shares = shares_of_win(returns)
    rotation, seat = np.ogrid[:seats, :seats]
    agent_at = lineup[(seat - rotation) % seats]
    facts = game.facts

    def tally_of(where: np.ndarray) -> Tally:
        """Results of the games and seats ``where`` bool ``[game of the block, seat]``."""
        return tally(shares[:, where], returns[:, where], facts, confidence)

    def standing(index: int) -> Standing:
        count = int(decisions[lineup == index].sum())
        return Standing(
            agent=own_names[index],
            overall=tally_of(agent_at == index),
            seats=tuple(tally_of((agent_at == index) & (seat == own)) for own in range(seats)),
            decisions=count,
            microseconds_per_decision=nanoseconds[lineup == index].sum() / max(count, 1) / 1000,
        )

    return Evaluation(
        game=game.label,
        seed=seed,
        games=blocks * seats,
        games_per_block=seats,
        confidence=confidence,
        mean_length=float(lengths.mean()),
        longest=int(lengths.max()),
        truncations=int(sum(part.truncated.sum() for part in parts)),
        illegal_moves=0,
        standings=tuple(standing(index) for index in range(len(agents))),
    )


def block_seeds(seed: int, seats: int, blocks: int) -> tuple[np.ndarray, np.ndarray]:
    """Seeds of the games of blocks, each of which depends on ``seed`` and its number alone.

    Returns:
        Those of the chance, uint64 ``[blocks * seats]``, equal in all games of a block, and those
        of the players, uint64 ``[positions, blocks * seats]``.
    """
    streams = row_seeds(np.uint64(seed), 1 + seats)
    chance = np.repeat(row_seeds(streams[0], blocks), seats)
    return chance, np.stack([row_seeds(stream, blocks * seats) for stream in streams[1:]])


def shares_of_win(returns: np.ndarray) -> np.ndarray:
    """The share of each seat in the win, by its return ``[..., seats]``; see ``Tally.score``."""
    best = returns == returns.max(axis=-1, keepdims=True)
    return best / best.sum(axis=-1, keepdims=True)


def tally(shares: np.ndarray, returns: np.ndarray, facts: Facts, confidence: float = 0.95) -> Tally:
    """Results from shares of wins and returns ``[blocks, seats and games of a block]``."""
    return Tally(
        games=shares.size,
        wins=int((shares == 1).sum()),
        draws=int(((shares > 0) & (shares < 1)).sum()),
        losses=int((shares == 0).sum()),
        score=estimate(shares.mean(axis=1), 0, 1, confidence),
        mean_return=estimate(returns.mean(axis=1), facts.min_return, facts.max_return, confidence),
    )


@dataclass
class Games:
    """Finished games, and what the players at each position of the lineup spent on them."""

    returns: np.ndarray  # float64 [games, seats]
    lengths: np.ndarray  # int64 [games]
    truncated: np.ndarray  # bool [games]
    decisions: np.ndarray  # int64 [positions]
    nanoseconds: np.ndarray  # int64 [positions]
    records: dict[int, GameRecord]  # of each game, if they are asked for


def play_blocks(
    game: Game,
    players: Sequence[Agent],
    chance: np.ndarray,
    seeds: np.ndarray,
    num_threads: int | None,
    names: Sequence[str] | None = None,
) -> Games:
    """Play one game from each seed in ``chance`` uint64 ``[games]``, whole blocks of them.

    ``seeds`` uint64 ``[positions, games]`` are those of the players. In game r of a block position p
    of ``players`` has seat (p + r) % seats. Games are recorded if the players are given ``names``.
    """
    count, seats = len(chance), game.num_players
    env = game.vector(count, num_threads)
    env.reset_rows(chance)
    for player, own_seeds in zip(players, seeds, strict=True):
        player.begin(game, own_seeds)
    done = Games(
        np.zeros((count, seats)),
        np.zeros(count, np.int64),
        np.zeros(count, np.bool_),
        np.zeros(seats, np.int64),
        np.zeros(seats, np.int64),
        {},
    )
    rotation = np.arange(count) % seats
    recorder = None
    if names:
        turns = ((np.arange(seats) - rotation[:, None]) % seats).tolist()
        rows = [[str(names[position]) for position in row] for row in turns]
        recorder = VectorRecorder(env, rows)
    running = np.ones(count, np.bool_)
    while running.any():
        # Rows whose game has ended go on with any legal move; nobody looks at them again.
        actions = env.masks.argmax(axis=1)
        position = (env.players - rotation) % seats
        for index, player in enumerate(players):
            rows = np.flatnonzero(running & (position == index))
            if len(rows):
                begin = time.perf_counter_ns()
                player.decide(env, rows, actions)
                done.nanoseconds[index] += time.perf_counter_ns() - begin
                done.decisions[index] += len(rows)
        if recorder:
            done.records.update(recorder.step(actions, running))
        else:
            env.step(actions)
        ended = running & (env.terminated | env.truncated)
        done.returns[ended] = env.rewards[ended]
        done.lengths[ended] = env.lengths[ended]
        done.truncated[ended] = env.truncated[ended]
        running &= ~ended
    return done


def estimate(values: np.ndarray, low: float, high: float, confidence: float = 0.95) -> Estimate:
    """The mean of independent ``values`` between ``low`` and ``high``, with its interval.

    The interval is that of Agresti and Coull ("Approximate is better than exact for interval
    estimation of binomial proportions", 1998), which is normal after adding z**2 / 2 values at
    each end of the range; here with the variance of values that may lie between the ends. So it
    is honest with few values, and when all are equal.
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    extra, ends = z * z / 2, np.array([low, high])
    total = len(values) + 2 * extra
    centre = (values.sum() + extra * ends.sum()) / total
    variance = (((values - centre) ** 2).sum() + extra * ((ends - centre) ** 2).sum()) / total
    half = z * math.sqrt(variance / total)
    return Estimate(
        float(values.mean()), float(max(low, centre - half)), float(min(high, centre + half))
    )


def to_json(evaluations: Sequence[Evaluation], loss: Exploit | None = None) -> str:
    """Evaluations as JSON, with the version of Duelgym that made them, and the first agent's loss."""
    data = {"duelgym": version("duelgym"), "evaluations": [asdict(one) for one in evaluations]}
    if loss is not None:
        data["exploit"] = asdict(loss)
        del data["exploit"]["seconds"]
    return json.dumps(data, indent=2) + "\n"


def _lines(evaluation: Evaluation) -> list[tuple[str, Tally]]:
    """What tables and pictures show, with labels: the first agent of two, or all of more."""
    first, *others = evaluation.standings
    shown = [(f"against {others[0].agent}", first)]
    if len(others) > 1:
        shown = [(standing.agent, standing) for standing in evaluation.standings]
    lines = []
    for label, standing in shown:
        lines.append((label, standing.overall))
        lines += [(f"  as player_{seat}", tally) for seat, tally in enumerate(standing.seats)]
    return lines


def _title(evaluations: Sequence[Evaluation]) -> str:
    one = evaluations[0]
    who = f"{one.standings[0].agent} on " if len(one.standings) == 2 else ""
    return f"{who}{one.game}, {one.games:,} games, seed {one.seed}"


def console() -> Console:
    """Standard output for tables that show names as they are: in a path, ``:b:`` is no picture."""
    from rich.console import Console

    return Console(markup=False, emoji=False)


def table(evaluations: Sequence[Evaluation]) -> Table:
    """A table for the terminal of evaluations of one agent, on one game, against others."""
    from rich import box
    from rich.table import Table

    interval = f"{evaluations[0].confidence:.0%} interval"
    shown = Table(title=_title(evaluations), box=box.SIMPLE_HEAD, title_justify="left")
    shown.add_column("", no_wrap=True)
    for heading in ("won/drawn/lost", f"score, {interval}", "return"):
        shown.add_column(heading, justify="right", no_wrap=True)
    notes = []
    for evaluation in evaluations:
        for label, tally in _lines(evaluation):
            score, payoff = tally.score, tally.mean_return
            shown.add_row(
                label,
                f"{tally.wins}/{tally.draws}/{tally.losses}",
                f"{score.mean:.3f} [{score.low:.3f}, {score.high:.3f}]",
                f"{payoff.mean:+.3f} ± {(payoff.high - payoff.low) / 2:.3f}",
            )
        times = ", ".join(
            f"{standing.agent} {standing.microseconds_per_decision:.2f} µs"
            for standing in evaluation.standings
        )
        truncated = f", {evaluation.truncations} cut off" if evaluation.truncations else ""
        notes.append(
            f"{evaluation.mean_length:.1f} decisions a game{truncated}; a decision took {times}"
        )
    shown.caption, shown.caption_justify = "\n".join(notes), "left"
    return shown


def check_picture_format(file_format: str) -> None:
    """Refuse what ``picture`` cannot do.

    Raises:
        OptionError: Matplotlib is not installed, or does not write this format.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise OptionError("pictures need Matplotlib: pip install 'duelgym[pictures]'") from None
    known = Figure().canvas.get_supported_filetypes()
    if file_format not in known:
        raise OptionError(
            f"a picture cannot be a {file_format!r} file; there is: {', '.join(sorted(known))}"
        )


def picture(evaluations: Sequence[Evaluation], file_format: str = "png") -> bytes:
    """The scores of ``table`` drawn with their intervals, as an image file.

    Args:
        evaluations: Of one agent, on one game.
        file_format: ``png``, ``svg``, ``pdf`` or another that Matplotlib writes.

    Raises:
        OptionError: See ``check_picture_format``.
    """
    check_picture_format(file_format)
    from matplotlib.figure import Figure

    lines = [line for evaluation in evaluations for line in _lines(evaluation)]
    figure = Figure(figsize=(7, 1.2 + 0.3 * len(lines)), layout="constrained")
    axes = figure.subplots()
    places = np.arange(len(lines))[::-1]
    scores = [tally.score for _, tally in lines]
    for place, score, (label, _) in zip(places, scores, lines, strict=True):
        colour = "0.55" if label.startswith(" ") else "C0"
        axes.plot([score.low, score.high], [place, place], color=colour, linewidth=2)
        axes.plot(score.mean, place, "o", color=colour)
    axes.axvline(1 / evaluations[0].games_per_block, color="0.8", linestyle="--", zorder=0)
    axes.set_yticks(places, [label for label, _ in lines])
    axes.set_xlim(0, 1)
    axes.set_xlabel(f"score, with {evaluations[0].confidence:.0%} interval")
    axes.set_title(textwrap.fill(_title(evaluations), 70), loc="left", fontsize="medium")
    image = io.BytesIO()
    figure.savefig(image, format=file_format, dpi=150)
    return image.getvalue()
