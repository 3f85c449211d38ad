"""Settings of a training run: typed, checked, and read from YAML files."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, overload

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..agents.dragon_deck.duel import is_small
from ..envs import make
from ..envs.core.errors import OptionError, suggest
from ..envs.core.game import Game
from ..envs.dragon_deck.game import DragonDeck

Width = Annotated[int, Field(ge=1, le=16_384)]


class RunConfig(BaseModel):
    """Everything that a training run depends on, besides the machine, whatever its method."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    method: str = Field(description="how to train")
    game: str = Field(description="name of the game")
    options: dict[str, Any] = Field(default={}, description="its options, where not the default")
    seed: int = Field(default=0, ge=0, lt=2**64, description="settles games, weights and shuffling")
    threads: int = Field(
        default=2, ge=1, le=256, description="worker threads; results depend on it"
    )
    hidden: tuple[Width, ...] = Field(default=(128, 128), description="widths of the hidden layers")
    minibatch_size: int = Field(default=4096, ge=1, description="samples in a gradient step")
    evaluate_games: int = Field(
        default=2000, ge=0, description="games against each scripted agent at every checkpoint"
    )
    battle_deals: int = Field(
        default=0,
        ge=0,
        description="dragon_deck: fixed deals in whose battles the loss is computed at every "
        "checkpoint; a full-size one takes minutes",
    )

    def make_game(self) -> Game:
        """The game to train on."""
        return make(self.game, **self.options)


class TrainConfig(RunConfig):
    """Settings of self-play by proximal policy optimisation. Budgets are in decisions."""

    method: Literal["ppo"] = Field(default="ppo", description="proximal policy optimisation")
    decisions: int = Field(default=8_000_000, ge=1, description="budget, over all seats")

    num_envs: int = Field(default=256, ge=1, le=1_000_000, description="games played at once")
    num_steps: int = Field(
        default=64, ge=2, le=100_000, description="decisions in each game between updates"
    )
    epochs: int = Field(default=4, ge=1, description="passes over the decisions of an update")
    learning_rate: float = Field(default=5e-4, gt=0, description="of Adam at the start; falls to 0")

    gamma: float = Field(default=1.0, gt=0, le=1, description="discount between a seat's decisions")
    gae_lambda: float = Field(default=0.95, ge=0, le=1, description="of the advantage estimate")
    clip: float = Field(default=0.2, gt=0, description="of the probability ratio")
    magnet: float = Field(default=0.2, ge=0, description="weight of the pull to the magnet")
    magnet_horizon: int = Field(
        default=250_000, ge=1, description="decisions over which the magnet follows the network"
    )
    magnet_growth: float = Field(
        default=0.0,
        ge=0,
        description="the horizon is at least this share of the decisions so far; with 1 the magnet "
        "becomes the mean of all networks so far",
    )
    entropy: float = Field(default=0.0, ge=0, description="weight of a bonus for entropy")
    value_weight: float = Field(default=0.5, ge=0, description="weight of the value loss")
    max_grad_norm: float = Field(
        default=0.5, gt=0, description="gradients are clipped to this norm"
    )

    responder_decisions: int = Field(
        default=0,
        ge=0,
        description="budget of an opponent trained against the agent at every checkpoint",
    )
    checkpoint_every: int = Field(
        default=1_000_000, ge=1, description="decisions between checkpoints"
    )


class ValueConfig(RunConfig):
    """Settings of Nash value iteration, for the battles of Dragon Deck."""

    method: Literal["nash_values"] = Field(
        default="nash_values", description="Nash value iteration"
    )
    least: int = Field(
        default=6, ge=1, description="the fewest cards in each hand that a network values"
    )
    solved: int = Field(
        default=8,
        ge=1,
        description="positions with up to so many are learnt from exact values, and so are those of "
        "the first network",
    )
    labels: int = Field(
        default=600_000, ge=100, description="positions to learn from, for each number of cards"
    )
    updates: int = Field(
        default=20_000, ge=1, description="gradient steps for each number of cards"
    )
    minibatch_size: int = Field(default=1024, ge=1, description="positions in a gradient step")
    evaluate_games: int = Field(
        default=500, ge=0, description="games against each scripted agent at the end"
    )
    learning_rate: float = Field(default=3e-3, gt=0, description="of Adam at the start; falls to 0")

    @property
    def sizes(self) -> range:
        """For how many cards in each hand there is a network; none follows on a full hand."""
        game = self.make_game()
        assert isinstance(game, DragonDeck)
        return range(max(self.least, game.fewest_cards), game.num_cards // 2)


METHODS: dict[str, type[TrainConfig] | type[ValueConfig]] = {
    "ppo": TrainConfig,
    "nash_values": ValueConfig,
}
"""How an agent can be trained, and the settings for it."""


def default_method(game: Game) -> str:
    """``nash_values`` for Dragon Deck if it is too large to be solved in a moment, else ``ppo``."""
    if isinstance(game, DragonDeck) and not is_small(game) and game.options.target != 1:
        return "nash_values"
    return "ppo"


@overload
def load_config(
    game: str, file: Path | None = None, /, *, method: Literal["ppo"], **changes: Any
) -> TrainConfig: ...
@overload
def load_config(
    game: str, file: Path | None = None, /, **changes: Any
) -> TrainConfig | ValueConfig: ...
def load_config(
    game: str, file: Path | None = None, /, **changes: Any
) -> TrainConfig | ValueConfig:
    """Settings for ``game``: its defaults, then ``file``, then ``changes``.

    The method is theirs, or else ``default_method``. Its defaults are those in ``configs/<game>.yaml``
    for ``ppo`` and in ``configs/<game>-<method>.yaml`` for another one, and, where the ``options`` in
    ``changes`` are those of a named variant, what ``configs/<game>-<variant>.yaml`` changes, if there
    are such files.

    Raises:
        OptionError: An unknown game, method or key, or an impossible value; it names where it stands.
    """
    known = make(game)
    given, where = {}, f"default settings of {known.name}"
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise OptionError(f"cannot read settings from {file}: {error}") from None
        given, where = _read(text, str(file)), str(file)
        if given.get("game", known.name) != known.name:
            raise OptionError(
                f"{file}: these settings are for {given['game']}, not for {known.name}"
            )
    options = changes.get("options", given.get("options"))
    played = make(game, **options) if isinstance(options, Mapping) else known
    method = changes.get("method", given.get("method", default_method(played)))
    settings: dict[str, Any] = {"game": known.name, "method": method}
    for name in _defaults(played, method):
        default = files("duelgym.configs") / f"{name}.yaml"
        if default.is_file():
            settings |= _read(default.read_text(encoding="utf-8"), default.name)
    config = checked(
        settings | given, "command line" if "method" in changes and file is None else where
    )
    return checked(settings | given | changes, "command line") if changes else config


def _defaults(played: Game, method: Any) -> list[str]:
    """Names of the files with the defaults of a method for a game and for the variant that it is."""
    if method != "ppo":
        return [f"{played.name}-{method}"]
    kind = type(played)
    variants = [name for name in list(kind.variants)[1:] if kind(name) == played]
    return [played.name, *(f"{played.name}-{name}" for name in variants)]


def _read(text: str, where: str) -> dict[str, Any]:
    try:
        settings = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise OptionError(f"{where} is not valid YAML: {' '.join(str(error).split())}") from None
    if not isinstance(settings, dict):
        raise OptionError(
            f"{where}: settings are 'key: value' lines, not a {type(settings).__name__}"
        )
    return settings


def checked(settings: Mapping[str, Any], where: str) -> TrainConfig | ValueConfig:
    """``settings`` for their method, ``ppo`` if they name none, the options as the game settles them.

    So a card set that is given as a file stands in the settings with all its cards, and the run goes
    on as it was when the file has changed or is gone.

    Raises:
        OptionError: An unknown method or key, or an impossible value.
    """
    method = settings.get("method", "ppo")
    if method not in METHODS:
        raise OptionError(f"{where}: unknown method {method!r}; {suggest(str(method), METHODS)}")
    fields = METHODS[method].model_fields
    for key in settings:
        if key not in fields:
            others = [name for name, kind in METHODS.items() if key in kind.model_fields]
            remedy = f"it is one of method={others[0]}" if others else suggest(key, fields)
            raise OptionError(f"{where}: unknown setting {key!r} for method={method}; {remedy}")
    try:
        config = METHODS[method](**settings)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise OptionError(f"{where}: {place}: {first['msg']}, not {first['input']!r}") from None
    game = config.make_game()
    if isinstance(config, TrainConfig) and config.num_envs < config.threads:
        raise OptionError(
            f"{where}: num_envs is at least threads ({config.threads}), not {config.num_envs}"
        )
    if config.battle_deals and not isinstance(game, DragonDeck):
        raise OptionError(f"{where}: battle_deals are those of dragon_deck, not of {config.game}")
    if isinstance(config, ValueConfig):
        if not isinstance(game, DragonDeck):
            raise OptionError(
                f"{where}: nash_values is for dragon_deck; train {config.game} with ppo"
            )
        if not config.sizes:
            few, many = game.fewest_cards, game.num_cards // 2 - 1
            left = (
                f"{few} to {many} cards are left" if few <= many else "nothing is left to play for"
            )
            raise OptionError(
                f"{where}: with least={config.least} there is no network to train for {game.label}, "
                f"where {left} after a battle; lower it, or set method=ppo"
            )
    settled = game.identity()["options"]
    return config.model_copy(update={"options": {key: settled[key] for key in config.options}})
