"""What a child process plays: in a module that a spawned interpreter can import."""

from __future__ import annotations

from duelgym.envs import make
from duelgym.envs.core.vector import play_random

from support.digests import state_digest, vector_digest


def work() -> str:
    """Batches large enough for two threads, in every interface."""
    game = make("dragon_deck", "small")
    return " ".join(
        [
            vector_digest(game, 4100, 12, 1, num_threads=2),
            str(play_random(game, 4100, 30, 1, num_threads=2)),
            state_digest(game, 5, 1),
        ]
    )


def child(connection) -> None:
    connection.send(work())
