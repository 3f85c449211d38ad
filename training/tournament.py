"""Tournaments: every agent against every other over mirrored games, on all cores, resumable.

What is played is a list of *tables*. With two players a table is a pair of agents, every pair being
one. With more, a table is one agent among others that are all the same, for every ordered pair; and
tables of mixed company, as many as there are agents, dealt from shuffles of all of them so that all
sit down equally often. At each table whole blocks are played: the agents go once round the seats,
over the same chance.

The chance of a block and the randomness of its players depend on the seed, the names at the table
and the number of the block alone. Blocks are played in chunks of a set size, so the results are the
same on one core and on many, after an interruption, and whoever else takes part.

An agent that makes an illegal move, raises an error or exceeds its time limit forfeits that game:
it gets the least return of the game, and the others share what that leaves to share. The other
games, and the tournament, go on.
"""

from __future__ import annotations

import copy
import hashlib
import json
import multiprocessing
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..agents.callable import (
    StrategyAgent,
    StrategyError,
    WatchedAgent,
    exit_with_parent,
    packed,
)
from ..agents.protocol import Agent
from ..envs.core.errors import DuelgymError, IllegalActionError, OptionError
from ..envs.core.files import write_atomically
from ..envs.core.game import Game
from ..envs.core.state import fresh_seed
from .entrants import Entrant, code_of, make_entrants
from .evaluation import block_seeds, play_blocks
from .sequential import Sprt

if TYPE_CHECKING:
    from ..envs.core.vector import VectorEnv

FORMAT = 1
"""Version of the files of results; it changes when older ones can no longer be read."""
MOST_BLOCKS = 128
"""Blocks of a chunk, at most. A chunk is what a core plays at once and what a kill can cost."""

ALONE_SECONDS = 3.0
"""How long a tournament plays in this process before others are worth their start."""

Table = tuple[int, ...]
"""Who sits at each position, as numbers of entrants."""


class TournamentError(DuelgymError):
    """A file of results that cannot be gone on with, or a process that was ended."""


@dataclass(frozen=True)
class Forfeit:
    """A game that an agent lost by its own fault.

    Attributes:
        block: Number of the block at its table.
        game: Number of the game in the block.
        position: Of the table.
        kind: ``illegal move``, ``time`` or ``error``.
        reason: What happened.
    """

    block: int
    game: int
    position: int
    kind: str
    reason: str


@dataclass
class Played:
    """All games of a table, in the order of its blocks.

    Attributes:
        table: Who sits at each position. In game r of a block position p has seat (p + r) % seats.
        returns: float64 ``[blocks, games, seats]``.
        lengths: int64 ``[blocks, games]``, decisions of all players; of forfeited games it says nothing.
        truncated: bool ``[blocks, games]``, cut off by a limit that is no rule.
        decisions: int64 ``[positions]``.
        nanoseconds: int64 ``[positions]``, spent on them in batches; not settled by the seed.
        forfeits: The games that were forfeited.
    """

    table: Table
    returns: np.ndarray
    lengths: np.ndarray
    truncated: np.ndarray
    decisions: np.ndarray
    nanoseconds: np.ndarray
    forfeits: list[Forfeit]


@dataclass
class Results:
    """A tournament that has been played.

    Attributes:
        game: What was played.
        header: Its identity as in the file: versions, game, entrants, seed, blocks.
        names: The entrants.
        tables: The games, table by table.
    """

    game: Game
    header: dict[str, Any]
    names: list[str]
    tables: list[Played]


def tables_of(count: int, seats: int, seed: int) -> list[Table]:
    """The tables of a tournament of ``count`` agents; see the module."""
    pairs = [(i, j) for i in range(count) for j in range(count) if i != j]
    if seats == 2:
        return [pair for pair in pairs if pair[0] < pair[1]]
    tables: list[Table] = [(i, *[j] * (seats - 1)) for i, j in pairs]
    if count > 2:
        random = np.random.default_rng([fresh_seed(seed), seats])
        dealt = np.concatenate([random.permutation(count) for _ in range(seats)])
        tables += [tuple(table) for table in dealt.reshape(count, seats).tolist()]
    return tables


def play(
    game: Game,
    agents: Sequence[str | Agent],
    blocks: int = 500,
    seed: int = 0,
    *,
    file: Path | None = None,
    cores: int = 1,
    ray: str | None = None,
    trust: bool = False,
    time_limit: float | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Results:
    """Play a tournament of all ``agents`` against each other.

    Args:
        game: What to play.
        agents: At least two: names as for ``make_agent``, files of Stable-Baselines3, or agents.
        blocks: Blocks at each table, each of as many games as there are seats.
        seed: Settles all results but the times.
        file: Where finished chunks are kept, as JSON lines. If it is there, it has to be of this
            very tournament, which then goes on.
        cores: Processes to play in; with 1, this one. More are started anew, so a script that asks
            for them needs ``if __name__ == "__main__":``.
        ray: Where to play instead, on all cores of a Ray cluster: an address as ``connected`` of
            ``ray_cluster`` takes it. Python files of strategies have to be on every machine.
        trust: Whether files of Stable-Baselines3 may be loaded, which runs code that is in them.
        time_limit: Seconds that a Python function has for a decision; None is for ever. It then
            runs in a process of its own.
        progress: Called with the number of blocks that are done and of all.

    Raises:
        OptionError: Too few agents or blocks, or an agent that does not exist or cannot play.
        TournamentError: ``file`` is of another tournament, or damaged.
    """
    entrants = make_entrants(game, agents, trust, time_limit)
    if len(entrants) < 2:
        raise OptionError(f"a tournament takes at least 2 agents, not {len(entrants)}")
    if blocks < 1:
        raise OptionError(f"a tournament takes at least 1 block at each table, not {blocks}")
    tables = tables_of(len(entrants), game.num_players, seed)
    work = _Work(game, entrants, tables, fresh_seed(seed))
    chunk = max(1, min(MOST_BLOCKS, blocks // 8))
    chunks = [
        Chunk(number, first, min(chunk, blocks - first))
        for number in range(len(tables))
        for first in range(0, blocks, chunk)
    ]
    log = _Log(file, {**work.header(), "blocks": blocks, "chunk": chunk})
    missing = [one for one in chunks if one not in log.done]
    done, total = blocks * len(tables), blocks * len(tables)
    done -= sum(one.blocks for one in missing)
    progress(done, total)
    with closing(_run(work, missing, cores, ray)) as running:
        for one, result in running:
            log.add(one, result)
            done += one.blocks
            progress(done, total)
    played = [
        _together(table, [log.done[one] for one in chunks if one.table == number])
        for number, table in enumerate(tables)
    ]
    return Results(game, log.header, [entrant.name for entrant in entrants], played)


@dataclass(frozen=True)
class Verdict:
    """The outcome of ``play_until_sure``.

    Attributes:
        stronger: Whether the first agent is stronger; None if the most blocks did not suffice.
        test: What was tested.
        ratio: The log-likelihood ratio at the end.
        outcomes: How often a block had each mean score.
        blocks: How many blocks were looked at.
        games: The same in games.
        forfeits: Games that either agent forfeited, with the agent's name.
        header: The identity of the games.
    """

    stronger: bool | None
    test: Sprt
    ratio: float
    outcomes: dict[float, int]
    blocks: int
    games: int
    forfeits: list[tuple[str, Forfeit]]
    header: dict[str, Any]


LOOK = 32
"""Blocks between two looks of a sequential test."""


def play_until_sure(
    game: Game,
    agents: Sequence[str | Agent],
    test: Sprt,
    most_blocks: int = 50_000,
    seed: int = 0,
    *,
    file: Path | None = None,
    cores: int = 1,
    ray: str | None = None,
    trust: bool = False,
    time_limit: float | None = None,
    progress: Callable[[int, float], None] = lambda blocks, ratio: None,
) -> Verdict:
    """Play the first of two agents against the second until ``test`` knows whether it is stronger.

    With more than two players it sits alone among players of the second. The test looks at the
    blocks in their order, so its answer is the same on one core and on many.

    Args:
        game: What to play.
        agents: Two, as for ``play``.
        test: The question, and how sure the answer has to be.
        most_blocks: When to give up.
        seed: Settles the answer.
        file: As for ``play``.
        cores: As for ``play``.
        ray: As for ``play``.
        trust: As for ``play``.
        time_limit: As for ``play``.
        progress: Called with the number of blocks and the log-likelihood ratio so far.

    Raises:
        OptionError: Not two agents, or ones that do not exist or cannot play.
        TournamentError: ``file`` is of something else, or damaged.
    """
    entrants = make_entrants(game, agents, trust, time_limit)
    if len(entrants) != 2:
        raise OptionError(f"two agents are compared until it is sure, not {len(entrants)}")
    table = (0, *[1] * (game.num_players - 1))
    work = _Work(game, entrants, [table], fresh_seed(seed))
    log = _Log(file, {**work.header(), "chunk": LOOK})
    chunks = [
        Chunk(0, first, min(LOOK, most_blocks - first)) for first in range(0, most_blocks, LOOK)
    ]
    looked: list[Chunk] = []
    scores = np.zeros(0)
    stronger: bool | None = None
    with closing(_run(work, (one for one in chunks if one not in log.done), cores, ray)) as running:
        for one in chunks:
            while one not in log.done:
                log.add(*next(running))
            looked.append(one)
            played = _together(table, [log.done[one]])
            scores = np.append(scores, _first_score(played))
            stronger = test.decided(scores)
            progress(len(scores), test.ratio(scores))
            if stronger is not None:
                break
    values, counts = np.unique(np.round(scores, 9), return_counts=True)
    forfeits = _together(table, [log.done[one] for one in looked]).forfeits
    return Verdict(
        stronger=stronger,
        test=test,
        ratio=test.ratio(scores),
        outcomes=dict(zip(values.tolist(), counts.tolist(), strict=True)),
        blocks=len(scores),
        games=len(scores) * game.num_players,
        forfeits=[(entrants[table[one.position]].name, one) for one in forfeits],
        header=log.header,
    )


def _first_score(played: Played) -> np.ndarray:
    """The mean share of the win of the agent at position 0, block by block."""
    from .evaluation import shares_of_win

    games = np.arange(played.returns.shape[1])
    return shares_of_win(played.returns)[:, games, games].mean(axis=1)


# Chunks, and the processes that play them.


@dataclass(frozen=True)
class Chunk:
    """Blocks ``first`` to ``first + blocks - 1`` of a table, by its number."""

    table: int
    first: int
    blocks: int


@dataclass
class _Work:
    """All that it takes to play any chunk."""

    game: Game
    entrants: list[Entrant]
    tables: list[Table]
    seed: int
    _players: dict[tuple[int, int], Agent] = field(default_factory=dict)

    def header(self) -> dict[str, Any]:
        """What results are compared by before they are put together."""
        return {
            "format": FORMAT,
            "duelgym": version("duelgym"),
            **self.game.identity(),
            "label": self.game.label,
            "code": code_of(self.game.record),
            "seed": self.seed,
            "agents": {entrant.name: entrant.facts for entrant in self.entrants},
            "tables": [list(table) for table in self.tables],
        }

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_players": {}}

    def player(self, index: int, copy_number: int) -> Agent:
        """An entrant for one seat; agents at one table must not share what they remember."""
        key = index, copy_number
        if key not in self._players:
            self._players[key] = copy.copy(self.entrants[index].agent)
        return self._players[key]

    def warm_up(self, table: Table) -> None:
        """Play a block that does not count, so that no compilation is in the times."""
        for index in dict.fromkeys(table):
            agent = self.entrants[index].agent
            if (index, -1) in self._players or isinstance(agent, (StrategyAgent, WatchedAgent)):
                continue
            self._players[index, -1] = agent
            seats = self.game.num_players
            players = [copy.copy(agent) for _ in range(seats)]
            with suppress(Exception):  # it will forfeit when it counts
                play_blocks(self.game, players, *block_seeds(0, seats, 1), 1)

    def play(self, chunk: Chunk) -> dict[str, Any]:
        """The games of a chunk, as plain data."""
        table, seats = self.tables[chunk.table], self.game.num_players
        self.warm_up(table)
        players = [
            self.player(index, table[:position].count(index))
            for position, index in enumerate(table)
        ]
        names = [self.entrants[index].name for index in table]
        chance, seeds = block_seeds(_seed_of(self.seed, names), seats, chunk.first + chunk.blocks)
        faults: dict[int, tuple[int, str, str]] = {}
        refereed = [Refereed(player, position, faults) for position, player in enumerate(players)]
        games = play_blocks(
            self.game, refereed, chance[chunk.first * seats :], seeds[:, chunk.first * seats :], 1
        )
        for row, (position, _, _) in faults.items():
            games.returns[row] = forfeited(self.game, (position + row) % seats)
        shape = (chunk.blocks, seats)
        return {
            "returns": _short(games.returns.reshape(*shape, seats)),
            "lengths": games.lengths.reshape(shape).tolist(),
            "truncated": np.flatnonzero(games.truncated).tolist(),
            "decisions": [one.decisions for one in refereed],
            "nanoseconds": [one.nanoseconds for one in refereed],
            "forfeits": [[row, *faults[row]] for row in sorted(faults)],
        }


def _short(returns: np.ndarray) -> list[Any]:
    """Returns as JSON has them, whole ones without a point."""
    whole = (returns == returns.round()).all()
    return returns.astype(np.int64).tolist() if whole else returns.round(9).tolist()


def _seed_of(seed: int, names: Sequence[str]) -> int:
    """The seed of a table, whatever else is played."""
    digest = hashlib.sha256(json.dumps([seed, *names]).encode()).digest()
    return int.from_bytes(digest[:8], "big")


def forfeited(game: Game, seat: int) -> np.ndarray:
    """Returns of a game that ``seat`` forfeits: float64 ``[seats]``.

    It gets the least return, and the others equal shares of what makes them add up to 0.
    """
    least = game.facts.min_return
    returns = np.full(game.num_players, -least / (game.num_players - 1))
    returns[seat] = least
    return returns


class Refereed(Agent):
    """Another agent whose faults are noted, not raised; its games then go on without it."""

    def __init__(
        self, agent: Agent, position: int, faults: dict[int, tuple[int, str, str]]
    ) -> None:
        """Referee ``agent`` at ``position`` of a table.

        Args:
            agent: Who decides.
            position: Its place.
            faults: Of each row that somebody forfeited the position, the kind and the reason;
                shared by all at the table, and only the first counts.
        """
        self.agent = agent
        self.name = agent.name
        self.position = position
        self.faults = faults
        self.decisions = self.nanoseconds = 0

    def _prepare(self, game: Game, seeds: np.ndarray) -> None:
        self._broken: Exception | None = None
        try:
            self.agent.begin(game, seeds)
        except Exception as error:
            self._broken = error

    def choose(
        self, observations: np.ndarray, masks: np.ndarray, rows: np.ndarray, actions: np.ndarray
    ) -> None:
        """See ``Agent.choose``; not used, since ``decide`` passes on the games themselves."""
        self.agent.choose(observations, masks, rows, actions)

    def decide(self, env: VectorEnv, rows: np.ndarray, actions: np.ndarray) -> None:
        """See ``Agent.decide``. Rows that are forfeited keep the legal action that they came with."""
        if self.faults:
            rows = rows[[row not in self.faults for row in rows.tolist()]]
        legal = actions[rows].copy()
        single = isinstance(self.agent, (StrategyAgent, WatchedAgent))
        waiting = list(rows[:, None]) if single else [rows]
        while waiting:
            some = waiting.pop()
            start = time.perf_counter_ns()
            try:
                if self._broken is not None:
                    raise self._broken
                self.agent.decide(env, some, actions)
            except Exception as error:
                if len(some) > 1:  # whose fault it is shows one by one
                    waiting += list(some[:, None])
                else:
                    self._blame(int(some[0]), *_told(error))
            else:
                self.nanoseconds += time.perf_counter_ns() - start
                self.decisions += len(some)
        chosen = actions[rows]
        inside = (chosen >= 0) & (chosen < env.masks.shape[1])
        wrong = ~inside | (env.masks[rows, np.where(inside, chosen, 0)] == 0)
        for row, action in zip(rows[wrong].tolist(), chosen[wrong].tolist(), strict=True):
            self._blame(row, "illegal move", f"chose action {action}, which is not legal here")
        forfeits = [row in self.faults for row in rows.tolist()]
        actions[rows[forfeits]] = legal[forfeits]

    def _blame(self, row: int, kind: str, reason: str) -> None:
        self.faults.setdefault(row, (self.position, kind, reason))


def _told(error: Exception) -> tuple[str, str]:
    """The kind of a fault, and what happened."""
    if isinstance(error, IllegalActionError):
        return "illegal move", str(error)
    if isinstance(error, StrategyError):
        return ("time" if error.timed_out else "error"), str(error)
    return "error", f"raised {type(error).__name__}: {error}"


def _run(
    work: _Work, chunks: Iterable[Chunk], cores: int, ray: str | None
) -> Generator[tuple[Chunk, dict[str, Any]]]:
    """Play chunks, and give each as it gets done: here at first, then in ``cores`` processes.

    Processes rather than threads: between compiled loops every batch is Python, of which threads
    run one at a time; and outside strategies and networks are Python altogether. With ``ray`` they
    are those of a cluster, from the beginning.
    """
    if cores > 1 or ray is not None:
        for entrant in work.entrants:
            packed(entrant.agent)
    if ray is not None:
        yield from _run_on_ray(work, iter(chunks), ray)
        return
    chunks, start = iter(chunks), time.monotonic()
    with _calm_torch():
        for chunk in chunks:
            yield chunk, work.play(chunk)
            if cores > 1 and time.monotonic() > start + ALONE_SECONDS:
                break
    if cores > 1:
        yield from _run_in_processes(work, chunks, cores)


def _calm_torch() -> Any:
    """One thread for Torch, if a neural agent plays."""
    if "torch" not in sys.modules:
        return nullcontext()
    from ..agents.neural import single_threaded_torch

    return single_threaded_torch()


def _run_in_processes(
    work: _Work, chunks: Iterator[Chunk], cores: int
) -> Generator[tuple[Chunk, dict[str, Any]]]:
    context = multiprocessing.get_context("spawn")
    data = pickle.dumps(work)
    processes, busy = [], {}
    try:
        for chunk in chunks:
            if not processes:
                # Compile once, here, and not in every process at the same time.
                for table in work.tables:
                    work.warm_up(table)
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, data))
            process.start()
            processes.append(process)
            theirs.close()
            ours.send(chunk)
            busy[ours] = chunk
            if len(processes) == cores:
                break
        while busy:
            for connection in wait(list(busy)):
                assert isinstance(connection, Connection)
                try:
                    error, result = connection.recv()
                except (EOFError, OSError):
                    raise TournamentError(
                        "a process that played was ended from outside, or could not start (a "
                        'script that plays on several cores needs `if __name__ == "__main__":`)'
                    ) from None
                if error is not None:
                    raise error
                yield busy.pop(connection), result
                chunk = next(chunks, None)
                if chunk is not None:
                    connection.send(chunk)
                    busy[connection] = chunk
    finally:
        for process in processes:
            process.kill()
            process.join()


class _RayPlayer:
    """Plays chunks in a process of a Ray cluster."""

    work: _Work | None = None

    def play(self, data: bytes, path: list[str], chunk: Chunk) -> dict[str, Any]:
        """The games of a chunk of the work in ``data``, always the same; modules are on ``path``."""
        work = self.work
        if work is None:
            sys.path += [folder for folder in path if folder not in sys.path]
            work = self.work = pickle.loads(data)
        with _calm_torch():
            return work.play(chunk)


def _run_on_ray(
    work: _Work, chunks: Iterator[Chunk], address: str
) -> Generator[tuple[Chunk, dict[str, Any]]]:
    """Play chunks on all cores of a cluster."""
    from .ray_cluster import connected

    with connected(address):
        import ray  # pyright: ignore[reportMissingImports]  # see ray_cluster

        # A machine that is lost costs time only: its chunks are played again elsewhere.
        remote = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=-1)(_RayPlayer)
        data = ray.put(pickle.dumps(work))
        players, busy = [], {}
        try:
            for chunk in chunks:
                players.append(remote.remote())
                busy[players[-1].play.remote(data, sys.path, chunk)] = players[-1], chunk
                if len(players) >= int(ray.cluster_resources()["CPU"]):
                    break
            while busy:
                (ready, *_), _ = ray.wait(list(busy))
                player, chunk = busy.pop(ready)
                try:
                    result = ray.get(ready)
                except ray.exceptions.RayTaskError as error:
                    raise error.cause from None
                yield chunk, result
                following = next(chunks, None)
                if following is not None:
                    busy[player.play.remote(data, sys.path, following)] = player, following
        finally:
            for player in players:
                ray.kill(player)


def _serve(connection: Connection, data: bytes) -> None:
    """Play the chunks that come in, each answered with an error or None, and the result."""
    exit_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted, and ends this one
    work: _Work = pickle.loads(data)
    with _calm_torch():
        while True:
            try:
                chunk = connection.recv()
            except EOFError:
                return
            try:
                connection.send((None, work.play(chunk)))
            except Exception as error:
                connection.send((error, None))


# The file of results.


class _Log:
    """Finished chunks, in memory and, if there is a file, there: one line each after the header."""

    def __init__(self, path: Path | None, header: dict[str, Any]) -> None:
        """Begin a file, or read one of the same tournament.

        Raises:
            TournamentError: It is of another one, or damaged.
        """
        self.path = path
        self.header: dict[str, Any] = json.loads(json.dumps(header))
        self.done: dict[Chunk, dict[str, Any]] = {}
        if path is None:
            return
        if path.exists():
            self._read(path)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, json.dumps(self.header).encode() + b"\n")

    def _read(self, path: Path) -> None:
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        lines: list[dict[str, Any]] = []
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                lines.append(dict(json.loads(line)))
            except (ValueError, TypeError):
                raise TournamentError(f"{path}: line {number} is damaged") from None
        theirs = lines[0] if lines else {}
        if "tables" not in theirs:
            raise TournamentError(f"{path} is no file of results of a tournament")
        _check_same(path, theirs, self.header)
        for line in lines[1:]:
            self.done.setdefault(Chunk(**line.pop("chunk")), line)
        if whole != data:  # a line that was cut off by a kill
            os.truncate(path, len(whole))

    def add(self, chunk: Chunk, result: dict[str, Any]) -> None:
        """Keep a finished chunk; once this returns, it survives a kill."""
        self.done[chunk] = result
        if self.path is None:
            return
        line = {"chunk": vars(chunk), **result}
        with self.path.open("ab") as file:
            file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())


def _check_same(path: Path, theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> None:
    """Refuse results of another tournament, naming the first thing that differs."""
    for key in {**ours, **theirs}:
        mine, other = ours.get(key), theirs.get(key)
        if mine == other:
            continue
        if key == "agents" and isinstance(other, dict) and isinstance(mine, dict):
            if list(other) == list(mine):
                key = next(name for name in mine if mine[name] != other[name])
                mine, other = mine[key], other[key]
            else:
                mine, other = list(mine), list(other)
        raise TournamentError(
            f"{path} is of another tournament: {key} is {other!r} there and {mine!r} here; "
            "choose another folder or delete it"
        )


def _together(table: Table, parts: Sequence[Mapping[str, Any]]) -> Played:
    """The chunks of a table, in order, as one."""
    seats, forfeits, first = len(table), [], 0
    truncated = []
    for part in parts:
        blocks = len(part["lengths"])
        cut = np.zeros(blocks * seats, np.bool_)
        cut[part["truncated"]] = True
        truncated.append(cut.reshape(blocks, seats))
        forfeits += [
            Forfeit(first + row // seats, row % seats, position, kind, reason)
            for row, position, kind, reason in part["forfeits"]
        ]
        first += blocks
    return Played(
        table=table,
        returns=np.concatenate([np.array(part["returns"], np.float64) for part in parts]),
        lengths=np.concatenate([np.array(part["lengths"], np.int64) for part in parts]),
        truncated=np.concatenate(truncated),
        decisions=np.sum([part["decisions"] for part in parts], axis=0),
        nanoseconds=np.sum([part["nanoseconds"] for part in parts], axis=0),
        forfeits=forfeits,
    )
