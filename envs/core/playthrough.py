"""A random game written down for people: the golden files of the tests are made of these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .game import Game
from .randomness import row_seeds
from .state import State, fresh_seed


def playthrough(game: Game, seed: int = 0) -> str:
    """One game between uniformly random players, move by move.

    Every chance outcome is given with its probability; every decision with the whole table, the
    mover's legal actions, its observation in words, and what it chose. The same ``seed`` always
    gives the same text.
    """
    # The moves come from a seed of their own: players never share randomness with chance.
    words = row_seeds(row_seeds(np.uint64(fresh_seed(seed)), 1)[0], game.facts.max_decisions)

    def choose(state: State, decision: int) -> int:
        legal = state.legal_actions()
        return legal[int(words[decision]) % len(legal)]

    return transcript(game, seed, choose)


def transcript(game: Game, seed: int, choose: Callable[[State, int], int]) -> str:
    """One game move by move, where ``choose`` gives the action at every decision, numbered from 0."""
    state = game.start(seed, explicit_chance=True)
    lines = [f"{game.label}, seed {seed}"]
    decisions = 0
    while not state.is_over:
        if state.is_chance:
            outcome = state.sample_chance()
            probability = dict(state.chance_outcomes())[outcome]
            lines += ["", f"chance: {state.outcome_name(outcome)} (probability {probability:.4g})"]
            state.apply(outcome)
        else:
            action = choose(state, decisions)
            decisions += 1
            lines += ["", *_decision(state, decisions, action)]
            state.apply(action)
    returns = ", ".join(f"player_{seat} {payoff:+g}" for seat, payoff in enumerate(state.returns()))
    end = "cut off" if state.is_truncated else "over"
    lines += ["", f"--- {end} after {decisions} decisions ---", str(state), f"returns: {returns}"]
    return "\n".join(line.rstrip() for text in lines for line in text.split("\n")) + "\n"


def _decision(state: State, number: int, action: int) -> list[str]:
    mover = f"player_{state.player}"
    seen = state.game.describe(state.observation())
    return [
        f"--- decision {number}, {mover} ---",
        str(state),
        f"{mover} sees:",
        *(f"  {name}: {_words(value)}" for name, value in seen.items()),
        f"{mover} may: {', '.join(state.action_name(choice) for choice in state.legal_actions())}",
        f"{mover} plays: {state.action_name(action)}",
    ]


def _words(value: Any) -> str:
    if isinstance(value, dict):
        value = [f"{label}: {number}" for label, number in value.items()]
    return ", ".join(value) or "-" if isinstance(value, list) else str(value)
