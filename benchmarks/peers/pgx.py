"""Pgx's leduc_holdem on the CPU, random play in batches of 4096 inside one jitted scan.

Modes, each with its compile time, which is left out of the rate:
  auto reset   Pgx's own auto_reset wrapper: every step is a decision in every game
  whole hands  the batch is dealt together and stepped until its longest hand is over;
               only decisions of unfinished hands count. The wrapper deals anew for the
               whole batch at every step, which costs more than the step: this way deals
               once in eight steps
Each on one core, on all cores (one process, XLA's threads), and in one process a core.

Install: pip install pgx
"""

import os
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

from _common import Mode, Tally, all_cores, confined, main, measure, one_core, require

BATCH = 4096
STEPS = 256
LONGEST_HAND = 8

Advance = Callable[[Any, Any], tuple[Any, Any, Any]]
"""From state and key to next state, decisions made and hands finished."""


def random_legal_actions(key: Any, mask: Any) -> Any:
    """Return a uniform legal action for each row of ``mask``."""
    import jax
    import jax.numpy as jnp

    rank = jax.random.uniform(key, mask.shape[:1]) * mask.sum(axis=1)
    return (jnp.cumsum(mask, axis=1) <= jnp.floor(rank)[:, None]).sum(axis=1)


def auto_reset(env: Any) -> Advance:
    """Return one step of every game, with those that it ends dealt anew."""
    import jax
    from pgx.experimental import auto_reset as wrap

    step = jax.vmap(wrap(env.step, env.init))

    def advance(state: Any, key: Any) -> tuple[Any, Any, Any]:
        choice, dealing = jax.random.split(key)
        action = random_legal_actions(choice, state.legal_action_mask)
        state = step(state, action, jax.random.split(dealing, BATCH))
        return state, BATCH, state.terminated.sum()

    return advance


def whole_hands(env: Any) -> Advance:
    """Return one hand of every game, from deal to end."""
    import jax

    init, step = jax.vmap(env.init), jax.vmap(env.step)

    def decide(state: Any, key: Any) -> tuple[Any, Any]:
        live = (~state.terminated).sum()
        return step(state, random_legal_actions(key, state.legal_action_mask)), live

    def advance(_: Any, key: Any) -> tuple[Any, Any, Any]:
        dealing, *choices = jax.random.split(key, 1 + LONGEST_HAND)
        state = init(jax.random.split(dealing, BATCH))
        state, live = jax.lax.scan(decide, state, jax.numpy.stack(choices))
        return state, live.sum(), state.terminated.sum()

    return advance


def play(make: Callable[[Any], Advance], steps: int, seconds: float) -> tuple[Tally, float]:
    """Return what was played in ``seconds``, and the seconds that compiling took before."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    pgx = require("pgx", pip="pgx")
    import jax

    env = pgx.make("leduc_holdem")
    advance = make(env)

    def scan(state: Any, key: Any) -> tuple[Any, Any, Any]:
        def body(state: Any, key: Any) -> tuple[Any, tuple[Any, Any]]:
            state, decisions, hands = advance(state, key)
            return state, (decisions, hands)

        state, (decisions, hands) = jax.lax.scan(body, state, jax.random.split(key, steps))
        return state, decisions.sum(), hands.sum()

    key = jax.random.PRNGKey(0)
    # The whole state comes back from each call, so that XLA can't drop its observations.
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, BATCH))
    start = perf_counter()
    compiled = jax.jit(scan).lower(state, key).compile()
    compile_seconds = perf_counter() - start

    def play_once(tally: Tally) -> None:
        nonlocal state, key
        key, subkey = jax.random.split(key)
        state, decisions, hands = compiled(state, subkey)
        tally.decisions += int(decisions)
        tally.hands += int(hands)

    return measure(play_once, seconds), compile_seconds


def modes(seconds: float) -> dict[str, Mode]:
    """Measure each mode."""
    found: dict[str, Mode] = {}
    places = {
        "one core": [one_core()],
        "all cores": [all_cores()],
        "process a core": [{core} for core in sorted(all_cores())],
    }
    ways = {
        "auto reset": partial(play, auto_reset, STEPS, seconds),
        "whole hands": partial(play, whole_hands, STEPS // LONGEST_HAND, seconds),
    }
    for way, work in ways.items():
        for place, core_sets in places.items():
            tallies, compile_seconds = zip(*confined(core_sets, work), strict=True)
            found[f"{way}, {place}"] = Tally.together(tallies).mode(
                cores=sum(map(len, core_sets)),
                batch=BATCH,
                compile_seconds=max(compile_seconds),
            )
    return found


if __name__ == "__main__":
    main(__doc__, "pgx", modes)
