"""Digests of whole trajectories: equal digests mean equal play, bit for bit.

Run as a script it prints the digest of every game and variant, one a line:
``python digests.py GAMES_A_VARIANT``.
"""

from __future__ import annotations

import hashlib
import sys

import numpy as np
from duelgym.envs import GAMES, game_class, make
from duelgym.envs.core import Game
from duelgym.envs.core.vector import play_random

LENGTH = 30
"""Decisions that are counted for a game which could be very long, but hardly ever is."""


def state_digest(game: Game, games: int, seed: int) -> str:
    """Random games of ``State``: every field, mask, observation, resampling and return."""
    digest = hashlib.sha256()
    moves = np.random.default_rng(seed)
    for number in range(games):
        state = game.start(seed + number)
        while not state.is_over:
            digest.update(state.record.tobytes())
            digest.update(state.legal_mask().tobytes())
            for seat in range(game.num_players):
                digest.update(state.observation(seat).tobytes())
                digest.update(state.resample(seat, number).record.tobytes())
            legal = state.legal_actions()
            state.apply(legal[moves.integers(len(legal))])
        for seat in range(game.num_players):
            digest.update(repr(state.information_state(seat)).encode())
        digest.update(repr(state.returns()).encode())
    return digest.hexdigest()[:16]


def vector_digest(
    game: Game,
    num_envs: int,
    steps: int,
    seed: int,
    num_threads: int = 1,
    skip_forced: bool = False,
) -> str:
    """Random play in a ``VectorEnv``: everything that it gives at every step."""
    env = game.vector(num_envs, num_threads, skip_forced)
    env.reset(seed)
    digest = hashlib.sha256()
    for step in range(steps):
        env.step(env.random_actions(seed, step))
        for array in (env.observations, env.masks, env.players, env.rewards, env.terminated,
                      env.truncated, env.final_observations, env.lengths):  # fmt: skip
            digest.update(array.tobytes())
    return digest.hexdigest()[:16]


def all_digests(games: int, num_envs: int = 4) -> dict[str, str]:
    """About ``games`` random games of each game and variant, in three ways."""
    found = {}
    for name in GAMES:
        for variant in game_class(name).variants:
            game = make(name, variant)
            length = min(game.facts.max_decisions, LENGTH)
            steps = max(1, games * length // num_envs)
            found[f"{name} {variant}"] = " ".join(
                [
                    state_digest(game, max(1, games // 10), 1),
                    vector_digest(game, num_envs, steps, 2),
                    vector_digest(game, num_envs, steps // 2 + 1, 3, skip_forced=True),
                    str(play_random(game, num_envs, steps, 4)),
                ]
            )
    return found


if __name__ == "__main__":
    for case, digest in all_digests(int(sys.argv[1])).items():
        print(f"{case}: {digest}")
