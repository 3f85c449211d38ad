"""The report of a tournament: Markdown for people, and the payoff matrix as a picture."""

from __future__ import annotations

import hashlib
import io
import json
import shlex
from collections.abc import Sequence
from typing import Any

import numpy as np

from .evaluation import Estimate, check_picture_format
from .standings import Standings
from .tournament import Verdict

SHOWN_FORFEITS = 10


def report(found: Standings, command: Sequence[str] = ()) -> str:
    """The report as Markdown.

    Args:
        found: The tournament.
        command: The command line that reproduces it, if there is one.
    """
    parts = [
        f"# Tournament on {found.results.header['label']}\n",
        _conditions(found, command),
        "## Ratings\n",
        _ratings(found),
        "## Payoffs\n",
        _payoffs(found),
        "## Seats\n",
        _seats(found),
        "## Mean margins\n",
        _margins(found),
        "## Games and moves\n",
        _games(found),
        "## Agents\n",
        _agents(found.results.header),
    ]
    return "\n".join(parts)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _conditions(found: Standings, command: Sequence[str]) -> str:
    header, game = found.results.header, found.results.game
    seats, blocks = game.num_players, header["blocks"]
    unit = "mirrored pairs" if seats == 2 else f"blocks of {seats} games with rotated seats"
    rows = [
        ["game", f"`{game.name}_v{game.version}`"],
        ["variant", next((name for name in game.variants if type(game)(name) == game), "none of them")],
        ["options", ", ".join(_option(*item) for item in header["options"].items()) or "none"],
        ["players", f"{seats}"],
        ["games", f"{len(header['tables']) * blocks * seats:,}: {blocks:,} {unit} at each of "
         f"{len(header['tables'])} tables"],
        ["seeds", f"blocks 0 to {blocks - 1:,} of seed {header['seed']}"],
        ["Duelgym", header["duelgym"]],
        ["intervals", f"{found.confidence:.0%}, with blocks as samples, not games"],
    ]  # fmt: skip
    if command:
        rows.append(["command", f"`{shlex.join(command)}`"])
    return _table(["", ""], rows)


def _option(name: str, value: Any) -> str:
    """An option, or a digest of one that is too long to read."""
    text = json.dumps(value)
    if len(text) > 60:
        text = f"sha256 {hashlib.sha256(text.encode()).hexdigest()[:12]}"
    return f"{name}: {text}"


def _ratings(found: Standings) -> str:
    order = sorted(found.standings, key=lambda one: -one.rating.mean)
    rows = [
        [
            one.agent,
            _interval(one.rating, "{:+.0f}"),
            _interval(one.nash, "{:.2f}"),
            _interval(one.overall.score, "{:.3f}"),
            f"{one.overall.wins}/{one.overall.draws}/{one.overall.losses}",
        ]
        for one in order
    ]
    two = found.results.game.num_players == 2
    model = "Bradley and Terry's" if two else "Plackett and Luce's"
    told = (
        f"Ratings are {model} model fitted to all games at once, on Elo's scale, with "
        f"`{found.anchor}` at 0. The Nash average is the share of each agent in the mix that no "
        "agent beats; it does not change with who else is beaten how clearly. Scores are over "
        "all opponents; a draw is half a win"
        if two
        else f"Ratings are {model} model fitted to all games at once, on Elo's scale, with "
        f"`{found.anchor}` at 0. The Nash average is that of duels, where an agent is alone among "
        f"others of one kind; scores are over all duels, and equals have "
        f"{1 / found.results.game.num_players:.3f}"
    )
    lines = [
        _table(["agent", "Elo", "Nash average", "score", "won/drawn/lost"], rows),
        f"{told}.\n",
    ]
    if found.cycles:
        lines.append(
            "Cycles, which no rating can show: each of these beats the next beyond doubt.\n"
        )
        lines.append("".join(f"- {' > '.join([*one, one[0]])}\n" for one in found.cycles))
    else:
        lines.append("No cycles of agents that beat each other beyond doubt.\n")
    return "\n".join(lines)


def _payoffs(found: Standings) -> str:
    names = found.results.names
    rows = [
        [name, *("" if one is None else _interval(one, "{:.3f}") for one in line)]
        for name, line in zip(names, found.scores, strict=True)
    ]
    return "\n".join(
        ["The score of the agent on the left against the one on top.\n", _table(["", *names], rows)]
    )


def _seats(found: Standings) -> str:
    seats = found.results.game.num_players
    rows = [
        [
            one.agent,
            *(
                f"{tally.wins}/{tally.draws}/{tally.losses}, {_interval(tally.score, '{:.3f}')}"
                for tally in one.seats
            ),
        ]
        for one in found.standings
    ]
    headings = ["won/drawn/lost, score", *(f"as player_{seat}" for seat in range(seats))]
    return _table(headings, rows)


def _margins(found: Standings) -> str:
    from ..agents import agent_names

    names = found.results.names
    scripted = [name for name in agent_names(found.results.game) if name in names]
    columns = [names.index(name) for name in scripted or names]
    rows = []
    for name, line in zip(names, found.margins, strict=True):
        cells = (line[column] for column in columns)
        rows.append([name, *("" if one is None else _interval(one, "{:+.3f}") for one in cells)])
    who = "each scripted agent" if scripted else "each agent, as no scripted one takes part"
    return "\n".join(
        [
            f"The mean return of the agent on the left against {who}.\n",
            _table(["", *(names[column] for column in columns)], rows),
        ]
    )


def _games(found: Standings) -> str:
    least, mean, most = found.lengths
    told = f"A game took {mean:.1f} decisions, {least} to {most}; {found.truncations} were cut off."
    rows = []
    for one in found.standings:
        illegal = one.forfeits.get("illegal move", 0)
        others = sum(one.forfeits.values()) - illegal
        rows.append(
            [
                one.agent,
                f"{one.decisions:,}",
                f"{one.microseconds_per_decision:,.2f}",
                f"{illegal}",
                f"{others}",
            ]
        )
    lines = [
        f"{told}\n",
        _table(["agent", "decisions", "µs each", "illegal moves", "other forfeits"], rows),
    ]
    if found.forfeits:
        lines.append(f"{len(found.forfeits)} games were forfeited:\n")
        shown = found.forfeits[:SHOWN_FORFEITS]
        lines.append("".join(f"- {name}: {one.kind}: {one.reason}\n" for name, one in shown))
        if len(found.forfeits) > len(shown):
            lines.append(f"and {len(found.forfeits) - len(shown)} more.\n")
    return "\n".join(lines)


def _agents(header: dict[str, Any]) -> str:
    rows = []
    for name, facts in header["agents"].items():
        trained = facts.get("trained")
        rows.append(
            [
                name,
                f"{facts['kind']} {_words(facts.get('parameters', {}))}".strip(),
                _budget(trained) if trained else "none",
                facts.get("sha256", "")[:12] or facts.get("code", "").rpartition("_")[2],
            ]
        )
    return _table(["agent", "parameters", "training", "digest of weights or code"], rows)


def _budget(trained: dict[str, Any]) -> str:
    told = f"{trained['decisions']:,} decisions, seed {trained['seed']}"
    return told + (f", {trained['seconds']:,} s" if "seconds" in trained else "")


def _words(parameters: dict[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in parameters.items())


def _interval(one: Estimate, form: str) -> str:
    return f"{form.format(one.mean)} [{form.format(one.low)}, {form.format(one.high)}]"


def told(verdict: Verdict) -> str:
    """The answer of a sequential test, in words. It names no score, which would be biased."""
    first, second, *_ = verdict.header["agents"]
    test, seats = verdict.test, verdict.test.seats
    answer = {
        True: f"Yes: {first} is stronger than {second}.",
        False: f"No: {first} is not stronger than {second} by {test.margin:g} Elo.",
        None: f"Not known: {verdict.blocks:,} blocks did not suffice.",
    }[verdict.stronger]
    unit = "mirrored pairs" if seats == 2 else f"blocks of {seats} games with rotated seats"
    outcomes = ", ".join(f"{count} x {score:.3g}" for score, count in verdict.outcomes.items())
    lines = [
        answer,
        f"  game      {verdict.header['label']}",
        f"  played    {verdict.blocks:,} {unit} ({verdict.games:,} games) of seed "
        f"{verdict.header['seed']}",
        f"  outcomes  {outcomes}",
        f"  test      generalised SPRT of 0 against {test.margin:g} Elo (logistic), "
        f"error {test.error:g} either way",
        f"  ratio     {verdict.ratio:+.2f} (logarithm), bounds ±{test.bound:.2f}",
    ]
    lines += [f"Forfeit of {name}: {one.kind}: {one.reason}" for name, one in verdict.forfeits]
    return "\n".join(lines) + "\n"


def picture(found: Standings, file_format: str = "png") -> bytes:
    """The payoff matrix with its intervals, as an image file.

    Args:
        found: The tournament.
        file_format: ``png``, ``svg``, ``pdf`` or another that Matplotlib writes.

    Raises:
        OptionError: See ``check_picture_format``.
    """
    check_picture_format(file_format)
    from matplotlib.colors import TwoSlopeNorm
    from matplotlib.figure import Figure

    order = sorted(
        range(len(found.standings)), key=lambda index: -found.standings[index].rating.mean
    )
    names = [found.results.names[index] for index in order]
    equal = 1 / found.results.game.num_players
    size = 2.2 + 1.05 * len(names)
    figure = Figure(figsize=(size + 1, size), layout="constrained")
    axes = figure.subplots()
    means = np.full((len(names), len(names)), np.nan)
    for row, i in enumerate(order):
        for column, j in enumerate(order):
            score = found.scores[i][j]
            if score is not None:
                means[row, column] = score.mean
                text = f"{score.mean:.3f}\n{score.low:.3f}\nto {score.high:.3f}"
                axes.text(column, row, text, ha="center", va="center", fontsize=7)
    # Colours are centred on what equals have: blue wins, red loses.
    shown = axes.imshow(means, cmap="RdBu", norm=TwoSlopeNorm(equal, 0, 1), alpha=0.7)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("against")
    axes.set_title(f"{found.results.header['label']}: scores, {found.confidence:.0%} intervals",
                   loc="left", fontsize="medium", wrap=True)  # fmt: skip
    figure.colorbar(shown, ax=axes, label="score", shrink=0.8)
    image = io.BytesIO()
    figure.savefig(image, format=file_format, dpi=150)
    return image.getvalue()
