"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from ..envs.core.game import Game


def key_values(
    context: click.Context, parameter: click.Parameter, pairs: Sequence[str]
) -> dict[str, Any]:
    """``key=value`` pairs, the values read as YAML: numbers, true, null, [lists], words."""
    import yaml

    found = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (key and equals):
            raise click.BadParameter(f"write KEY=VALUE, not {pair!r}", context, parameter)
        try:
            found[key] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise click.BadParameter(f"{value!r} is no value", context, parameter) from None
    return found


variant_option = click.option("--variant", help="A named variant; 'duelgym games' lists them.")
game_options = click.option(
    "--option",
    "-o",
    "options",
    multiple=True,
    callback=key_values,
    metavar="KEY=VALUE",
    help="An option of the game, such as values_per_type=4; may be repeated.",
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="The same seed gives the same results.",
)


def trained_on(agents: Sequence[str], game: Game) -> Game:
    """The variant of ``game`` that the first trained agent plays, or ``game`` itself."""
    from ..agents import agent_names, saved_path

    for agent in agents:
        path = saved_path(agent)
        if agent not in agent_names(game) and path is not None:
            from ..agents.neural import load_agent

            trained = load_agent(path).game
            return trained if trained.name == game.name else game
    return game
