"""Decisions a second of self-play training, beside what its network alone would allow.

Measured in turns, so that a disturbance hits all alike: training with the default settings of the
game, on one thread and on all cores; the same with made-up data and no game behind it; on all
cores while another program keeps one of them busy; and MaskablePPO of sb3-contrib, if installed,
on the same game and with as large a network, in the way of PettingZoo's tutorial.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any, cast

import click
import numpy as np
import reporting
import torch
from duelgym.envs.core import Game
from duelgym.envs.core.aec import DuelEnv
from duelgym.envs.core.threads import num_cores
from duelgym.envs.core.vector import VectorEnv
from duelgym.training.config import TrainConfig, load_config
from duelgym.training.selfplay import Learner

TRAINING, MADE_UP, BUSY, MASKABLE = "training", "made-up data", "one core busy", "MaskablePPO"
PARTS = ("rules", "inference", "learning")
TORCH_THREADS = torch.get_num_threads()

Measured = dict[str, float]
"""Decisions and the seconds that they took; for training also the seconds of each part."""
Measure = Callable[[], Measured]
Case = tuple[str, int]
"""What is measured, and on how many threads."""


class MadeUp:
    """Stands in for a ``VectorEnv`` with random arrays of the same shapes, which no step changes."""

    def __init__(self, env: VectorEnv) -> None:
        """Make up what ``env`` would give."""
        rng = np.random.default_rng(0)
        self.observations = rng.random(env.observations.shape, np.float32)
        self.masks = rng.integers(2, size=env.masks.shape, dtype=np.int8)
        self.masks[:, 0] = 1
        self.players = rng.integers(env.game.num_players, size=env.num_envs, dtype=np.int8)
        self.terminated = rng.random(env.num_envs) < 0.05
        self.truncated = np.zeros(env.num_envs, np.bool_)
        self.rewards = rng.choice(np.array([-1, 1], np.float32), env.rewards.shape)
        self.rewards[~self.terminated] = 0
        self.lengths = np.ones(env.num_envs, np.int32)

    def step(self, actions: np.ndarray) -> None:
        """Rules that take no time at all."""


def self_play(config: TrainConfig, *, made_up: bool = False) -> Measure:
    """One update of the trainer at a time, with the games or without them."""
    learner = Learner(config, config.make_game())
    if made_up:
        for collector in learner.collectors:
            collector.env = cast(VectorEnv, MadeUp(collector.env))
    workers = ThreadPoolExecutor(config.threads)

    def update() -> Measured:
        torch.set_num_threads(1)  # as in ``train``: the workers are the threads
        before = learner.decisions
        metrics = learner.update(workers)
        return {
            "decisions": learner.decisions - before,
            "seconds": metrics["seconds"],
            **{part: metrics[f"seconds_{part}"] for part in PARTS},
        }

    return update


def disturbed(measure: Measure) -> Measured:
    """``measure`` while another process computes on the first core."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as spinning:
        try:
            if hasattr(os, "sched_setaffinity"):
                os.sched_setaffinity(spinning.pid, {min(os.sched_getaffinity(0))})
            return measure()
        finally:
            spinning.kill()


def maskable_ppo(game: Game, hidden: Sequence[int], steps: int) -> Measure:
    """MaskablePPO with its own settings, but for the network, ``steps`` decisions at a time."""
    from gymnasium import Env, spaces
    from sb3_contrib import MaskablePPO  # pyright: ignore[reportMissingImports]
    from sb3_contrib.common.wrappers import ActionMasker  # pyright: ignore[reportMissingImports]

    class WhoeverMoves(Env):
        """Both seats as one player, as in the tutorial: what is seen is the next seat's."""

        def __init__(self, env: DuelEnv) -> None:
            self.env = env
            agent = env.possible_agents[0]
            self.observation_space = cast(spaces.Dict, env.observation_space(agent))["observation"]
            self.action_space = env.action_space(agent)

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            self.env.reset(seed)
            return self.seen("observation"), {}

        def step(self, action: Any) -> Any:
            env, mover = self.env, self.env.agent_selection
            env.step(int(action))
            ends = env.terminations[mover], env.truncations[mover]
            return self.seen("observation"), env._cumulative_rewards[mover], *ends, {}

        def seen(self, part: str) -> np.ndarray:
            return self.env.observe(self.env.agent_selection)[part]

    env = WhoeverMoves(game.env())
    masked = ActionMasker(env, lambda _: env.seen("action_mask"))
    network = {"net_arch": list(hidden)}
    model = MaskablePPO("MlpPolicy", masked, n_steps=steps, policy_kwargs=network, device="cpu")

    def learn() -> Measured:
        torch.set_num_threads(TORCH_THREADS)  # as Torch has it by itself
        start = perf_counter()
        model.learn(steps)
        return {"decisions": steps, "seconds": perf_counter() - start}

    return learn


def cases(played: str, file: Path | None, steps: int) -> dict[Case, Measure]:
    """All that is measured."""
    found: dict[Case, Measure] = {}
    game = reporting.played(played)
    changes = {"options": asdict(game.options)} if ":" in played else {}
    for threads in sorted({1, num_cores()}):
        config = load_config(game.name, file, method="ppo", threads=threads, **changes)
        found[TRAINING, threads] = self_play(config)
        found[MADE_UP, threads] = self_play(config, made_up=True)
    found[BUSY, num_cores()] = partial(disturbed, found[TRAINING, num_cores()])
    if find_spec("sb3_contrib"):
        config = load_config(game.name, file, method="ppo", **changes)
        found[MASKABLE, TORCH_THREADS] = maskable_ppo(config.make_game(), config.hidden, steps)
    return found


def summary(found: Mapping[Case, Sequence[Measured]]) -> dict[str, Any]:
    """Rates, how the time divides, and ratios: each the median over the rounds."""
    rates = {
        case: [one["decisions"] / one["seconds"] for one in rounds]
        for case, rounds in found.items()
    }

    def ratio(case: Case, other: Case) -> dict[str, Any]:
        pairs = zip(rates[case], rates[other], strict=True)
        median = statistics.median(rate / against for rate, against in pairs)
        return {"of": case[0], "to": other[0], "threads": case[1], "ratio": median}

    cores = num_cores()
    ratios = [ratio(case, (MADE_UP, case[1])) for case in found if case[0] == TRAINING]
    ratios.append(ratio((BUSY, cores), (TRAINING, cores)))
    ratios += [ratio((TRAINING, cores), case) for case in found if case[0] == MASKABLE]
    return {
        "rates": [
            {
                "what": what,
                "threads": threads,
                "median": statistics.median(rates[what, threads]),
                "best": max(rates[what, threads]),
                **({part: share(part, rounds) for part in PARTS if part in rounds[0]}),
            }
            for (what, threads), rounds in found.items()
        ],
        "ratios": ratios,
    }


def share(part: str, rounds: Sequence[Measured]) -> float:
    """The part of the time that went into ``part``."""
    return sum(one[part] for one in rounds) / sum(one["seconds"] for one in rounds)


def show(result: Mapping[str, Any]) -> None:
    """The result as tables."""
    out = reporting.console()
    out.print(" · ".join(f"{name} {value}" for name, value in result["machine"].items()))
    rows = [
        {
            "what": row["what"],
            "threads": str(row["threads"]),
            "median": f"{row['median']:,.0f}",
            "best": f"{row['best']:,.0f}",
            **{part: f"{row[part]:.0%}" if part in row else "" for part in PARTS},
        }
        for row in result["rates"]
    ]
    title, numbers = f"{result['game']}, decisions a second", ("threads", "median", "best", *PARTS)
    out.print(reporting.table(title, rows, ("what",), numbers))
    for row in result["ratios"]:
        threads = f"{row['threads']} thread{'s' if row['threads'] > 1 else ''}"
        out.print(f"{row['of']} on {threads}: {row['ratio']:.2f} times {row['to']}")


@click.command(help=__doc__)
@click.option("--game", default="dragon_deck", show_default=True, type=reporting.Played())
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE",
              help="Settings in YAML, instead of the game's own.")  # fmt: skip
@click.option("--rounds", default=5, show_default=True, help="Repetitions of each measurement.")
@click.option("--maskable-steps", default=2048, show_default=True,
              help="Decisions of MaskablePPO in a repetition; its rollout.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def main(game: str, config: Path | None, rounds: int, maskable_steps: int, as_json: bool) -> None:
    before = reporting.load()
    measures = cases(game, config, maskable_steps)
    found: dict[Case, list[Measured]] = {case: [] for case in measures}
    for number in range(rounds + 1):
        click.echo(f"round {number} of {rounds}" if number else "warming up", err=True)
        for case, measure in measures.items():
            measured = measure()
            if number:
                found[case].append(measured)
    machine = reporting.machine(before, "torch", "numba")
    result = {"machine": machine, "game": game, **summary(found)}
    print(json.dumps(result)) if as_json else show(result)


if __name__ == "__main__":
    main()
