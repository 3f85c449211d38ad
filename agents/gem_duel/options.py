"""The options of Gem Duel, as its scripted players carry them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.core import records
from ...envs.core.game import Game
from . import asking, telling

OPTIONS = records.register(
    "gem_duel_player",
    [
        ("num_players", np.int64),
        ("hand_size", np.int64),
        ("max_power", np.int64),
        ("target", np.int64),
        ("clue_marks_specials", np.int64),
        ("num_cards", np.int64),
    ],
    asking,
    [],
    telling.__name__,
)
"""A record type of its own, so that what all players share is compiled once.

It changes with the code of ``asking`` and ``telling`` and all that they import. A compiled function
that reaches beyond its own module takes the options: without them it would be loaded from a cache
that does not notice changes elsewhere.
"""

FIELDS: list[records.Field] = [("options", OPTIONS)]
"""What the record of a player holds."""


def parameters(game: Game) -> dict[str, Any]:
    """Values of ``FIELDS``."""
    known = {**game.parameters(), "num_players": game.num_players}
    options = np.zeros(1, OPTIONS)
    for name in known.keys() & set(OPTIONS.names or ()):
        options[name] = known[name]
    return {"options": options[0]}
