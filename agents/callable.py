"""Strategies of one's own: a Python function on the named observation as an agent.

A strategy takes what ``Game.describe`` gives and the names of the legal moves, and returns one of
them::

    def strategy(observation, legal):
        return "keep" if "keep" in legal else legal[-1]

With a third parameter it also gets a ``numpy.random.Generator``, its own in every game, so that it
can mix and the same seed still gives the same games. Names are as the mover sees the table: it is
``player_0`` itself, and ``player_1`` is the next player.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import multiprocessing
import os
import pickle
import re
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np

from ..envs.core.errors import DuelgymError, IllegalActionError, OptionError, suggest
from ..envs.core.game import Game
from .protocol import Agent

Strategy = Callable[..., Any]

STARTUP_SECONDS = 120
"""How long a process may take to start and to load its agent."""


class StrategyError(DuelgymError):
    """A strategy of a user that failed or did not answer; names the agent and what happened."""

    timed_out = False
    """Whether it took too long."""


class StrategyAgent(Agent):
    """Plays by a Python function, one decision at a time."""

    def __init__(self, strategy: Strategy, name: str = "", source: str | None = None) -> None:
        """An agent that asks ``strategy``; see the module.

        Args:
            strategy: The function.
            name: What to call it; by default the function's name.
            source: Where other processes find it, such as ``my_bot.py:strategy``; by default they
                import it as Python does.

        Raises:
            OptionError: It cannot be called with two or three arguments.
        """
        if not callable(strategy):
            raise OptionError(f"a strategy is a function, not {strategy!r}")
        self.name = name or getattr(strategy, "__name__", type(strategy).__name__)
        self.strategy = strategy
        self.source = source
        self._mixes = _takes(strategy, 3)
        if not self._mixes and not _takes(strategy, 2):
            raise OptionError(
                f"strategy {self.name!r} takes the observation, the legal moves and, if it likes, a "
                f"random generator, not {inspect.signature(strategy)}"
            )

    def _prepare(self, game: Game, seeds: np.ndarray) -> None:
        self._game = game
        self._names = [game.action_name(action) for action in range(game.num_actions)]
        self._seeds = seeds
        self._random: dict[int, np.random.Generator] = {}

    def choose(
        self, observations: np.ndarray, masks: np.ndarray, rows: np.ndarray, actions: np.ndarray
    ) -> None:
        """See ``Agent.choose``.

        Raises:
            IllegalActionError: The strategy returned no name of a legal move.
        """
        for row in rows.tolist():
            legal = {self._names[action]: action for action in np.flatnonzero(masks[row]).tolist()}
            arguments: list[Any] = [self._game.describe(observations[row]), list(legal)]
            if self._mixes:
                if row not in self._random:
                    self._random[row] = np.random.default_rng(self._seeds[row])
                arguments.append(self._random[row])
            chosen = self.strategy(*arguments)
            if not isinstance(chosen, str) or chosen not in legal:
                raise IllegalActionError(
                    f"{self.name} chose {chosen!r}, which is not legal here; legal: "
                    f"{', '.join(legal)}"
                )
            actions[row] = legal[chosen]

    def __reduce__(self) -> Any:
        if self.source is not None:
            return load_strategy, (self.source,)
        return StrategyAgent, (self.strategy, self.name)


def _takes(function: Callable[..., Any], count: int) -> bool:
    """Whether it can be called with so many arguments in order."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    return True


_SOURCE = re.compile(r"(?P<module>.*\.py|[A-Za-z_][\w.]*):(?P<function>[A-Za-z_]\w*)")


def is_strategy(name: str) -> bool:
    """Whether ``name`` is written like the place of a function: ``my_bot.py:strategy`` or ``module:function``."""
    return _SOURCE.fullmatch(name) is not None


def load_strategy(source: str) -> StrategyAgent:
    """The agent of a function in a Python file or an installed module. This runs the user's code.

    Args:
        source: ``my_bot.py:strategy`` or ``module:function``.

    Raises:
        OptionError: There is no such file, module or function, or it fails to load.
    """
    match = _SOURCE.fullmatch(source)
    if match is None:
        raise OptionError(
            f"a strategy is written FILE.py:FUNCTION or MODULE:FUNCTION, not {source!r}"
        )
    place, function = match["module"], match["function"]
    try:
        module = _run_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    except Exception as error:
        raise OptionError(f"cannot load {place}: {type(error).__name__}: {error}") from error
    found = getattr(module, function, None)
    if not callable(found):
        functions = [name for name, value in vars(module).items() if inspect.isfunction(value)]
        raise OptionError(f"{place} has no function {function!r}; {suggest(function, functions)}")
    return StrategyAgent(found, source, source)


def _run_file(path: Path) -> Any:
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r}")
    name = f"strategy_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class WatchedAgent(Agent):
    """Asks another agent in a process of its own, which is ended when it takes too long.

    So nothing that the agent does, not even an endless loop or a crash, stops the caller. It asks
    for one decision at a time, and starts a new process after a failure. The agent decides by
    observations alone: it never sees the games.
    """

    def __init__(self, agent: Agent, seconds: float) -> None:
        """Watch over ``agent``, which has ``seconds`` for each decision.

        Raises:
            OptionError: The agent cannot be sent to another process.
        """
        if not seconds > 0:
            raise OptionError(f"a time limit is more than 0 seconds, not {seconds:g}")
        self.name = agent.name
        self.agent = agent
        self.seconds = seconds
        self._packed = packed(agent)
        self._process: BaseProcess | None = None

    def check(self, game: Game) -> None:
        """See ``Agent.check``."""
        self.agent.check(game)

    def _prepare(self, game: Game, seeds: np.ndarray) -> None:
        self._game, self._seeds = game, seeds
        if self._process is None:
            self._launch()
        self._connection.send((game, seeds))
        self._answer(STARTUP_SECONDS)

    def choose(
        self, observations: np.ndarray, masks: np.ndarray, rows: np.ndarray, actions: np.ndarray
    ) -> None:
        """See ``Agent.choose``.

        Raises:
            IllegalActionError: The agent chose what is not legal.
            StrategyError: It raised an error, ended its process or took too long.
        """
        for row in rows.tolist():
            if self._process is None:
                self._prepare(self._game, self._seeds)
            self._connection.send((row, observations[row], masks[row]))
            actions[row] = self._answer(self.seconds)

    def _launch(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._packed), daemon=True)
        self._process.start()
        theirs.close()

    def _answer(self, seconds: float) -> Any:
        """What the process answers; after a failure to answer there is no process any more."""
        try:
            if not self._connection.poll(seconds):
                self._stop()
                late = StrategyError(f"{self.name} took more than {seconds:g} s")
                late.timed_out = True
                raise late
            failure, answer = self._connection.recv()
        except (EOFError, OSError):
            self._stop()
            raise StrategyError(f"{self.name} ended its process") from None
        if failure is not None:
            raise failure(answer)
        return answer

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._connection.close()
            self._process = None

    def __copy__(self) -> WatchedAgent:
        return WatchedAgent(self.agent, self.seconds)

    def __del__(self) -> None:
        if getattr(self, "_process", None) is not None:
            self._stop()

    def __reduce__(self) -> Any:
        return WatchedAgent, (self.agent, self.seconds)


def packed(agent: Agent) -> bytes:
    """The agent as bytes for another process.

    Raises:
        OptionError: That is impossible.
    """
    try:
        if _is_typed_in(getattr(agent, "strategy", agent)):
            raise TypeError("other processes cannot import what was typed in here")
        return pickle.dumps(agent)
    except Exception:
        raise OptionError(
            f"agent {agent.name!r} cannot be sent to another process, which a time limit and more "
            "than one core need: put it into a file, as my_bot.py:strategy"
        ) from None


def _is_typed_in(thing: Any) -> bool:
    """Whether it was defined at a prompt or in a notebook."""
    defined_in = getattr(thing, "__module__", None)
    return defined_in == "__main__" and not hasattr(sys.modules["__main__"], "__file__")


def exit_with_parent() -> None:
    """End this process when the one that started it has ended, however that happened."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _serve(connection: Connection, data: bytes) -> None:
    """Answer for an agent, each time with a kind of error or None, and the answer.

    A message is either a game with seeds, to begin, or a row with its observation and mask.
    """
    exit_with_parent()
    players: list[Agent] = []
    observations = masks = actions = np.zeros(0)
    while True:
        try:
            message = connection.recv()
        except EOFError:
            return
        answer = failure = None
        try:
            if len(message) == 2:
                game, seeds = message
                observations = np.zeros((len(seeds), game.observation_size), np.float32)
                masks = np.zeros((len(seeds), game.num_actions), np.int8)
                actions = np.zeros(len(seeds), np.int64)
                players = players or [pickle.loads(data)]
                players[0].begin(game, seeds)
            else:
                row, observations[row], masks[row] = message
                players[0].choose(observations, masks, np.array([row]), actions)
                answer = int(actions[row])
        except IllegalActionError as error:
            failure, answer = IllegalActionError, str(error)
        except Exception as error:
            failure, answer = StrategyError, f"raised {type(error).__name__}: {error}"
        connection.send((failure, answer))
