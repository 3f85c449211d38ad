"""Records of finished games: one line of JSON each, from which a game can be played again exactly.

The seed of a game settles its chance, so the seed and the moves are the whole game. Every interface
can write records and play them again: ``State`` with ``replay``, ``DuelEnv`` from
``reset(options={"game_seed": record.seed})``, ``VectorEnv`` from ``vector_at_start``.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import DuelgymError, IllegalActionError, OrderError, is_whole

if TYPE_CHECKING:
    from .game import Game
    from .state import State
    from .vector import VectorEnv


class RecordError(DuelgymError, ValueError):
    """What is no record of a game, or a record that the rules do not bear out."""


@dataclass(frozen=True)
class GameRecord:
    """A finished game.

    Attributes:
        game: Name and version, such as ``dragon_deck_v0``.
        options: The options that differ from the game's default, as JSON has them.
        seed: The seed of the game itself, ``state.record.seed``, from 0 to ``2**64 - 1``.
        agents: Who played each seat, as far as known.
        actions: Every decision by name, in order, the forced ones included.
        returns: The payoff of each seat.
        truncated: Whether the game was cut off by a limit that is no rule.
    """

    game: str
    options: dict[str, Any]
    seed: int
    agents: tuple[str | None, ...]
    actions: tuple[str, ...]
    returns: tuple[float, ...]
    truncated: bool

    def line(self) -> str:
        """The record as a line of JSON, without the line's end."""
        return json.dumps(dataclasses.asdict(self), ensure_ascii=False)

    @classmethod
    def from_line(cls, line: str) -> GameRecord:
        """The record that ``line`` gave.

        Raises:
            RecordError: It is none.
        """
        try:
            data = json.loads(line)
        except ValueError as error:
            raise RecordError(f"no JSON: {error}") from None
        names = [field.name for field in dataclasses.fields(cls)]
        if not isinstance(data, dict) or set(data) != set(names):
            raise RecordError(f"a record is an object of {', '.join(names)}")
        for name, (well, told) in _FORMS.items():
            if not well(data[name]):
                raise RecordError(f"{name} has to be {told}, not {data[name]!r}")
        if len(data["agents"]) != len(data["returns"]):
            raise RecordError("agents and returns have to be as many as there are seats")
        lists = ("agents", "actions", "returns")
        return cls(**{**data, **{name: tuple(data[name]) for name in lists}})


def _all(kind: Any) -> Any:
    return lambda value: isinstance(value, list) and all(isinstance(each, kind) for each in value)


_FORMS: dict[str, tuple[Any, str]] = {
    "game": (lambda value: isinstance(value, str), "a name such as dragon_deck_v0"),
    "options": (lambda value: isinstance(value, dict), "an object"),
    "seed": (lambda value: is_whole(value) and 0 <= value < 2**64, "a whole number below 2**64"),
    "agents": (_all((str, type(None))), "a list of names or null"),
    "actions": (_all(str), "a list of names"),
    "returns": (_all((int, float)), "a list of numbers"),
    "truncated": (lambda value: isinstance(value, bool), "true or false"),
}


def record_moves(
    game: Game,
    seed: int,
    actions: Iterable[int],
    agents: Sequence[str | None] | None = None,
    skip_forced: bool = False,
) -> GameRecord:
    """The record of a finished game with these moves.

    Args:
        game: What was played.
        seed: The seed of the game itself.
        actions: The numbers of all moves.
        agents: Who played each seat.
        skip_forced: Whether decisions with a single legal action are left out of ``actions``.

    Raises:
        IllegalActionError: A move is against the rules.
        OrderError: The game goes on after these moves, or ended before.
    """
    if agents is not None and len(agents) != game.num_players:
        raise RecordError(f"{game.label} has {game.num_players} seats, not {len(agents)}")
    state, names = game.start(seed), []
    left = iter(actions)
    while not state.is_over:
        legal = state.legal_actions()
        forced = skip_forced and len(legal) == 1
        action = legal[0] if forced else next(left, None)
        if action is None:
            raise OrderError(f"{game.label}: only finished games have a record")
        names.append(state.action_name(action))
        state.apply(action)
    if next(left, None) is not None:
        raise OrderError(f"{game.label}: the game was over before its last move")
    return GameRecord(
        game=f"{game.name}_v{game.version}",
        options=game.changed_options(),
        seed=int(state.record.seed),
        agents=tuple(agents or [None] * game.num_players),
        actions=tuple(names),
        returns=tuple(state.returns()),
        truncated=state.is_truncated,
    )


def record_state(state: State, agents: Sequence[str | None] | None = None) -> GameRecord:
    """See ``State.game_record``."""
    game, seed = state.game, int(state.record.seed)
    again, moves = game.start(seed, explicit_chance=True), []
    for action in state.history():
        if not again.is_chance:
            moves.append(action)
        elif action != again.sample_chance():
            break
        again.apply(action)
    if again != state:
        raise RecordError(
            f"{game.label}: this game does not follow from its seed and moves alone, so it has no "
            "record: its chance was chosen or drawn anew, or it was taken over halfway"
        )
    return record_moves(game, seed, moves, agents)


def replay(record: GameRecord, game: Game) -> State:
    """Play a record again: the finished game.

    Raises:
        RecordError: The game is another one, a move is against the rules, or the end is not as told.
    """
    told = (f"{game.name}_v{game.version}", game.changed_options(), game.num_players)
    if told != (record.game, record.options, len(record.returns)):
        raise RecordError(f"the record is of {record.game} {record.options}, not of {game.label}")
    state = game.start(record.seed)
    for number, name in enumerate(record.actions, 1):
        if state.is_over:
            raise RecordError(f"the game is over after {number - 1} decisions")
        try:
            state.apply(name)
        except IllegalActionError as error:
            raise RecordError(f"decision {number}: {error}") from None
    if not state.is_over:
        raise RecordError(f"the game is not over after {len(record.actions)} decisions")
    end = (tuple(state.returns()), state.is_truncated)
    if end != (record.returns, record.truncated):
        raise RecordError(
            f"the game ends with returns {list(end[0])}{' cut off' if end[1] else ''}, not as told "
            f"with {list(record.returns)}{' cut off' if record.truncated else ''}"
        )
    return state


def moves_of(record: GameRecord, game: Game) -> list[int]:
    """The numbers of all moves of a record; errors as of ``replay``."""
    state, moves = game.start(record.seed), []
    replay(record, game)
    for name in record.actions:
        moves.append(game.action(name, state.player))
        state.apply(name)
    return moves


def vector_at_start(game: Game, records: Sequence[GameRecord]) -> VectorEnv:
    """A vector environment with a row for each record, at the start of its game."""
    env = game.vector(len(records))
    env.reset(0)
    saved = env.save()
    starts = [np.frombuffer(game.start(each.seed).record.tobytes(), np.uint8) for each in records]
    env.load({**saved, "states": np.stack(starts)})
    return env


class VectorRecorder:
    """Steps a vector environment and gives the records of the games that end."""

    def __init__(
        self, env: VectorEnv, agents: Sequence[Sequence[str | None]] | None = None
    ) -> None:
        """Watch ``env``, whose games must be at their start, as after ``reset``.

        Args:
            env: The games.
            agents: Who plays each seat ``[num_envs][num_players]``.

        Raises:
            OrderError: A game has begun.
        """
        env.state(0)  # refuses where reset() was never called
        if env.save()["decisions"].any():
            raise OrderError(f"{env.game.label}: games are recorded from their start; call reset()")
        self.env = env
        self._agents = agents
        self._moves: list[list[int]] = [[] for _ in range(env.num_envs)]
        self._seeds = _game_seeds(env)

    def step(self, actions: np.ndarray, wanted: np.ndarray | None = None) -> dict[int, GameRecord]:
        """``env.step``; gives the records of the games that ended, by row.

        Args:
            actions: As for ``env.step``.
            wanted: bool ``[num_envs]``, the rows whose games are of interest; None means all.
        """
        self.env.step(actions)
        for moves, action in zip(self._moves, np.asarray(actions).tolist(), strict=True):
            moves.append(action)
        ended = np.flatnonzero(self.env.terminated | self.env.truncated).tolist()
        records = {row: self._record(row) for row in ended if wanted is None or wanted[row]}
        for row in ended:
            self._moves[row] = []
        if ended:
            self._seeds = _game_seeds(self.env)
        return records

    def _record(self, row: int) -> GameRecord:
        agents = self._agents[row] if self._agents else None
        seed, moves = int(self._seeds[row]), self._moves[row]
        return record_moves(self.env.game, seed, moves, agents, self.env.skip_forced)


def _game_seeds(env: VectorEnv) -> np.ndarray:
    """The seed of the running game of every row: uint64 ``[num_envs]``."""
    return env.save()["states"].view(env.game.record)["seed"][:, 0].copy()


# Files.


@dataclass(frozen=True)
class RecordFile:
    """The records of a file.

    Attributes:
        records: All that are complete.
        torn: Whether another one was cut short at the end, as a killed process leaves it.
    """

    records: tuple[GameRecord, ...]
    torn: bool


def read(path: Path) -> RecordFile:
    """The records of a file, one a line.

    Raises:
        RecordError: A line is no record; it names the file and the line.
        OSError: The file cannot be read.
    """
    *lines, last = path.read_bytes().split(b"\n")
    torn = bool(last) and not _is_json(last)
    if last and not torn:
        lines.append(last)
    records = []
    for number, line in enumerate(lines, 1):
        try:
            records.append(GameRecord.from_line(line.decode()))
        except (RecordError, UnicodeDecodeError) as error:
            raise RecordError(f"{path}, line {number}: {error}") from None
    return RecordFile(tuple(records), torn)


def append(path: Path, records: Iterable[GameRecord]) -> None:
    """Add records at the end of a file, which need not exist, as whole lines.

    A record that a killed process left half-written at the end is taken away first.

    Raises:
        OSError: The file cannot be written.
    """
    data = dump(records)
    with open(path, "ab+") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(0, end - 1))
        if file.read() not in (b"", b"\n"):
            file.seek(0)
            last = file.read().rpartition(b"\n")[2]
            if _is_json(last):
                data = b"\n" + data
            else:
                file.truncate(end - len(last))
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def dump(records: Iterable[GameRecord]) -> bytes:
    """Records as the content of a file."""
    return "".join(record.line() + "\n" for record in records).encode()


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True
