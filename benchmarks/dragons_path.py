"""How matches of Dragon's Path end, and what it is worth to begin.

Each agent plays against itself. In the advanced game the loser of a match begins the next one, so
only the first match of each game counts for the first player's advantage.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click
import numpy as np
import reporting
from duelgym.agents import agent_names, make_agent
from duelgym.agents.protocol import Agent
from duelgym.envs import make
from duelgym.envs.core import Game, OptionError
from duelgym.envs.dragons_path import rules
from duelgym.training.evaluation import estimate

ENDINGS = {
    "four_alike": rules.FOUR_ALIKE,
    "five_different": rules.FIVE_DIFFERENT,
    "empty_deck": rules.DECK_OUT,
}


def matches(game: Game, agent: Agent, seed: int) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """One game of an agent against itself: winner, ending and number of turns of each match."""
    agent.start(game, seed)
    state = game.start(seed)
    turns = {}
    while not state.is_over:
        turns[int(state.record.match)] = int(state.record.turn_number)
        seen = {"observation": state.observation(), "action_mask": state.legal_mask()}
        state.apply(agent.act(seen))
    played = len(turns)
    return state.record.match_winner[:played], state.record.match_ending[:played], [*turns.values()]


def measure(variant: str, name: str, games: int, seed: int) -> dict[str, Any]:
    """Shares over the matches of so many games."""
    game = make("dragons_path", variant)
    agent = make_agent(name, game)
    found = [matches(game, agent, seed + index) for index in range(games)]
    endings = np.concatenate([ending for _, ending, _ in found])
    first = np.array([winner[0] == 0 for winner, _, _ in found], np.float64)
    won = estimate(first, 0, 1)
    return {
        "variant": variant,
        "agent": name,
        "matches": len(endings),
        **{label: float((endings == ending).mean()) for label, ending in ENDINGS.items()},
        "turns": float(np.concatenate([turns for _, _, turns in found]).mean()),
        "first_wins": won.mean,
        "low": won.low,
        "high": won.high,
    }


def show(rows: Sequence[dict[str, Any]]) -> None:
    """The result as a table."""
    written = [
        {
            "variant": row["variant"],
            "agent": row["agent"],
            "matches": f"{row['matches']:,}",
            **{label: f"{row[label]:.1%}" for label in ENDINGS},
            "turns": f"{row['turns']:.1f}",
            "first_player_wins": f"{row['first_wins']:.3f} [{row['low']:.3f}, {row['high']:.3f}]",
        }
        for row in rows
    ]
    numbers = ("matches", *ENDINGS, "turns", "first_player_wins")
    title = "How matches end; first matches won by who began, with 95 % intervals"
    reporting.console().print(reporting.table(title, written, ("variant", "agent"), numbers))


@click.command(help=__doc__)
@click.option("--games", default=2000, show_default=True, help="Games of each agent.")
@click.option("--seed", default=0, show_default=True, help="Seed of the first game.")
@click.option(
    "--agent", "agents", multiple=True, help="Or a run folder; all scripted ones if not given."
)
@click.option("--variant", "variants", multiple=True, help="Both if not given.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(
    games: int, seed: int, agents: tuple[str, ...], variants: tuple[str, ...], as_json: bool
) -> None:
    try:
        rows = [
            measure(variant, name, games, seed)
            for variant in variants or ("basic", "advanced")
            for name in agents or agent_names(make("dragons_path", variant))
        ]
    except OptionError as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    else:
        show(rows)


if __name__ == "__main__":
    main()
