"""Who takes part in a tournament: agents by name, with all that a result has to say of them."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..agents import make_agent, saved_path
from ..agents.callable import StrategyAgent, WatchedAgent
from ..agents.compiled import CompiledAgent
from ..agents.protocol import Agent
from ..agents.search.agent import PositionAgent, SearchAgent
from ..envs.core.errors import OptionError
from ..envs.core.fingerprint import fingerprint
from ..envs.core.game import Game


@dataclass(frozen=True)
class Entrant:
    """An agent in a tournament.

    Attributes:
        name: What the results call it.
        agent: The agent, not yet playing.
        facts: What it is, as plain data: parameters, training, and digests of code and weights.
    """

    name: str
    agent: Agent
    facts: dict[str, Any]


def make_entrants(
    game: Game,
    agents: Sequence[str | Agent],
    trust: bool = False,
    time_limit: float | None = None,
) -> list[Entrant]:
    """The agents of a tournament, by name or as they are.

    Args:
        game: What they are to play.
        agents: Names as for ``make_agent``, files that Stable-Baselines3 saved, or agents.
        trust: Whether such files may be loaded, which runs code that is in them.
        time_limit: Seconds that a Python function has for a decision; None is for ever.

    Raises:
        OptionError: There is no such agent, it cannot play the game, or two have the same name.
    """
    entrants = []
    for one in agents:
        agent = one if isinstance(one, Agent) else _make(one, game, trust)
        agent.check(game)
        name = one if isinstance(one, str) else agent.name
        facts = _facts(name, agent, game)
        if time_limit is not None and isinstance(agent, StrategyAgent):
            agent = WatchedAgent(agent, time_limit)
            facts["time_limit"] = time_limit
        entrants.append(Entrant(name, agent, facts))
    names = [entrant.name for entrant in entrants]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(f"{name!r} is entered twice; every agent takes part once")
    return entrants


def _make(name: str, game: Game, trust: bool) -> Agent:
    if not (name.endswith(".zip") and Path(name).is_file()):
        return make_agent(name, game)
    if not trust:
        raise OptionError(
            f"{name} is a file of Stable-Baselines3, which can run any code when it is loaded; "
            "--trust loads it all the same"
        )
    from ..agents.sb3 import load_sb3

    return load_sb3(Path(name), game, trust=True)


def _facts(name: str, agent: Agent, game: Game) -> dict[str, Any]:
    """What identifies an agent, and what a reader of its results wants to know."""
    plain = (bool, int, float, str)
    facts: dict[str, Any] = {"kind": type(agent).__name__}
    parameters = {
        key: value
        for key, value in vars(agent).items()
        if isinstance(value, plain) and not key.startswith("_") and key != "name"
    }
    if isinstance(agent, SearchAgent):
        found = {**agent.parameters, "rollout": agent.rollout_name(game)}
        parameters = {key: value for key, value in found.items() if value is not None}
    if isinstance(agent, PositionAgent):
        facts["code"] = f"{facts['kind']}_{fingerprint([type(agent).__module__])}"
    if parameters:
        facts["parameters"] = parameters
    if isinstance(agent, CompiledAgent):
        facts["code"] = code_of(agent.record)
    if isinstance(agent, StrategyAgent):
        file = inspect.getsourcefile(inspect.unwrap(agent.strategy))
        if file is not None and Path(file).is_file():
            facts["sha256"] = _digest(Path(file))
    elif Path(name).is_file() and not name.endswith(".safetensors"):
        facts["sha256"] = _digest(Path(name))
    path = saved_path(name)
    if path is not None and (hasattr(agent, "net") or hasattr(agent, "nets")):
        facts.update(_training(path))
    return facts


def code_of(record: np.dtype) -> str:
    """The fingerprint of the code that a record type carries in its empty field."""
    return next(name for name in record.names or () if record[name].itemsize == 0)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _training(path: Path) -> dict[str, Any]:
    """How the agent of a checkpoint or a run folder was trained."""
    from ..agents.neural import agent_file, load_tensors
    from .run_folder import read_metrics

    file = agent_file(path)
    facts = load_tensors(file)[1]
    trained = {
        "decisions": facts["decisions"],
        "updates": facts["updates"],
        "seed": facts["config"]["seed"],
    }
    run = path if path.is_dir() else file.parent.parent
    seconds = [
        line["seconds"]
        for line in read_metrics(run)
        if "seconds" in line and line["decisions"] <= facts["decisions"]
    ]
    if seconds:
        trained["seconds"] = round(sum(seconds))
    if (run / "run.json").is_file():
        trained["versions"] = json.loads((run / "run.json").read_text(encoding="utf-8"))["versions"]
    return {"network": facts["hidden"], "trained": trained, "sha256": _digest(file)}
