"""Self-play with PPO of RLlib, to run as it stands or to copy and change.

    python -m duelgym.training.rllib_selfplay dragon_deck:small --decisions 400000 --out runs/rllib

One network learns from all seats. In half of the games it meets earlier copies of itself. Workers play
on all machines of a Ray cluster; one that dies is started again and training goes on. What comes out
is a file as ``duelgym train`` writes it, so neither Ray nor pickle is needed to play it.
"""

# pyright: reportMissingImports=false
# Ray is in an environment of its own, as it pins an older Gymnasium.

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..agents import agent_names, make_agent
from ..envs import make
from ..envs.core.errors import OptionError
from ..envs.core.files import write_atomically
from ..envs.core.game import Game
from .cli import WRONG_USAGE, OneLineErrors, fail
from .evaluation import console, evaluate, table
from .ray_cluster import connected

try:
    from .rllib import decisions_of, export, restore, self_play_config
except OptionError as error:
    if __name__ == "__main__":
        sys.exit(fail(str(error), WRONG_USAGE))
    raise

from ..agents.neural import single_threaded_torch

if TYPE_CHECKING:
    from ray.rllib.algorithms.algorithm import Algorithm


def self_play(
    game: Game,
    decisions: int,
    folder: Path,
    *,
    resume: bool = False,
    checkpoints: int = 10,
    seed: int = 0,
    snapshots: int = 4,
    hidden: tuple[int, ...] = (128, 128),
    report: Callable[[Algorithm], None] = lambda algorithm: None,
    **settings: Any,
) -> Path:
    """Train an agent where ``ray.init`` says, and keep it and its checkpoints in a run folder.

    Args:
        game: What to play.
        decisions: How long to train, in decisions of all seats; whole updates are made.
        folder: The run folder; it must not hold a run yet, unless ``resume``.
        resume: Go on from the newest checkpoint in ``folder``. RLlib keeps them as pickled objects,
            and reading them runs the code in them: resume only what you or somebody you trust made.
        checkpoints: How many to write, evenly spread.
        seed: Settles games, weights and shuffling.
        snapshots: How many copies of itself the learner has as opponents.
        hidden: Units of each layer of the network.
        report: Called after every update.
        settings: More of ``self_play_config``: workers, learners, size of batches.

    Returns:
        The file of the final agent.

    Raises:
        OptionError: ``folder`` holds a run already, or to resume there is none or another one.
    """
    run = {"game": game.identity(), "seed": seed, "snapshots": snapshots, "hidden": list(hidden)}
    newest = _check_folder(folder, run, resume)
    config = self_play_config(
        game, decisions, seed=seed, snapshots=snapshots, hidden=hidden, **settings
    )
    algorithm = config.build_algo()
    with ExitStack() as stack:
        stack.callback(algorithm.stop)
        stack.enter_context(single_threaded_torch())
        if newest:
            restore(algorithm, newest)
        due = decisions_of(algorithm) + decisions / checkpoints
        while decisions_of(algorithm) < decisions:
            algorithm.train()
            report(algorithm)
            if decisions_of(algorithm) >= due:
                save(algorithm, folder)
                due += decisions / checkpoints
        agent = folder / "agent.safetensors"
        export(algorithm, agent)
        return agent


def _check_folder(folder: Path, run: dict[str, Any], resume: bool) -> Path | None:
    """Begin a run folder, or find the checkpoint to go on from."""
    path = folder / "rllib.json"
    if not resume:
        if path.exists() or (folder / "config.json").exists():
            raise OptionError(f"{folder} already holds a run; resume it or choose another folder")
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(path, f"{json.dumps(run, indent=2)}\n".encode())
        return None
    newest = max((folder / "checkpoints").glob("*.rllib"), default=None)
    if not path.is_file() or newest is None:
        raise OptionError(f"{folder} has no checkpoint of RLlib to resume from")
    began = json.loads(path.read_text(encoding="utf-8"))
    for key, value in run.items():
        if began[key] != value:
            raise OptionError(
                f"the run in {folder} was started with {key} {began[key]!r}, not {value!r}"
            )
    return newest


def save(algorithm: Algorithm, folder: Path) -> Path:
    """Write a checkpoint to resume from, whole or not at all, and the agent as it is now."""
    path = folder.resolve() / "checkpoints" / f"{decisions_of(algorithm):012d}.rllib"
    partial = path.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)  # of a run that was killed here
    algorithm.save_to_path(str(partial))
    export(algorithm, path.with_suffix(".safetensors"))
    os.replace(partial, path)
    return path


@click.command(cls=OneLineErrors)
@click.argument("game", metavar="GAME[:VARIANT]")
@click.option("--decisions", type=click.IntRange(min=1), default=400_000, show_default=True,
              help="How long to train, in decisions of all seats.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), default=Path("runs/rllib"),
              show_default=True, help="The run folder.")  # fmt: skip
@click.option("--resume", is_flag=True,
              help="Go on from the newest checkpoint in --out; it is pickled, so only from your own.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0, 2**31), default=0, show_default=True,
              help="Settles games, weights and shuffling.")  # fmt: skip
@click.option("--workers", type=click.IntRange(min=0), default=2, show_default=True,
              help="Processes that play; with 0, the one that learns.")  # fmt: skip
@click.option("--envs-per-worker", type=click.IntRange(min=1), default=64, show_default=True,
              help="Games at once in each of them.")  # fmt: skip
@click.option("--learners", type=click.IntRange(min=0), default=0, show_default=True,
              help="Processes that learn; with 0, this one.")  # fmt: skip
@click.option("--batch-size", type=click.IntRange(min=1), default=4000, show_default=True,
              help="Decisions between updates.")  # fmt: skip
@click.option("--snapshots", type=click.IntRange(min=0), default=4, show_default=True,
              help="How many earlier copies the learner meets.")  # fmt: skip
@click.option("--address", default="", metavar="HOST:PORT",
              help="Where Ray runs.  [default: the cluster that Ray finds, else this machine]")  # fmt: skip
@click.option("--games", type=click.IntRange(min=1), default=10_000, show_default=True,
              help="Games against each scripted agent, at the end.")  # fmt: skip
def main(game: str, decisions: int, out: Path, address: str, games: int, **settings: Any) -> None:
    """Train with RLlib by self-play, and evaluate what was learned against every scripted agent."""
    name, _, variant = game.partition(":")
    played = make(name, variant or None)
    start = time.perf_counter()

    def report(algorithm: Algorithm) -> None:
        done, seconds = decisions_of(algorithm), time.perf_counter() - start
        restarts = algorithm.env_runner_group.num_remote_worker_restarts()
        lost = f", {restarts} workers restarted" if restarts else ""
        click.echo(f"{done:,} decisions, {seconds:.0f} s{lost}")

    with connected(address):
        agent = self_play(played, decisions, out, report=report, **settings)
    click.echo(f"saved {agent}")

    learned = make_agent(str(agent), played)
    against = [make_agent(other, played) for other in agent_names(played)]
    with single_threaded_torch():
        results = [evaluate(played, [learned, other], games) for other in against]
    console().print(table(results))


if __name__ == "__main__":
    main()
