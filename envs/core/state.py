"""``State``: one game, step by step, for notebooks, tests and solvers."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from . import loops
from .errors import IllegalActionError, OrderError, is_whole
from .game import Game
from .records import CHANCE, TERMINAL, TRUNCATED, copied

if TYPE_CHECKING:
    from .game_records import GameRecord


def fresh_seed(seed: int | None) -> int:
    """``seed`` as an unsigned 64-bit number; None draws one from the operating system.

    Raises:
        ValueError: ``seed`` is not a whole number.
    """
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if not is_whole(seed):
        raise ValueError(f"a seed is a whole number or None, not {seed!r}")
    return int(seed) % 2**64


class State:
    """One position of a game, changed in place by ``apply``.

    Unless it was started with ``explicit_chance``, the outcomes of chance nodes are drawn from
    the seed and happen by themselves, so that a player is always to move until the end.
    """

    __slots__ = ("_log", "_mask", "_states", "explicit_chance", "game")

    def __init__(self, game: Game, states: np.ndarray, explicit_chance: bool = False) -> None:
        """Take over ``states``, one record ``[1]`` of ``game``; for a new game use ``game.start``."""
        game.check_states(states)
        self._take_over(game, states, explicit_chance)

    def _take_over(self, game: Game, states: np.ndarray, explicit_chance: bool) -> None:
        self.game = game
        self.explicit_chance = explicit_chance
        self._states = states
        self._mask = np.zeros(game.num_actions, np.int8)
        # A linked list of (earlier, transitions), each transition being the move or outcome and
        # what every seat saw of it: cloning shares the list.
        self._log: tuple[Any, ...] | None = None
        loops.mask_one(states, self._mask)

    @classmethod
    def begin(cls, game: Game, seed: int | None, explicit_chance: bool) -> State:
        """See ``Game.start``."""
        states = copied(game.template)
        states["seed"] = np.uint64(fresh_seed(seed))
        loops.setup_one(states)
        state = cls.__new__(cls)
        state._take_over(game, states, explicit_chance)
        if not explicit_chance and state.is_chance:
            state._transition(loops.draw_one(states, game.scratch.weights))
        return state

    @property
    def records(self) -> np.ndarray:
        """The state as compiled code takes it: an array of one record, ``[1]``, read-only."""
        view = self._states.view()
        view.flags.writeable = False
        return view

    @property
    def record(self) -> np.record:
        """The fields of the state, by name, to read: moves are what changes a state."""
        return self.records[0]

    @property
    def player(self) -> int:
        """The seat that decides now, or ``CHANCE``, ``TERMINAL`` or ``TRUNCATED``."""
        return self._states["player"].item()

    @property
    def is_chance(self) -> bool:
        """Whether the next move is a random outcome."""
        return self.player == CHANCE

    @property
    def is_over(self) -> bool:
        """Whether the game has ended or was cut off."""
        return self.player in (TERMINAL, TRUNCATED)

    @property
    def is_truncated(self) -> bool:
        """Whether the game was cut off by a limit that is not one of its rules."""
        return self.player == TRUNCATED

    def legal_mask(self) -> np.ndarray:
        """int8 ``[num_actions]``, 1 for each legal action of the player to move."""
        return self._mask.copy()

    def legal_actions(self) -> list[int]:
        """The legal actions of the player to move, or the possible outcomes at a chance node."""
        if self.is_chance:
            return [outcome for outcome, _ in self.chance_outcomes()]
        return self._mask.nonzero()[0].tolist()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Every outcome of a chance node with its probability.

        Raises:
            OrderError: This is not a chance node.
        """
        if not self.is_chance:
            raise OrderError(f"{self.game.label}: not a chance node, {self._who()}")
        weights = self.game.scratch.weights
        total = loops.chance_one(self._states, weights)
        return [(int(n), float(weights[n] / total)) for n in np.flatnonzero(weights)]

    def sample_chance(self) -> int:
        """The outcome of this chance node that the state's seed gives."""
        self.chance_outcomes()
        return int(loops.draw_one(self._states, self.game.scratch.weights))

    def apply(self, action: SupportsIndex | str) -> None:
        """Make a move, or let a chance outcome happen, by number or by name.

        Raises:
            IllegalActionError: The rules forbid it; the state is as before.
            OrderError: The game is over.
        """
        if isinstance(action, str):
            if self.is_chance:
                action = self.game.outcome(action)
            else:
                action = self.game.action(action, max(self.player, 0))
        action = operator.index(action)
        if not 0 <= action < len(self._mask) or not self._mask[action]:
            self._refuse_illegal(action)
        self._transition(action)

    def _transition(self, action: int) -> None:
        scratch = self.game.scratch
        count = loops.step_one(
            self._states,
            action,
            not self.explicit_chance,
            self._mask,
            scratch.transitions,
            scratch.weights,
        )
        self._log = (self._log, scratch.transitions[:count].tolist())

    def _refuse_illegal(self, action: int) -> None:
        """Raise, unless ``action`` is a possible outcome of a chance node."""
        if self.is_over:
            raise OrderError(f"{self.game.label}: the game is over; start a new one")
        legal = self.legal_actions()
        if self.is_chance and action in legal:
            return
        name = self.outcome_name if self.is_chance else self.action_name
        raise IllegalActionError(
            f"{self.game.label}: action {action} is illegal here, {self._who()}; legal: "
            + ", ".join(f"{number} ({name(number)})" for number in legal)
        )

    def _who(self) -> str:
        if self.is_over:
            return "the game is over"
        return "chance is to move" if self.is_chance else f"player {self.player} is to move"

    def observation(self, seat: int | None = None) -> np.ndarray:
        """What ``seat`` (the player to move if None) knows: float32 ``[observation_size]``.

        Raises:
            OrderError: No seat is given and nobody is to move.
        """
        if seat is None:
            seat = self.player
            if seat < 0:
                raise OrderError(f"{self.game.label}: name a seat, {self._who()}")
        self._check_seat(seat)
        out = np.empty(self.game.observation_size, np.float32)
        loops.observe_one(self._states, seat, out)
        return out

    def returns(self) -> list[float]:
        """The payoff of every seat, once the game is over.

        Raises:
            OrderError: It is not over.
        """
        if not self.is_over:
            raise OrderError(f"{self.game.label}: no returns yet, {self._who()}")
        returns = self.game.scratch.returns
        loops.returns_one(self._states, returns)
        return returns.tolist()

    def history(self) -> list[int]:
        """Every move and chance outcome so far, in order."""
        return [transition[0] for transition in self._transitions()]

    def information_state(self, seat: int) -> tuple[int, ...]:
        """All that ``seat`` has seen so far, as the codes of the rules' ``seen``: perfect recall."""
        self._check_seat(seat)
        codes = (transition[1 + seat] for transition in self._transitions())
        return tuple(code for code in codes if code)

    def _transitions(self) -> list[list[int]]:
        entries, entry = [], self._log
        while entry is not None:
            entry, transitions = entry
            entries.append(transitions)
        return [transition for transitions in entries[::-1] for transition in transitions]

    def _check_seat(self, seat: int) -> None:
        if not 0 <= seat < self.game.num_players:
            raise ValueError(
                f"{self.game.label} has seats 0 to {self.game.num_players - 1}, not {seat!r}"
            )

    def resample(self, seat: int, seed: int) -> State:
        """A copy in which everything ``seat`` does not know is drawn anew, from ``seed`` alone.

        The copy keeps what was seen, so ``information_state(seat)`` stays; the history of the
        others' hidden moves does not follow the redrawn facts.
        """
        self._check_seat(seat)
        other = self.clone()
        loops.resample_one(other._states, seat, np.uint64(fresh_seed(seed)))
        loops.mask_one(other._states, other._mask)
        return other

    def game_record(self, agents: Sequence[str | None] | None = None) -> GameRecord:
        """The finished game as a record to write down and play again; ``agents`` by seat.

        Raises:
            OrderError: The game is not over.
            RecordError: It does not follow from its seed and moves, as chance was chosen by hand, or
                it was taken over halfway.
        """
        from .game_records import record_state

        return record_state(self, agents)

    def clone(self) -> State:
        """An independent copy, with the same chance outcomes ahead of it."""
        other = object.__new__(State)
        other.game, other.explicit_chance = self.game, self.explicit_chance
        other._states, other._mask = copied(self._states), self._mask.copy()
        other._log = self._log
        return other

    def action_name(self, action: int) -> str:
        """An action of the player to move, in words."""
        return self.game.action_name(action, max(self.player, 0))

    def outcome_name(self, outcome: int) -> str:
        """A chance outcome in words."""
        return self.game.chance_name(outcome)

    def render(self, seat: int | None = None) -> str:
        """The position as ``seat`` sees it; with None, as the whole table does."""
        return self.game.text(self.record, seat)

    def __str__(self) -> str:
        return self.render()

    def __repr__(self) -> str:
        return f"<{self.game.label}, {self._who()}>"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, State)
            and self.game == other.game
            and self._states.tobytes() == other._states.tobytes()
        )

    def __hash__(self) -> int:
        return hash(self._states.tobytes())

    def __getstate__(self) -> dict[str, Any]:
        saved = self.game.save_states(self._states)
        return {
            "game": self.game,
            "saved": saved,
            "explicit_chance": self.explicit_chance,
            "log": self._transitions(),
        }

    def __setstate__(self, saved: dict[str, Any]) -> None:
        game = saved["game"]
        self.__init__(game, game.load_states(saved["saved"]), saved["explicit_chance"])
        self._log = (None, saved["log"])
