"""Settings of a training run: typed, checked, and read from YAML files."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..envs import make
from ..envs.core.errors import OptionError, suggest
from ..envs.core.game import Game

Width = Annotated[int, Field(ge=1, le=16_384)]


class TrainConfig(BaseModel):
    """Everything that a training run depends on, besides the machine. Budgets are in decisions."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    game: str = Field(description="name of the game")
    options: dict[str, Any] = Field(default={}, description="its options, where not the default")
    seed: int = Field(default=0, ge=0, lt=2**64, description="settles games, weights and shuffling")
    threads: int = Field(
        default=2, ge=1, le=256, description="worker threads; results depend on it"
    )
    decisions: int = Field(default=8_000_000, ge=1, description="budget, over all seats")

    num_envs: int = Field(default=256, ge=1, le=1_000_000, description="games played at once")
    num_steps: int = Field(
        default=64, ge=2, le=100_000, description="decisions in each game between updates"
    )
    epochs: int = Field(default=4, ge=1, description="passes over the decisions of an update")
    minibatch_size: int = Field(default=4096, ge=1, description="decisions in a gradient step")
    learning_rate: float = Field(default=5e-4, gt=0, description="of Adam at the start; falls to 0")
    hidden: tuple[Width, ...] = Field(default=(128, 128), description="widths of the hidden layers")

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

    evaluate_games: int = Field(
        default=2000, ge=0, description="games against each scripted agent at every checkpoint"
    )
    battle_deals: int = Field(
        default=0,
        ge=0,
        description="dragon_deck: fixed deals in whose battles the loss is computed at every "
        "checkpoint; a full-size one takes minutes",
    )
    responder_decisions: int = Field(
        default=0,
        ge=0,
        description="budget of an opponent trained against the agent at every checkpoint",
    )
    checkpoint_every: int = Field(
        default=1_000_000, ge=1, description="decisions between checkpoints"
    )

    def make_game(self) -> Game:
        """The game to train on."""
        return make(self.game, **self.options)


def load_config(game: str, file: Path | None = None, /, **changes: Any) -> TrainConfig:
    """Settings for ``game``: its defaults, then ``file``, then ``changes``.

    The defaults are those in ``configs/<game>.yaml``, and, where the ``options`` in ``changes`` are
    those of a named variant, what ``configs/<game>-<variant>.yaml`` changes, if there is such a file.

    Raises:
        OptionError: An unknown game or key, or an impossible value; it names where it stands.
    """
    known = make(game)
    settings: dict[str, Any] = {"game": known.name}
    for name in _defaults(known, changes.get("options", {})):
        default = files("duelgym.configs") / f"{name}.yaml"
        if default.is_file():
            settings |= _read(default.read_text(encoding="utf-8"), default.name)
    where = f"default settings of {known.name}"
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise OptionError(f"cannot read settings from {file}: {error}") from None
        settings |= _read(text, str(file))
        where = str(file)
    config = checked(settings, where)
    return checked(settings | changes, "command line") if changes else config


def _defaults(game: Game, options: Any) -> list[str]:
    """Names of the files with the defaults of ``game`` and of the variant with these options."""
    if not isinstance(options, Mapping) or not options:
        return [game.name]
    kind = type(game)
    played = kind(**options)
    variants = [variant for variant in kind.variants if kind(variant) == played]
    return [game.name, *(f"{game.name}-{variant}" for variant in variants)]


def _read(text: str, where: str) -> dict[str, Any]:
    try:
        settings = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise OptionError(f"{where} is not valid YAML: {' '.join(str(error).split())}") from None
    if not isinstance(settings, dict):
        raise OptionError(
            f"{where}: settings are 'key: value' lines, not a {type(settings).__name__}"
        )
    return checked_keys(settings, where)


def checked_keys(settings: Mapping[str, Any], where: str) -> dict[str, Any]:
    """``settings``, if there is such a setting for each key."""
    for key in settings:
        if key not in TrainConfig.model_fields:
            raise OptionError(
                f"{where}: unknown setting {key!r}; {suggest(key, TrainConfig.model_fields)}"
            )
    return dict(settings)


def checked(settings: Mapping[str, Any], where: str) -> TrainConfig:
    """``settings`` as a ``TrainConfig``, its options as the game settles them.

    So a card set that is given as a file stands in the settings with all its cards, and the run goes
    on as it was when the file has changed or is gone.

    Raises:
        OptionError: An unknown key or an impossible value.
    """
    try:
        config = TrainConfig(**checked_keys(settings, where))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise OptionError(f"{where}: {place}: {first['msg']}, not {first['input']!r}") from None
    if config.num_envs < config.threads:
        raise OptionError(
            f"{where}: num_envs is at least threads ({config.threads}), not {config.num_envs}"
        )
    if config.battle_deals and config.make_game().name != "dragon_deck":
        raise OptionError(f"{where}: battle_deals are those of dragon_deck, not of {config.game}")
    settled = config.make_game().identity()["options"]
    return config.model_copy(update={"options": {key: settled[key] for key in config.options}})
