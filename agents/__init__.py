"""Everything that chooses moves, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path

from ..envs.core.errors import OptionError, suggest
from ..envs.core.game import Game
from .callable import is_strategy, load_strategy
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
# Equilibria. They take time to solve a game, so they play only when they are named.
_ORACLES = {
    "dragon_deck": {"oracle": ("dragon_deck.oracle", "OracleAgent")},
    "leduc_poker": {"oracle": ("leduc_poker.oracle", "OracleAgent")},
}

_registered: dict[str, tuple[Callable[[Game], Agent], tuple[str, ...]]] = {}


def register_agent(name: str, factory: Callable[[Game], Agent], games: Sequence[str] = ()) -> None:
    """Give an agent of one's own a name, for the rest of this Python process.

    Args:
        name: What ``make_agent`` and all that take names of agents then know it by.
        factory: Makes a new agent for a game.
        games: Names of the games that it plays; empty means all.

    Raises:
        OptionError: The name is that of an agent that comes with Duelgym.
    """
    if any(
        name in names for names in (_ANY_GAME, _SEARCHING, *_SCRIPTED.values(), *_ORACLES.values())
    ):
        raise OptionError(f"there is an agent {name!r} already; choose another name")
    _registered[name] = (factory, tuple(games))


def agent_names(game: Game) -> list[str]:
    """Names of the scripted agents that play ``game``, weakest idea first."""
    return [*_ANY_GAME, *_SCRIPTED.get(game.name, {})]


def search_names() -> list[str]:
    """Names of the agents that search; they play every game."""
    return [*_SEARCHING]


def make_agent(name: str, game: Game) -> Agent:
    """An agent for ``game`` by name, or from a run folder or a checkpoint file.

    The name of one that searches may be followed by its parameters, as in
    ``ismcts:iterations=500,rollout=greedy``. So may a run folder or checkpoint: a policy then guides a
    search (``runs/mine:worlds=16``, see ``search.guided``), and an agent that looks ahead solves more
    or less (``runs/mine:exact=8``, see ``dragon_deck.lookahead``). A Python function is written
    ``my_bot.py:strategy`` or ``module:function``, see ``callable``.

    Raises:
        OptionError: There is no such agent or parameter, or it cannot play this game.
    """
    if not isinstance(game, Game):
        raise OptionError(f"an agent is made for a game, such as make('dragon_deck'), not {game!r}")
    scripted = {**_ANY_GAME, **_SCRIPTED.get(game.name, {}), **_ORACLES.get(game.name, {})}
    registered = {
        own: factory
        for own, (factory, games) in _registered.items()
        if game.name in (games or [game.name])
    }
    if name in registered:
        found = registered[name](game)
    elif name in scripted:
        found = _class_of(*scripted[name])()
    elif (path := saved_path(name)) is not None:
        from .neural import load_agent
        from .parameters import split

        found = load_agent(path, **split(name.removeprefix(str(path))))
    elif is_strategy(name) and _kind(name) not in (*scripted, *_SEARCHING):
        found = load_strategy(name)
    else:
        found = _searching(name, game, [*scripted, *registered])
    found.check(game)
    return found


def saved_path(name: str) -> Path | None:
    """The run folder or checkpoint that an agent's name stands for, parameters aside, if it exists."""
    if Path(name).exists():
        return Path(name)
    path, _, parameters = name.rpartition(":")
    return Path(path) if path and "=" in parameters and Path(path).exists() else None


def _kind(name: str) -> str:
    """The name of an agent without its parameters."""
    return name.partition(":")[0]


def _class_of(module: str, cls: str) -> type[Agent]:
    return getattr(import_module(f".{module}", __name__), cls)


def _searching(name: str, game: Game, others: Iterable[str]) -> Agent:
    """The agent that searches with the parameters in its name."""
    kind = _kind(name)
    if kind in _SEARCHING:
        from .parameters import split

        return _class_of(*_SEARCHING[kind])(**split(name))
    if kind in others:
        raise OptionError(f"agent {kind!r} has no parameters, so there is no {name!r}")
    raise OptionError(
        f"no agent, run folder or checkpoint {name!r} for {game.label}; "
        f"{suggest(kind, [*others, *_SEARCHING])}"
    )
