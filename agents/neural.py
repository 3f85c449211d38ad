"""Neural agents: a policy and value network in PyTorch, and the files it is kept in."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

try:
    import torch
    from safetensors import SafetensorError, safe_open
    from safetensors.torch import save
    from torch import nn
except ImportError as error:
    from ..envs.core.errors import OptionError as _OptionError

    raise _OptionError(f"neural agents need {error.name}: pip install 'duelgym[train]'") from None

from ..envs import make
from ..envs.core import observation
from ..envs.core.errors import DuelgymError, OptionError
from ..envs.core.files import write_atomically
from ..envs.core.game import Game
from .sampling import SamplingAgent

if hasattr(os, "register_at_fork"):
    # A forked child inherits no threads of Torch's pool and would wait for them for ever.
    os.register_at_fork(after_in_child=lambda: torch.set_num_threads(1))

if TYPE_CHECKING:
    from .dragon_deck.lookahead import LookaheadAgent
    from .search.guided import GuidedAgent

FORMAT = 1
"""Version of the files; it changes when older ones can no longer be read."""


class CheckpointError(DuelgymError):
    """A file that is not a whole checkpoint, or one of another game, version or format."""


class PolicyValueNet(nn.Module):
    """A perceptron with one trunk and two heads, seeing the game from the seat to move.

    Entries of the observation are divided by their greatest value, so counts and flags are of
    one size.
    """

    def __init__(self, game: Game, hidden: Sequence[int]) -> None:
        """A network for the observations and actions of ``game``, ``hidden`` units a layer."""
        super().__init__()
        self.scale: torch.Tensor
        self.register_buffer("scale", _scale(game))
        sizes = [game.observation_size, *hidden]
        self.trunk = _trunk(sizes)
        self.policy = _linear(sizes[-1], game.num_actions, 0.01)
        self.value = _linear(sizes[-1], 1, 1.0)

    def forward(
        self, observations: torch.Tensor, masks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities ``[n, num_actions]`` (illegal ones very low) and values ``[n]``."""
        features = self.trunk(observations * self.scale)
        logits = self.policy(features).masked_fill(masks == 0, -1e9)
        return torch.log_softmax(logits, -1), self.value(features).squeeze(-1)


class ValueNet(nn.Module):
    """A perceptron that values what an observer sees, from -1 to 1."""

    def __init__(self, game: Game, hidden: Sequence[int]) -> None:
        """A network for the observations of ``game``, ``hidden`` units a layer."""
        super().__init__()
        self.scale: torch.Tensor
        self.register_buffer("scale", _scale(game))
        sizes = [game.observation_size, *hidden]
        self.trunk = _trunk(sizes)
        self.value = _linear(sizes[-1], 1, 1.0)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Values ``[n]`` of observations ``[n, observation_size]``."""
        return torch.tanh(self.value(self.trunk(observations * self.scale)).squeeze(-1))


def predict(net: ValueNet, observations: np.ndarray) -> np.ndarray:
    """The values of observations, float32 ``[n, observation_size]``: float32 ``[n]``."""
    with torch.inference_mode():
        return net(torch.from_numpy(observations)).numpy()


def _scale(game: Game) -> torch.Tensor:
    """What entries of the observation are multiplied by to lie between -1 and 1."""
    low, high = observation.bounds(game.sections)
    scale = 1 / np.maximum(np.maximum(np.abs(low), np.abs(high)), 1)
    return torch.from_numpy(scale.astype(np.float32))


def _trunk(sizes: Sequence[int]) -> nn.Sequential:
    """Layers of these widths, the input first."""
    layers: list[nn.Module] = []
    for size, width in pairwise(sizes):
        layers += [_linear(size, width, 2**0.5), nn.ReLU()]
    return nn.Sequential(*layers)


def _linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    """A layer with orthogonal weights, as is usual in policy optimisation."""
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


Net = TypeVar("Net", PolicyValueNet, ValueNet)


class NeuralAgent(SamplingAgent):
    """Plays by sampling from the policy of a network."""

    def __init__(self, net: PolicyValueNet, game: Game, name: str = "neural") -> None:
        """An agent that plays ``game`` with ``net``; ``name`` is shown in tables."""
        self.net = net.eval()
        self.game = game
        self.name = name

    def check(self, game: Game) -> None:
        """Raise ``OptionError`` if the network was trained on anything but ``game``."""
        if game != self.game:
            raise OptionError(f"{self.name} was trained on {self.game.label}, not {game.label}")

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The policy: float32 ``[n, num_actions]``, zero where ``masks`` is."""
        with torch.inference_mode():
            logs, _ = self.net(torch.from_numpy(observations), torch.from_numpy(masks))
        return logs.exp().numpy()


@contextmanager
def single_threaded_torch() -> Iterator[None]:
    """Keep Torch's own pool of threads out of it, which small networks only wait for.

    On a busy machine it waits in every single operation for whichever thread lost its core.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def save_tensors(path: Path, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any]) -> None:
    """Write tensors and plain facts to one safetensors file, whole or not at all."""
    data = save(
        {name: tensor.contiguous() for name, tensor in tensors.items()},
        {"format": str(FORMAT), "duelgym": json.dumps(facts)},
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data)


def load_tensors(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """What ``save_tensors`` wrote.

    Raises:
        CheckpointError: The file is missing, damaged, or not one of Duelgym's.
    """
    try:
        with safe_open(path, "pt") as file:
            facts = file.metadata() or {}
            if "duelgym" not in facts:
                raise CheckpointError(f"{path} is a safetensors file, but not one of Duelgym's")
            if facts.get("format") != str(FORMAT):
                raise CheckpointError(
                    f"{path} has checkpoint format {facts.get('format')}, this release reads {FORMAT}"
                )
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            return tensors, json.loads(facts["duelgym"])
    except (OSError, SafetensorError, json.JSONDecodeError) as error:
        raise CheckpointError(f"cannot read checkpoint {path}: {error}") from None


def tensors_under(tensors: Mapping[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    """The tensors whose names begin with ``prefix``, under the rest of their names."""
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }


def latest_checkpoint(run: Path) -> Path | None:
    """The newest checkpoint in a run folder, if there is one."""
    return max((run / "checkpoints").glob("*.safetensors"), default=None)


def agent_file(path: Path) -> Path:
    """A checkpoint file itself, or the final (else the newest) one of a run folder.

    Raises:
        CheckpointError: The folder has none.
    """
    if not path.is_dir():
        return path
    final = path / "agent.safetensors"
    file = final if final.exists() else latest_checkpoint(path)
    if file is None:
        raise CheckpointError(f"{path} is not a run folder: it has no agent.safetensors")
    return file


@overload
def load_agent(path: Path) -> NeuralAgent | LookaheadAgent: ...
@overload
def load_agent(path: Path, **parameters: Any) -> NeuralAgent | LookaheadAgent | GuidedAgent: ...
def load_agent(path: Path, **parameters: Any) -> NeuralAgent | LookaheadAgent | GuidedAgent:
    """The agent in a checkpoint file or a run folder, see ``agent_file``.

    Args:
        path: Where it is.
        parameters: For agents that look ahead ``exact``, see there. A policy with parameters guides
            a search, whose they are: see ``search.guided``.

    Raises:
        CheckpointError: There is none, or it is damaged, or of a game that this release plays
            differently.
        OptionError: There is no such parameter, or it cannot have this value.
    """
    file = agent_file(path)
    tensors, facts = load_tensors(file)
    game = saved_game(file, facts)
    name = path.name if path.is_dir() else file.stem
    try:
        if facts.get("kind") == "lookahead":
            from .dragon_deck.lookahead import load_lookahead

            return load_lookahead(tensors, facts, game, name, parameters)
        net = loaded(PolicyValueNet, game, facts["hidden"], tensors_under(tensors, "net."))
    except RuntimeError as error:
        raise CheckpointError(
            f"{file} does not fit the network it describes: {' '.join(str(error).split())}"
        ) from None
    if parameters:
        from .search.guided import GuidedAgent

        return GuidedAgent(net, game, name, **parameters)
    return NeuralAgent(net, game, name)


def loaded(
    kind: type[Net], game: Game, hidden: Sequence[int], tensors: Mapping[str, torch.Tensor]
) -> Net:
    """A network with the given weights; ``RuntimeError`` if they do not fit."""
    with torch.device("meta"):  # weights are given, so none are drawn
        net = kind(game, hidden)
    net.load_state_dict(tensors, assign=True)
    return net


def saved_game(path: Path, facts: Mapping[str, Any]) -> Game:
    """The game that a checkpoint was trained on.

    Raises:
        CheckpointError: This release does not have it, or has it in another version or layout.
    """
    identity = facts["identity"]
    try:
        game = make(identity["game"], **identity["options"])
    except OptionError as error:
        raise CheckpointError(f"{path}: {error}") from None
    for key, value in game.identity().items():
        if identity.get(key) != value:
            raise CheckpointError(
                f"{path} was trained on {identity['game']} with {key} {identity.get(key)!r}, "
                f"but this release has {value!r}"
            )
    return game
