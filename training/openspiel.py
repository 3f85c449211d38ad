"""OpenSpiel: every game and variant as a game of ``pyspiel``.

Importing this module registers them: the first variant of a game as ``duelgym_<game>``, the others
as ``duelgym_<game>_<variant>``, with the options of the game as parameters::

    import pyspiel
    import duelgym.training.openspiel

    game = pyspiel.load_game("duelgym_dragon_deck_tiny")
    game = pyspiel.load_game("duelgym_gem_duel(num_players=3,target=2)")

``load`` takes a ``Game`` with any options. Chance is explicit, moves that are made at the same time
are made one after the other without being shown, and actions and outcomes have the numbers they
have everywhere in Duelgym. A game that is cut off by a limit simply ends there, with its returns.

* The observation, tensor and string, is that of ``State.observation``.
* The information state has perfect recall. As a string it is all that the seat has seen, the codes
  of ``State.information_state``: two positions have the same one if, and only if, the seat cannot
  tell them apart. As a tensor it is the observation and then that log, ``CODE_BITS`` binary digits
  a code; it is long where games are long (``information_state_tensor_size``).

What is too large for what:

* Walking the whole tree (``exploitability``, CFR, CFR+, linear programs, ``get_all_states``) is for
  Leduc poker, 9,457 positions, and for Dragon Deck ``tiny``, about 390,000, where exploitability
  takes a minute or two. All else is out of reach: ``small`` has about 10 ** 16 positions.
* External sampling walks all of one seat's moves at every update, and so do Deep CFR and the like:
  about 20 positions in Leduc poker, 60 in ``tiny``, 6,500 in ``small``, and 14 million in ``medium``.
  It learns Leduc poker in seconds and ``tiny`` slowly: with ``target=1``, of 16,236 information states,
  15,000 iterations lead from an exploitability of 0.561 to 0.431. It runs on ``small``, where the
  information states are too many for a table and nobody can say how exploitable the outcome is. Outcome sampling walks a
  single line of play and runs on every game, with tables that help just as little.
* Search by IS-MCTS runs on every game. It has to be OpenSpiel's Python ``ISMCTSBot``, which asks the
  state for ``resample_from_infostate``; the C++ bot cannot reach games written in Python.
* Whatever learns from observations in episodes (DQN, NFSP, PPO, policy gradients) runs on every game,
  at the speed of OpenSpiel's Python games, tens of thousands of moves a second at best: for large
  games ``VectorEnv`` is the fast way.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from ..envs import GAMES, game_class
from ..envs.core.errors import OptionError
from ..envs.core.game import Game
from ..envs.core.records import CHANCE
from ..envs.core.state import State

try:
    import pyspiel
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "OpenSpiel is not installed: pip install 'duelgym[openspiel]'", name="pyspiel"
    ) from None

CODE_BITS = 32
"""Binary digits of each code of the log in an information state's tensor; no code has more."""


def load(game: Game) -> OpenSpielGame:
    """``game`` as ``pyspiel.load_game`` gives it, whatever its options are."""
    kind = type(game)
    for variant in kind.variants:
        if kind(variant) == game:
            return pyspiel.load_game(short_name(kind, variant))
    first = next(iter(kind.variants))
    parameters = {key: _encoded(value) for key, value in game.changed_options().items()}
    return pyspiel.load_game(short_name(kind, first), parameters)


def short_name(kind: type[Game], variant: str) -> str:
    """What ``pyspiel`` calls a variant of a game."""
    return f"duelgym_{kind.name}" + (f"_{variant}" if variant != next(iter(kind.variants)) else "")


class OpenSpielGame(pyspiel.Game):
    """A game of Duelgym, ``game``, for OpenSpiel's algorithms."""

    def __init__(self, kind: type[Game], variant: str, parameters: Mapping[str, Any]) -> None:
        """See ``load``, or ``pyspiel.load_game``."""
        unset = _specification(kind(variant))
        given = {key: value for key, value in parameters.items() if value != unset[key]}
        game = kind(variant, **{key: _decoded(value) for key, value in given.items()})
        facts = game.facts
        info = pyspiel.GameInfo(
            num_distinct_actions=facts.num_actions,
            max_chance_outcomes=facts.num_chance_outcomes,
            num_players=facts.num_players,
            min_utility=facts.min_return,
            max_utility=facts.max_return,
            utility_sum=0.0 if facts.zero_sum else None,
            max_game_length=facts.max_decisions,
        )
        super().__init__(_game_type(short_name(kind, variant), game), info, given)
        self.game = game
        start = game.start(0, explicit_chance=True)
        self._start = _Shared(start, ((0, ""),) * game.num_players)

    def new_initial_state(self) -> OpenSpielState:
        """The start of a game, before any chance."""
        return OpenSpielState(self, self._start)

    def max_chance_nodes_in_history(self) -> int:
        """At most so many chance outcomes before, between and after all decisions."""
        facts = self.game.facts
        return (facts.max_decisions + 1) * facts.max_chance_run

    def make_py_observer(
        self,
        iig_obs_type: pyspiel.IIGObservationType | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> Observer:
        """An observer of positions: the observation, or with ``perfect_recall`` the information state.

        Raises:
            OptionError: Parameters, or a view other than of all that one player knows.
        """
        wanted = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        one_player = pyspiel.PrivateInfoType.SINGLE_PLAYER
        if params or not wanted.public_info or wanted.private_info != one_player:
            raise OptionError(
                f"{self.game.label}: observers see all that a single player knows, with or without "
                f"perfect recall, and take no parameters"
            )
        return Observer(self, wanted.perfect_recall)


@dataclass(frozen=True)
class _Shared:
    """A position that nobody changes, so that copies of a state can share it.

    ``since`` has for each seat where its log begins, and what it knew by then: nothing at the start
    of a game, and for the others an observation where one seat has had their facts drawn anew.
    """

    position: State
    since: tuple[tuple[int, str], ...]

    def codes(self, seat: int) -> tuple[int, ...]:
        return self.position.information_state(seat)[self.since[seat][0] :]

    def __deepcopy__(self, memo: dict[int, Any]) -> _Shared:
        return self


class OpenSpielState(pyspiel.State):
    """A position of a game."""

    def __init__(self, game: OpenSpielGame, shared: _Shared) -> None:
        """Use ``game.new_initial_state()`` instead."""
        super().__init__(game)
        self._shared = shared

    @property
    def position(self) -> State:
        """The same as Duelgym's ``State``, to read."""
        return self._shared.position

    def current_player(self) -> int:
        """The seat to move, or chance, or that the game is over."""
        player = self.position.player
        if player >= 0:
            return player
        return pyspiel.PlayerId.CHANCE if player == CHANCE else pyspiel.PlayerId.TERMINAL

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Every outcome of a chance node with its probability."""
        return self.position.chance_outcomes()

    def _apply_action(self, action: int) -> None:
        position = self.position.clone()
        position.apply(action)
        self._shared = _Shared(position, self._shared.since)

    def _action_to_string(self, player: int, action: int) -> str:
        game = self.position.game
        return game.chance_name(action) if player < 0 else game.action_name(action, player)

    def is_terminal(self) -> bool:
        """Whether the game has ended or was cut off."""
        return self.position.is_over

    def returns(self) -> list[float]:
        """The payoffs, all 0 before the end."""
        if self.position.is_over:
            # OpenSpiel wants sums of 0 to nine digits; the thirds of the rules have the seven of float32.
            exact = (Fraction(payoff).limit_denominator(1000) for payoff in self.position.returns())
            return [float(payoff) for payoff in exact]
        return [0.0] * self.position.game.num_players

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> OpenSpielState:
        """A copy in which everything ``player`` does not know is drawn anew.

        What ``player`` has seen stays. What the others have seen before would no longer fit the facts,
        so their information states begin with what they observe now. The history of actions stays
        as it is.

        Args:
            player: The seat.
            sampler: Gives the only randomness: numbers from 0 up to 1.
        """
        position = self.position.resample(player, int(sampler() * 2**53))
        since = tuple(
            own if seat == player else _known_by_now(position, seat)
            for seat, own in enumerate(self._shared.since)
        )
        other = self.clone()
        other._shared = _Shared(position, since)
        return other

    def __str__(self) -> str:
        return str(self.position)


def _known_by_now(position: State, seat: int) -> tuple[int, str]:
    digest = hashlib.blake2b(position.observation(seat).tobytes(), digest_size=16).hexdigest()
    return len(position.information_state(seat)), f"[{digest}] "


class Observer:
    """What a player knows of positions, in the interface of ``open_spiel.python.observation``.

    Attributes:
        tensor: float32, all of ``dict``, one after the other; overwritten by ``set_from``.
        dict: ``observation`` ``[observation_size]`` and, with perfect recall, ``log``
            ``[codes, CODE_BITS]``, the least binary digit first, zero from where it ends.
    """

    def __init__(self, game: OpenSpielGame, perfect_recall: bool) -> None:
        """Make room for ``game``."""
        size = game.game.observation_size
        codes = game.max_move_number() if perfect_recall else 0
        self.tensor = np.zeros(size + codes * CODE_BITS, np.float32)
        self.dict = {"observation": self.tensor[:size]}
        if perfect_recall:
            self.dict["log"] = self.tensor[size:].reshape(codes, CODE_BITS)

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Write what ``player`` knows in ``state``."""
        self.tensor.fill(0)
        self.dict["observation"][:] = state.position.observation(player)
        if "log" in self.dict:
            codes = np.array(state._shared.codes(player), "<u4")
            octets = codes.view(np.uint8).reshape(-1, CODE_BITS // 8)
            bits = np.unpackbits(octets, axis=1, bitorder="little")
            self.dict["log"][: len(codes)] = bits

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """What ``player`` knows in ``state``, and who that is."""
        if "log" in self.dict:
            known = state._shared.since[player][1] + " ".join(map(str, state._shared.codes(player)))
        else:
            position = state.position
            known = json.dumps(position.game.describe(position.observation(player)))
        return f"player_{player}: {known}"


def _game_type(name: str, game: Game) -> pyspiel.GameType:
    kind = pyspiel.GameType
    zero_sum = game.facts.zero_sum
    return kind(
        short_name=name,
        long_name=f"{game.title} (Duelgym)",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if zero_sum else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=game.num_players,
        min_num_players=game.num_players,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_specification(game),
    )


def _specification(game: Game) -> dict[str, Any]:
    """The parameters, with what stands for those that are not given.

    OpenSpiel fills in the values that are missing, but many options of the rules follow from others
    unless they are given. Those that only a structure can hold are text: JSON, percent-encoded.
    """
    unset = {}
    for option, value in dataclasses.asdict(game.options).items():
        if isinstance(value, bool):
            unset[option] = value
        else:
            unset[option] = -1 if isinstance(value, int) else ""
    return unset


def _encoded(value: Any) -> Any:
    """An option as OpenSpiel's parameters can hold it, in the names of games too."""
    return value if isinstance(value, (bool, int)) else quote(json.dumps(value), safe="")


def _decoded(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(unquote(value))
    except ValueError:
        return unquote(value)


def _register(kind: type[Game], variant: str) -> None:
    # A class, as it stays alive as long as OpenSpiel's registry, which outlives the interpreter.
    class Registered(OpenSpielGame):
        def __init__(self, parameters: Mapping[str, Any]) -> None:
            super().__init__(kind, variant, parameters)

    pyspiel.register_game(_game_type(short_name(kind, variant), kind(variant)), Registered)


for _name in GAMES:
    for _variant in game_class(_name).variants:
        _register(game_class(_name), _variant)
