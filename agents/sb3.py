"""Agents from Stable-Baselines3: policies trained by MaskablePPO of sb3-contrib."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np

from ..envs.core.errors import OptionError

try:
    import torch
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.distributions import make_masked_proba_distribution
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
except ImportError as error:
    raise OptionError(f"SB3 agents need {error.name}: pip install 'duelgym[sb3]'") from None

from ..envs.core import observation
from ..envs.core.game import Game
from .protocol import Agent
from .sampling import sample_rows


class ScaledObservations(BaseFeaturesExtractor):
    """Divides every entry of the observation by its greatest value, so that all are of one size."""

    def __init__(self, observation_space: Any) -> None:
        """For a Box with finite bounds."""
        super().__init__(observation_space, observation_space.shape[0])
        greatest = np.maximum(np.abs(observation_space.low), np.abs(observation_space.high))
        self.scale: torch.Tensor
        self.register_buffer("scale", torch.from_numpy(1 / np.maximum(greatest, 1)))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """``[n, observation_size]`` to the same shape."""
        return observations * self.scale


class MaskedPolicy(MaskableActorCriticPolicy):
    """The policy for MaskablePPO: it scales observations, and does not predict without a mask."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        """As ``MaskableActorCriticPolicy``, with ``ScaledObservations`` for its features."""
        super().__init__(*arguments, **{"features_extractor_class": ScaledObservations, **settings})

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
        action_masks: np.ndarray | None = None,
    ) -> tuple[np.ndarray, Any]:
        """Actions for observations; see ``MaskableActorCriticPolicy.predict``.

        Raises:
            OptionError: There is no mask, so that the action might be illegal.
        """
        if action_masks is None:
            raise OptionError(
                "no action is predicted without a mask; give "
                "predict(observation, action_masks=...), from info['action_mask'] or "
                "sb3_contrib's get_action_masks(env)"
            )
        return super().predict(observation, state, episode_start, deterministic, action_masks)


class Sb3Agent(Agent):
    """Plays by sampling from the policy of a model, with each row's own random numbers."""

    def __init__(self, model: MaskablePPO, name: str = "sb3") -> None:
        """Play with a copy of the policy of ``model`` as it is now; ``name`` is shown in tables.

        Raises:
            OptionError: The model is none of sb3-contrib's MaskablePPO.
        """
        if not isinstance(model, MaskablePPO):
            raise OptionError(f"an SB3 agent takes a MaskablePPO, not {type(model).__name__}")
        policy = model.policy
        # Without the optimiser, which is twice as large, and with a distribution of its own: the
        # model's remembers the last gradients.
        replaced = {
            id(policy.optimizer): None,
            id(policy.action_dist): make_masked_proba_distribution(policy.action_space),
        }
        self.policy = copy.deepcopy(policy, replaced).cpu()
        self.policy.set_training_mode(False)
        self.name = name

    def check(self, game: Game) -> None:
        """Raise ``OptionError`` if the policy is for other observations or actions."""
        seen, made = self.policy.observation_space, self.policy.action_space
        low, high = observation.bounds(game.sections)
        same = seen.shape == low.shape and (seen.low == low).all() and (seen.high == high).all()  # type: ignore[union-attr, attr-defined]
        if not same or getattr(made, "n", None) != game.num_actions:
            raise OptionError(
                f"{self.name} was trained on observations {list(seen.shape or [])} and "
                f"{getattr(made, 'n', made)} actions, and does not play {game.label}, which has "
                f"[{game.observation_size}] and {game.num_actions}"
            )

    def _prepare(self, game: Game, seeds: np.ndarray) -> None:
        self._seeds = seeds
        self._words = np.zeros(len(seeds), np.int64)

    def choose(
        self, observations: np.ndarray, masks: np.ndarray, rows: np.ndarray, actions: np.ndarray
    ) -> None:
        """See ``Agent.choose``."""
        with torch.inference_mode():
            seen = torch.from_numpy(observations[rows])
            chosen: Any = self.policy.get_distribution(seen, masks[rows]).distribution
            policy = chosen.probs.numpy()
        sample_rows(policy, masks, self._seeds, self._words, rows, actions)


def load_sb3(path: Path, game: Game, trust: bool = False) -> Sb3Agent:
    """The agent in a file that ``MaskablePPO.save`` wrote, to play ``game``.

    Args:
        path: The ``.zip`` file.
        game: What it was trained on.
        trust: Such a file holds pickled objects, and reading it runs whatever code is in them. Say
            True for files that you or somebody you trust has made.

    Raises:
        OptionError: ``trust`` is not True, or the file is missing, damaged or of another game.
    """
    if trust is not True:
        raise OptionError(
            f"{path} holds pickled objects, and reading it runs the code in them; if you trust who "
            "made it, say so with trust=True"
        )
    if not path.is_file():
        raise OptionError(f"there is no file {path}")
    try:
        model = MaskablePPO.load(path, device="cpu")
    except Exception as error:  # of pickle, zipfile, Torch, JSON or SB3, as the damage goes
        told = " ".join(str(error).split())
        raise OptionError(f"cannot read a MaskablePPO from {path}: {told}") from None
    agent = Sb3Agent(model, path.stem)
    agent.check(game)
    return agent
