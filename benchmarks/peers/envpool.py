"""EnvPool's LeducHoldem-v1, random play in synchronous batches of games.

Modes are batches of 1, 256 (the fastest tried) and 4096 games on one core, and of 256 on all
cores: one process with a thread a core, and one process a core. Choosing the actions,
vectorised over the batch, is timed. So is the step that deals a finished game anew, but
it is no decision.

Install: pip install envpool
"""

from functools import partial

from _common import Mode, Tally, all_cores, confined, main, measure, one_core, require


def play(batch: int, seconds: float) -> Tally:
    """Return what was played in ``seconds``, on a thread for each core that may be used."""
    envpool = require("envpool", pip="envpool")
    np = require("numpy", pip="envpool")
    threads = min(batch, len(all_cores()))
    env = envpool.make_gymnasium("LeducHoldem-v1", num_envs=batch, num_threads=threads)
    rng = np.random.default_rng(0)
    _, info = env.reset()

    def step(tally: Tally) -> None:
        nonlocal info
        legal = info["legal_action_mask"]
        action = np.where(legal, rng.random(legal.shape, np.float32), -1).argmax(axis=1)
        _, _, finished, _, info = env.step(action.astype(np.int32))
        tally.decisions += np.count_nonzero(info["elapsed_step"])  # 0 in a game just dealt
        tally.hands += np.count_nonzero(finished)

    return measure(step, seconds)


def modes(seconds: float) -> dict[str, Mode]:
    """Measure each mode."""
    one, every = [one_core()], [all_cores()]
    each = [{core} for core in sorted(all_cores())]
    found: dict[str, Mode] = {}
    for batch, place, core_sets in (
        (1, "one core", one),
        (256, "one core", one),
        (4096, "one core", one),
        (256, "all cores", every),
        (256, "process a core", each),
    ):
        tally = Tally.together(confined(core_sets, partial(play, batch, seconds)))
        cores = sum(map(len, core_sets))
        found[f"batch of {batch}, {place}"] = tally.mode(cores=cores, batch=batch)
    return found


if __name__ == "__main__":
    main(__doc__, "envpool", modes)
