"""Equilibria of small two-player zero-sum games, by counterfactual regret minimisation."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..envs.core.game import Game
from .sequence_form import SequenceForm, sequence_form

TOLERANCE = 1e-5
"""An equilibrium is near enough if best responses gain no more, as the mean over both seats."""

_CHECK_EVERY, _MAX_ITERATIONS = 500, 100_000


@lru_cache(maxsize=4)
def equilibrium(game: Game, tolerance: float = TOLERANCE) -> np.ndarray:
    """An equilibrium in the information states of ``sequence_form(game)``, kept for the next call.

    This is CFR+ with alternating updates (Tammelin, "Solving large imperfect information games using
    CFR+", 2014): regrets below 0 are forgotten, and iteration t counts with weight t squared in the
    average strategy.

    Returns:
        Probabilities, float64 ``[num_information_states, num_actions]``.

    Raises:
        OptionError: The game does not have two players and zero sum, or it is too large.
    """
    form = sequence_form(game)
    regrets, total = np.zeros(form.masks.shape), np.zeros(form.masks.shape)
    policy = average = _normalised(regrets, form.masks)
    for iteration in range(1, _MAX_ITERATIONS + 1):
        for seat in range(2):
            found = form.regrets(form.sequence_plan(policy), policy, seat)
            regrets = np.maximum(regrets + found, 0)
            policy = np.where(
                (form.seats == seat)[:, None], _normalised(regrets, form.masks), policy
            )
        total += iteration**2 * form.sequence_plan(policy)[1:].reshape(form.masks.shape)
        if iteration % _CHECK_EVERY == 0:
            average = _normalised(total, form.masks)
            if loss(form, average) <= tolerance:
                break
    average.flags.writeable = False
    return average


def loss(form: SequenceForm, policy: np.ndarray) -> float:
    """What best responses gain on a policy, as the mean over both seats: half NashConv."""
    plan = form.sequence_plan(policy)
    return float((form.best_response_values(plan) - form.values(plan)).sum() / 2)


def _normalised(weights: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Rows in proportion to ``weights``, uniform over legal actions where these are all 0."""
    weights = np.where(weights.sum(1, keepdims=True) > 0, weights, masks)
    return weights / weights.sum(1, keepdims=True)
