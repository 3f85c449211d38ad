"""``Game``: what every game declares, and what all of them can do with it."""

from __future__ import annotations

import dataclasses
import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from . import dispatch, loops, observation, records
from .errors import IllegalActionError, OptionError, StateFormatError, suggest
from .observation import Section

if TYPE_CHECKING:
    from .aec import DuelEnv
    from .state import State
    from .vector import VectorEnv


@dataclass(frozen=True)
class Facts:
    """Numbers that hold in every game of a variant; the tests check them on every rollout.

    Attributes:
        num_players: Seats.
        num_actions: Distinct actions, legal somewhere.
        num_chance_outcomes: Distinct outcomes of chance nodes.
        min_decisions: Fewest decisions of a game.
        max_decisions: Most decisions of a game.
        max_chance_run: Most chance outcomes in a row.
        min_return: Least payoff of a seat.
        max_return: Greatest payoff of a seat.
        zero_sum: Whether the payoffs of a finished game always add up to 0.
        can_truncate: Whether a limit that is not a rule can cut a game off.
    """

    num_players: int
    num_actions: int
    num_chance_outcomes: int
    min_decisions: int
    max_decisions: int
    max_chance_run: int
    min_return: float
    max_return: float
    zero_sum: bool
    can_truncate: bool = False


class Scratch(threading.local):
    """Buffers that the compiled single-state calls write to: one set a game object and thread."""

    def __init__(self, facts: Facts) -> None:
        """Make room for what can happen in one call."""
        limit = facts.max_chance_run + 2
        self.transitions = np.zeros((limit, 1 + facts.num_players), np.int64)
        self.weights = np.zeros(facts.num_chance_outcomes, np.int32)
        self.returns = np.zeros(facts.num_players, np.float32)


class Game(ABC):
    """A game with its options fixed: names, sizes, spaces and ways to play it.

    Subclasses declare the class attributes and abstract members; registration ties the record
    type to the rules. Instances are immutable, equal when their game and options are.
    """

    name: ClassVar[str]
    """Import name of the game's folder."""
    title: ClassVar[str]
    """Name for people."""
    version: ClassVar[int]
    """Number in the environment's name; it changes whenever results could."""
    rules: ClassVar[ModuleType]
    """Module with the compiled rules and ``FIELDS``."""
    Options: ClassVar[type]
    """Frozen dataclass of the options, which checks them in ``__post_init__``."""
    variants: ClassVar[Mapping[str, Mapping[str, Any]]]
    """Named choices of options; the first is the default."""
    record: ClassVar[np.dtype]
    """The record type of a state."""

    def __init_subclass__(cls) -> None:
        """Register the record type of a concrete game."""
        super().__init_subclass__()
        cls.record = records.register(
            cls.name,
            cls.rules.FIELDS,
            cls.rules,
            dispatch.RULES,
            loops.__name__,
            dispatch.OPTIONAL_RULES,
        )

    def __init__(self, variant: str | None = None, **options: Any) -> None:
        """Fix the options: those of a named variant, changed by the ones given.

        Raises:
            OptionError: An unknown variant or option, or a value that the rules do not allow.
        """
        if variant is not None and variant not in self.variants:
            raise OptionError(
                f"{self.name} has no variant {variant!r}; {suggest(variant, self.variants)}"
            )
        known = [field.name for field in dataclasses.fields(self.Options)]
        for option in options:
            if option not in known:
                raise OptionError(f"{self.name} has no option {option!r}; {suggest(option, known)}")
        self.options = self.Options(**{**self.variants.get(variant or "", {}), **options})

    # What a game declares.

    @property
    @abstractmethod
    def facts(self) -> Facts:
        """Static facts of this variant."""

    @property
    @abstractmethod
    def sections(self) -> Sequence[Section]:
        """Parts of the observation, in their order."""

    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Values of the state's fields that hold the options."""

    @abstractmethod
    def action_name(self, action: int, seat: int = 0) -> str:
        """An action in words, as made by ``seat``."""

    @abstractmethod
    def chance_name(self, outcome: int) -> str:
        """A chance outcome in words."""

    @abstractmethod
    def text(self, state: np.record, seat: int | None = None) -> str:
        """A position for people to read, as ``seat`` sees it or, with None, as the table does."""

    @abstractmethod
    def picture(self, state: np.record, seat: int | None = None) -> np.ndarray:
        """A position drawn: uint8 ``[height, width, 3]``, always of the same shape."""

    # What all games can do.

    def start(self, seed: int | None = None, explicit_chance: bool = False) -> State:
        """A new game. With ``explicit_chance`` the caller plays the chance outcomes too."""
        from .state import State

        return State.begin(self, seed, explicit_chance)

    def env(self, render_mode: str | None = None) -> DuelEnv:
        """The PettingZoo AEC environment of this game."""
        from .aec import DuelEnv

        return DuelEnv(self, render_mode)

    def vector(
        self, num_envs: int, num_threads: int | None = None, skip_forced: bool = False
    ) -> VectorEnv:
        """``num_envs`` games in one array, for self-play."""
        from .vector import VectorEnv

        return VectorEnv(self, num_envs, num_threads, skip_forced)

    @cached_property
    def num_players(self) -> int:
        """Seats."""
        return self.facts.num_players

    @cached_property
    def num_actions(self) -> int:
        """Size of the action space."""
        return self.facts.num_actions

    @cached_property
    def observation_size(self) -> int:
        """Entries of an observation."""
        return sum(section.size for section in self.sections)

    @cached_property
    def template(self) -> np.ndarray:
        """One record, ``[1]``, with the parameters set and everything else zero."""
        template = np.zeros(1, self.record)
        template["num_players"] = self.num_players
        for field, value in self.parameters().items():
            template[field] = value
        template.flags.writeable = False
        return template

    @cached_property
    def scratch(self) -> Scratch:
        """Buffers that all single states of this game share."""
        return Scratch(self.facts)

    def describe(self, observation_: np.ndarray) -> dict[str, Any]:
        """An observation, float32 ``[observation_size]``, in words."""
        return observation.describe(self.sections, observation_)

    @cached_property
    def _actions_by_name(self) -> list[dict[str, int]]:
        return [
            {self.action_name(action, seat): action for action in range(self.num_actions)}
            for seat in range(self.num_players)
        ]

    def action(self, name: str, seat: int = 0) -> int:
        """The action that ``action_name`` calls ``name``.

        Raises:
            IllegalActionError: There is no such action.
        """
        actions = self._actions_by_name[seat]
        if name not in actions:
            raise IllegalActionError(
                f"{self.label} has no action {name!r}; {suggest(name, actions)}"
            )
        return actions[name]

    @cached_property
    def _outcomes_by_name(self) -> dict[str, int]:
        outcomes = range(self.facts.num_chance_outcomes)
        return {self.chance_name(outcome): outcome for outcome in outcomes}

    def outcome(self, name: str) -> int:
        """The chance outcome that ``chance_name`` calls ``name``.

        Raises:
            IllegalActionError: There is no such outcome.
        """
        if name not in self._outcomes_by_name:
            raise IllegalActionError(
                f"{self.label} has no chance outcome {name!r}; "
                f"{suggest(name, self._outcomes_by_name)}"
            )
        return self._outcomes_by_name[name]

    @property
    def label(self) -> str:
        """Name, version and options that differ from the default, such as ``dragon_deck_v0(target=3)``."""
        default = self.Options(**next(iter(self.variants.values()), {}))
        changed = [
            f"{field.name}={getattr(self.options, field.name)!r}"
            for field in dataclasses.fields(self.options)
            if getattr(self.options, field.name) != getattr(default, field.name)
        ]
        return f"{self.name}_v{self.version}" + (f"({', '.join(changed)})" if changed else "")

    @cached_property
    def _options_text(self) -> str:
        return json.dumps(dataclasses.asdict(self.options))

    @cached_property
    def _changed_options_text(self) -> str:
        kind, first = type(self), next(iter(self.variants))
        given = self.identity()["options"]
        for option in tuple(given):
            fewer = {key: value for key, value in given.items() if key != option}
            if kind(first, **fewer) == self:
                given = fewer
        return json.dumps(given)

    def changed_options(self) -> dict[str, Any]:
        """The fewest options, as JSON has them, that make an equal game from the first variant."""
        return json.loads(self._changed_options_text)

    def identity(self) -> dict[str, Any]:
        """What saved things are compared by: game, version, options and the layout of a state.

        The options are as JSON has them, tuples as lists, and make an equal game again.
        """
        return {
            "game": self.name,
            "version": self.version,
            "options": json.loads(self._options_text),
            "layout": records.layout_version(self.record),
        }

    def save_states(self, states: np.ndarray) -> dict[str, Any]:
        """States ``[n]`` as plain data that outlives the process: identity and bytes."""
        return {**self.identity(), "bytes": states.tobytes()}

    def load_states(self, saved: Mapping[str, Any]) -> np.ndarray:
        """The states that ``save_states`` gave, in today's record type.

        Raises:
            StateFormatError: They are of another game, variant or layout, or damaged.
        """
        for key, value in self.identity().items():
            theirs = saved.get(key)
            if theirs != value:
                told = f"{theirs!r}, but {self.label} has {value!r}"
                if key == "options":
                    told = f"of {self._label_of(theirs)}, but this is {self.label}"
                raise StateFormatError(f"saved state has {key} {told}")
        data = saved.get("bytes", b"")
        if not data or len(data) % self.record.itemsize:
            raise StateFormatError(
                f"saved state of {self.label} has {len(data)} bytes, "
                f"not a multiple of {self.record.itemsize}"
            )
        return np.frombuffer(data, self.record).copy()

    def _label_of(self, options: Any) -> str:
        """How a game of this kind with other options is called."""
        try:
            return type(self)(**options).label
        except (OptionError, TypeError):
            return repr(options)

    def check_states(self, states: np.ndarray) -> None:
        """Refuse an array that is not of this game's registered record type and parameters.

        Raises:
            StateFormatError: It is not.
        """
        if states.dtype != self.record:
            raise StateFormatError(
                f"{self.label} takes states of its own record type, not {states.dtype.names}; "
                "load saved states with load_states()"
            )
        # Compiled code trusts them: they say how far to read and write.
        for field in ("num_players", *self.parameters()):
            if (states[field] != self.template[field]).any():
                raise StateFormatError(f"{self.label} takes no states with another {field}")

    def check_sizes(self, observation_size: int, num_actions: int) -> None:
        """Refuse a saved environment whose arrays have other sizes than the game has now.

        Raises:
            StateFormatError: They have.
        """
        if (observation_size, num_actions) != (self.observation_size, self.num_actions):
            raise StateFormatError(
                f"saved environment has {observation_size} observation entries and {num_actions} "
                f"actions, but {self.label} has {self.observation_size} and {self.num_actions}"
            )

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Game) and self.identity() == other.identity())

    def __hash__(self) -> int:
        return hash((self.name, self.options))

    def __repr__(self) -> str:
        return self.label

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), dict(vars(self.options)))


def _rebuild(game: type[Game], options: dict[str, Any]) -> Game:
    return game(**options)
