"""Everything that chooses moves, by name."""

from __future__ import annotations

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


def agent_names(game: Game) -> list[str]:
    """Names of the scripted agents that play ``game``, weakest idea first."""
    return [*_ANY_GAME, *_SCRIPTED.get(game.name, {})]


def make_agent(name: str, game: Game) -> Agent:
    """An agent for ``game`` by name, or from a run folder or a checkpoint file.

    Raises:
        OptionError: There is no such agent, or it cannot play this game.
    """
    if not isinstance(game, Game):
        raise OptionError(f"an agent is made for a game, such as make('dragon_deck'), not {game!r}")
    known = {**_ANY_GAME, **_SCRIPTED.get(game.name, {})}
    if name in known:
        module, cls = known[name]
        found: Agent = getattr(import_module(f".{module}", __name__), cls)()
    elif Path(name).exists():
        from .neural import load_agent

        found = load_agent(Path(name))
    else:
        raise OptionError(
            f"no agent, run folder or checkpoint {name!r} for {game.label}; {suggest(name, known)}"
        )
    found.check(game)
    return found
