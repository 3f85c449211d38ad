"""Everything that chooses moves, by name."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from ..envs.core.errors import OptionError, suggest
from ..envs.core.game import Game
from .protocol import Agent

# Module and class of each scripted agent; imported only when asked for.
_ANY_GAME = {"random": ("uniform", "RandomAgent")}
_SCRIPTED: dict[str, dict[str, tuple[str, str]]] = {
    "delights_and_dragons": {
        "racer": ("delights_and_dragons.racer", "RacerAgent"),
        "trader": ("delights_and_dragons.trader", "TraderAgent"),
        "planner": ("delights_and_dragons.planner", "PlannerAgent"),
    },
    "dragon_deck": {
        "greedy": ("dragon_deck.greedy", "GreedyAgent"),
        "matrix": ("dragon_deck.matrix", "MatrixAgent"),
    },
    "gem_duel": {
        "bold": ("gem_duel.bold", "BoldAgent"),
        "reasoner": ("gem_duel.reasoner", "ReasonerAgent"),
        "schemer": ("gem_duel.schemer", "SchemerAgent"),
    },
    "dragons_path": {
        "racer": ("dragons_path.racer", "RacerAgent"),
        "warden": ("dragons_path.warden", "WardenAgent"),
        "mage": ("dragons_path.mage", "MageAgent"),
    },
}
# They search any game, and have parameters.
_SEARCHING = {
    "flat_mc": ("search.flat_mc", "FlatMonteCarlo"),
    "ismcts": ("search.ismcts", "InformationSetMCTS"),
}


def agent_names(game: Game) -> list[str]:
    """Names of the scripted agents that play ``game``, weakest idea first."""
    return [*_ANY_GAME, *_SCRIPTED.get(game.name, {})]


def search_names() -> list[str]:
    """Names of the agents that search; they play every game."""
    return [*_SEARCHING]


def make_agent(name: str, game: Game) -> Agent:
    """An agent for ``game`` by name, or from a run folder or a checkpoint file.

    The name of one that searches may be followed by its parameters, as in
    ``ismcts:iterations=500,rollout=greedy``.

    Raises:
        OptionError: There is no such agent or parameter, or it cannot play this game.
    """
    if not isinstance(game, Game):
        raise OptionError(f"an agent is made for a game, such as make('dragon_deck'), not {game!r}")
    scripted = {**_ANY_GAME, **_SCRIPTED.get(game.name, {})}
    if name in scripted:
        found = _class_of(*scripted[name])()
    elif Path(name).exists():
        from .neural import load_agent

        found = load_agent(Path(name))
    else:
        found = _searching(name, game, scripted)
    found.check(game)
    return found


def _class_of(module: str, cls: str) -> type[Agent]:
    return getattr(import_module(f".{module}", __name__), cls)


def _searching(name: str, game: Game, scripted: Iterable[str]) -> Agent:
    """The agent that searches with the parameters in its name."""
    kind = name.partition(":")[0]
    if kind in _SEARCHING:
        from .search.parameters import split

        return _class_of(*_SEARCHING[kind])(**split(name))
    if kind in scripted:
        raise OptionError(f"agent {kind!r} has no parameters, so there is no {name!r}")
    raise OptionError(
        f"no agent, run folder or checkpoint {name!r} for {game.label}; "
        f"{suggest(kind, [*scripted, *_SEARCHING])}"
    )
