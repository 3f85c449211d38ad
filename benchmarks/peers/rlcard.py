"""RLCard's leduc-holdem, random play on one core: reset, then step with a legal action.

Each step returns the next player's observation and legal actions. One run gives both
modes: the plain loop, and the same with the time of choosing the actions left out.

Install: pip install rlcard
"""

from functools import partial
from random import Random
from time import perf_counter
from typing import Any

from _common import Mode, Tally, main, measure, require


def play_hand(env: Any, random: Random, tally: Tally) -> None:
    """Play one hand."""
    state, _ = env.reset()
    while not env.is_over():
        asked = perf_counter()
        legal = list(state["legal_actions"])
        action = legal[int(random.random() * len(legal))]
        tally.left_out += perf_counter() - asked
        state, _ = env.step(action)
        tally.decisions += 1
    env.get_payoffs()
    tally.hands += 1


def modes(seconds: float) -> dict[str, Mode]:
    """Measure both modes."""
    rlcard = require("rlcard", pip="rlcard")
    env = rlcard.make("leduc-holdem", config={"seed": 0})
    tally = measure(partial(play_hand, env, Random(0)), seconds)
    return {"step": tally.mode(), "step, choice left out": tally.mode(leave_out=True)}


if __name__ == "__main__":
    main(__doc__, "rlcard", modes)
