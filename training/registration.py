"""Duelgym's games in Gymnasium's registry: light, because importing ``duelgym`` runs it."""

from __future__ import annotations

import gymnasium

ENVIRONMENTS = {
    "duelgym/DelightsAndDragons-v0": "delights_and_dragons_v0",
    "duelgym/DragonDeck-v0": "dragon_deck_v0",
    "duelgym/DragonsPath-v0": "dragons_path_v0",
    "duelgym/GemDuel-v0": "gem_duel_v0",
    "duelgym/LeducPoker-v0": "leduc_poker_v0",
}
"""Name and version of every game in Gymnasium, and as ``make`` takes them."""


def register_environments() -> None:
    """Make ``gymnasium.make`` and ``gymnasium.make_vec`` know the games."""
    for name, game in ENVIRONMENTS.items():
        gymnasium.register(
            name,
            entry_point="duelgym.training.gymnasium_env:SingleAgentEnv",
            vector_entry_point="duelgym.training.gymnasium_env:SingleAgentVectorEnv",
            kwargs={"game": game},
        )
