"""The oracle of Leduc poker: an equilibrium of the whole game."""

from __future__ import annotations

import numpy as np

from ...envs.core.errors import OptionError
from ...envs.core.game import Game
from ..equilibrium import equilibrium
from ..sampling import SamplingAgent
from ..sequence_form import sequence_form


class OracleAgent(SamplingAgent):
    """Plays an equilibrium: nobody can win more from it than the value of the game.

    It is computed when first needed, in a few seconds, until a best response gains no more than
    ``equilibrium.TOLERANCE`` chips; seat 0 then loses 0.0856 chips a hand on average to seat 1.
    """

    name = "oracle"

    def check(self, game: Game) -> None:
        """Raise ``OptionError`` for other games."""
        if game.name != "leduc_poker":
            raise OptionError(f"this oracle plays leduc_poker, not {game.name}")

    def _prepare(self, game: Game, seeds: np.ndarray) -> None:
        super()._prepare(game, seeds)
        self._policy = equilibrium(game)
        # An observation of Leduc poker shows all that its seat has seen.
        self._numbers = {
            row.tobytes(): number for number, row in enumerate(sequence_form(game).observations)
        }

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """See ``SamplingAgent``."""
        rows = np.ascontiguousarray(observations, np.float32)
        return self._policy[[self._numbers[row.tobytes()] for row in rows]]
