"""The toy game as a ``Game``; see ``toy_rules``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from duelgym.envs.core import Facts, Game, Section

from . import toy_rules


@dataclass(frozen=True)
class Options:
    """None."""


class ToyGame(Game):
    """Three players, one of whom never decides; it can be cut off."""

    name = "toy"
    title = "Toy"
    version = 3
    rules = toy_rules
    Options = Options
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {"standard": {}}

    @property
    def facts(self) -> Facts:
        return Facts(
            num_players=3,
            num_actions=2,
            num_chance_outcomes=3,
            min_decisions=1,
            max_decisions=toy_rules.LIMIT,
            max_chance_run=2,
            min_return=-1.5,
            max_return=3,
            zero_sum=True,
            can_truncate=True,
        )

    @property
    def sections(self) -> Sequence[Section]:
        return [
            Section("card", ["value"], "the secret card, if known", 0, 3, "numbers"),
            Section("coin", ["heads"], "the coin"),
            Section("waits", ["waits"], "how often anybody has waited", 0, 6, "numbers"),
        ]

    def parameters(self) -> dict[str, Any]:
        return {}

    def action_name(self, action: int, seat: int = 0) -> str:
        return ("wait", "stop")[action]

    def chance_name(self, outcome: int) -> str:
        return f"outcome {outcome}"

    def text(self, state: np.record, seat: int | None = None) -> str:
        return f"{state.waits} waits, player {state.player}"

    def picture(self, state: np.record, seat: int | None = None) -> np.ndarray:
        return np.zeros((2, 2, 3), np.uint8)
