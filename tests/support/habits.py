"""Ways to play that reach positions which uniformly random players hardly ever see."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from duelgym.envs.core import State

Habit = Callable[[State, np.random.Generator], int]


def uniform(state: State, moves: np.random.Generator) -> int:
    """Any legal action."""
    return int(moves.choice(state.legal_actions()))


def gather(state: State, moves: np.random.Generator) -> int:
    """Delights & Dragons: bring out all characters before anything else, and never give up."""
    names = {state.action_name(action): action for action in state.legal_actions()}
    if "reshuffle" in names:
        return names["reshuffle"]
    items = {item.name for item in state.game.items}  # pyright: ignore[reportAttributeAccessIssue]
    characters = [
        action
        for name, action in names.items()
        if name.startswith("play ") and name.removeprefix("play ") not in items
    ]
    if characters:
        return int(moves.choice(characters))
    if state.record.deck_size[state.player] > 0 and "end phase" in names:
        return names["end phase"]
    return uniform(state, moves)


RARE: dict[str, Habit] = {"delights_and_dragons": gather}
"""By game; for games that are not here random play reaches everything."""
