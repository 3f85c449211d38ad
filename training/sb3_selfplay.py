"""Self-play with MaskablePPO of sb3-contrib, to run as it stands or to copy and change.

    python -m duelgym.training.sb3_selfplay dragon_deck:small --decisions 1000000 --out runs/sb3

The learner has a seat in each of many games. Who plays the others is drawn for each game from a
pool: the scripted agents and a growing number of the learner's own snapshots.
"""

from __future__ import annotations

import io
import sys
import time
from functools import partial
from pathlib import Path

import click

from ..agents import agent_names, make_agent
from ..agents.pool import OpponentPool
from ..envs import make
from ..envs.core.errors import OptionError
from ..envs.core.files import write_atomically
from ..envs.core.game import Game
from .cli import WRONG_USAGE, OneLineErrors, fail
from .evaluation import console, evaluate, table
from .gymnasium_env import SingleAgentEnv

try:
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecMonitor
except ImportError as error:
    remedy = f"this needs {error.name}: pip install 'duelgym[sb3]'"
    if __name__ == "__main__":
        sys.exit(fail(remedy, WRONG_USAGE))
    raise OptionError(remedy) from None

from ..agents.neural import single_threaded_torch
from ..agents.sb3 import MaskedPolicy, Sb3Agent, load_sb3
from .sb3 import OneSeatVecEnv


class AddSnapshots(BaseCallback):
    """Adds the learner as it is to a pool of opponents, every so many decisions."""

    model: MaskablePPO

    def __init__(self, pool: OpponentPool, every: int) -> None:
        """Add to ``pool`` at the start and ``every`` decisions."""
        super().__init__()
        self.pool = pool
        self.every = every
        self.added = 0

    def _on_rollout_start(self) -> None:
        if self.num_timesteps // self.every >= self.added:
            self.pool.add(Sb3Agent(self.model, f"snapshot {self.num_timesteps:,}"))
            self.added += 1

    def _on_step(self) -> bool:
        return True


def make_envs(game: Game, num_envs: int, opponents: OpponentPool, one_by_one: bool) -> VecEnv:
    """Games with the learner in a random seat; ``one_by_one`` as separate environments, for comparison."""
    if one_by_one:
        single = partial(SingleAgentEnv, game, opponents, skip_forced=True)
        return VecMonitor(DummyVecEnv([single] * num_envs))
    return VecMonitor(OneSeatVecEnv(game, num_envs, opponents, skip_forced=True))


def self_play(
    game: Game,
    decisions: int,
    *,
    seed: int = 0,
    num_envs: int = 1024,
    num_steps: int = 32,
    snapshots: int = 20,
    evaluations: int = 10,
    one_by_one: bool = False,
) -> MaskablePPO:
    """Train a policy.

    Args:
        game: What to play.
        decisions: Budget, in decisions of the learner; whole rollouts are made.
        seed: Settles games, weights and shuffling.
        num_envs: Games at once.
        num_steps: Decisions in each of them between updates.
        snapshots: How many copies of itself the learner adds to its opponents.
        evaluations: How often the mean return against the scripted agents is measured.
        one_by_one: Play in separate environments instead of a batch.
    """
    scripted = [make_agent(name, game) for name in agent_names(game)]
    pool = OpponentPool(scripted, latest=0.5)
    envs = make_envs(game, num_envs, pool, one_by_one)
    rated = make_envs(game, num_envs, OpponentPool(scripted), one_by_one)
    rated.seed(seed + num_envs)

    model = MaskablePPO(
        MaskedPolicy,
        envs,
        n_steps=num_steps,
        batch_size=min(4096, num_envs * num_steps),
        n_epochs=4,
        learning_rate=lambda left: 1e-3 * left,
        gamma=1.0,
        ent_coef=0.01,
        seed=seed,
        device="cpu",
    )
    callbacks: list[BaseCallback] = [AddSnapshots(pool, max(1, decisions // snapshots))]
    if evaluations:
        callbacks.append(
            MaskableEvalCallback(
                rated,
                n_eval_episodes=num_envs,
                eval_freq=max(1, decisions // (evaluations * num_envs)),
                deterministic=False,
            )
        )
    with single_threaded_torch():
        return model.learn(decisions, callbacks)


def save(model: MaskablePPO, path: Path) -> None:
    """Write a model as ``MaskablePPO.save`` does, but whole or not at all."""
    file = io.BytesIO()
    model.save(file)
    write_atomically(path, file.getvalue())


@click.command(cls=OneLineErrors)
@click.argument("game", metavar="GAME[:VARIANT]")
@click.option("--decisions", type=click.IntRange(min=1), default=2_000_000, show_default=True,
              help="How long to train, in decisions of the learner.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), default=Path("runs/sb3"), show_default=True,
              help="Folder for model.zip.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0, 2**31), default=0, show_default=True,
              help="Settles games, weights and shuffling.")  # fmt: skip
@click.option("--num-envs", type=click.IntRange(min=1), default=1024, show_default=True,
              help="Games at once.")  # fmt: skip
@click.option("--num-steps", type=click.IntRange(min=2), default=32, show_default=True,
              help="Decisions in each of them between updates.")  # fmt: skip
@click.option("--one-by-one", is_flag=True,
              help="Play in separate environments instead of a batch, to see what it costs.")  # fmt: skip
@click.option("--games", type=click.IntRange(min=1), default=10_000, show_default=True,
              help="Games against each scripted agent, at the end.")  # fmt: skip
def main(
    game: str,
    decisions: int,
    out: Path,
    seed: int,
    num_envs: int,
    num_steps: int,
    one_by_one: bool,
    games: int,
) -> None:
    """Train MaskablePPO by self-play, save it, and evaluate it against every scripted agent."""
    name, _, variant = game.partition(":")
    played = make(name, variant or None)
    path = out / "model.zip"
    if path.exists():
        raise OptionError(f"{path} is there already; choose another folder with --out")
    out.mkdir(parents=True, exist_ok=True)

    start = time.perf_counter()
    model = self_play(
        played,
        decisions,
        seed=seed,
        num_envs=num_envs,
        num_steps=num_steps,
        one_by_one=one_by_one,
    )
    seconds = time.perf_counter() - start
    click.echo(f"{model.num_timesteps:,} decisions in {seconds:.1f} s")
    save(model, path)
    click.echo(f"saved {path}")

    agent = load_sb3(path, played, trust=True)
    against = [make_agent(other, played) for other in agent_names(played)]
    with single_threaded_torch():
        results = [evaluate(played, [agent, other], games) for other in against]
    console().print(table(results))


if __name__ == "__main__":
    main()
