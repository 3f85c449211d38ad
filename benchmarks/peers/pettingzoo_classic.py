"""PettingZoo's leduc_holdem_v4, which wraps RLCard's: random play on one core.

The loop is PettingZoo's own, agent_iter, last and step, with a random action from the
mask, for the wrapped env() and for raw_env(). One run of each gives two modes: the plain
loop, and the same with the time of choosing the actions left out. The steps that take
finished players away are timed, but they are no decisions.

Install: pip install "pettingzoo[classic]"
"""

import os
from functools import partial
from time import perf_counter
from typing import Any

from _common import Mode, Tally, main, measure, require


def play_hand(env: Any, rng: Any, flatnonzero: Any, tally: Tally) -> None:
    """Play one hand."""
    env.reset()
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        asked = perf_counter()
        action = rng.choice(flatnonzero(observation["action_mask"]))
        tally.left_out += perf_counter() - asked
        env.step(action)
        tally.decisions += 1
    tally.hands += 1


def modes(seconds: float) -> dict[str, Mode]:
    """Measure each mode."""
    os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    pip = '"pettingzoo[classic]"'
    leduc = require("pettingzoo.classic.leduc_holdem_v4", pip)
    np = require("numpy", pip)
    found: dict[str, Mode] = {}
    for make in (leduc.env, leduc.raw_env):
        env = make()
        env.reset(seed=0)
        play = partial(play_hand, env, np.random.default_rng(0), np.flatnonzero)
        tally = measure(play, seconds)
        found[make.__name__] = tally.mode()
        found[f"{make.__name__}, choice left out"] = tally.mode(leave_out=True)
    return found


if __name__ == "__main__":
    main(__doc__, "pettingzoo", modes)
