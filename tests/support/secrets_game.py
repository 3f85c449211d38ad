"""The game of ``secrets_rules``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from duelgym.envs.core import Facts, Game, Section

from . import secrets_rules


@dataclass(frozen=True)
class Options:
    """Whether seat 0 may plan."""

    long: bool = False


class SecretsGame(Game):
    """One choice that is hidden from the other player, and one that pays off a move later."""

    name = "secrets"
    title = "Secrets"
    version = 0
    rules = secrets_rules
    Options = Options
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {"short": {}, "long": {"long": True}}

    @property
    def facts(self) -> Facts:
        return Facts(
            num_players=2,
            num_actions=4,
            num_chance_outcomes=1,
            min_decisions=2,
            max_decisions=2,
            max_chance_run=0,
            min_return=-3,
            max_return=3,
            zero_sum=True,
        )

    @property
    def sections(self) -> Sequence[Section]:
        return [
            Section("said", ["said"], "whether the observer has said something"),
            Section("over", ["over"], "whether the game is over"),
        ]

    def parameters(self) -> dict[str, Any]:
        return {"long": int(self.options.long)}

    def action_name(self, action: int, seat: int = 0) -> str:
        return ("heads", "tails", "safe", "plan")[action]

    def chance_name(self, outcome: int) -> str:
        return "nothing"

    def text(self, state: np.record, seat: int | None = None) -> str:
        return f"player {state.player}"

    def picture(self, state: np.record, seat: int | None = None) -> np.ndarray:
        return np.zeros((2, 2, 3), np.uint8)
