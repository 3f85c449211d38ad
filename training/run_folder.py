"""Run folders: what a training run is, its metrics, and what it needs to go on after a stop."""

from __future__ import annotations

import json
import platform
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from ..agents import agent_names, make_agent
from ..agents.neural import CheckpointError, latest_checkpoint, load_tensors, saved_game
from ..agents.sampling import SamplingAgent
from ..envs.core.errors import DuelgymError, OptionError
from ..envs.core.files import write_atomically
from ..envs.core.game import Game
from .config import RunConfig, TrainConfig, ValueConfig, checked
from .evaluation import evaluate
from .exploit import battles


class TrainingError(DuelgymError):
    """Training cannot go on; the checkpoints made so far are good."""


Report = Callable[[Mapping[str, float]], None]
"""Called with what is also a line of ``metrics.jsonl``."""


def scores(config: RunConfig, game: Game, agent: SamplingAgent) -> dict[str, float]:
    """How an agent does: its mean score against each scripted one in a few games.

    If the settings ask for it, also its loss in the battles of some deals.
    """
    found = {}
    if config.evaluate_games:
        for name in agent_names(game):
            result = evaluate(game, [agent, make_agent(name, game)], config.evaluate_games)
            found[f"score_{name}"] = result.standings[0].overall.score.mean
        if config.battle_deals:
            found["battle_loss"] = battles(game, agent, config.battle_deals).loss.mean
    return found


def start_folder(config: RunConfig, folder: Path) -> None:
    """Write what the run is into an empty run folder."""
    if folder.exists() and not folder.is_dir():
        raise OptionError(f"a run needs a folder of its own, and {folder} is a file")
    if (folder / "config.json").exists():
        raise OptionError(f"{folder} already holds a run; resume it or choose another folder")
    facts = {
        "versions": {
            name: version(name) for name in ("duelgym", "numba", "numpy", "torch", "gymnasium")
        },
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "git_commit": _git_commit(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / "run.json", f"{json.dumps(facts, indent=2)}\n".encode())
    write_atomically(
        folder / "config.json", f"{json.dumps(config.model_dump(), indent=2)}\n".encode()
    )


def _git_commit() -> str | None:
    """The commit that the current folder is at, if it is a checkout."""
    command = ["git", "rev-parse", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None


def load_checkpoint(
    folder: Path, config: RunConfig, game: Game
) -> tuple[dict[str, torch.Tensor], dict[str, Any]] | None:
    """The tensors and facts of the newest checkpoint of a run; None if it has made none yet.

    Raises:
        CheckpointError: It is no run folder, or the checkpoint is damaged or of another run.
    """
    path = latest_checkpoint(folder)
    if path is None:
        if not (folder / "config.json").exists():
            raise CheckpointError(f"{folder} is not a run folder to resume")
        return None
    try:
        tensors, facts = load_tensors(path)
    except CheckpointError as error:
        raise CheckpointError(f"{error}; delete it to go on from the one before") from None
    trained = saved_game(path, facts)
    if trained != game:
        raise CheckpointError(
            f"{path} was trained on {trained.label}, but the settings mean {game.label}"
        )
    for key, value in config.model_dump(mode="json").items():
        if facts["config"].get(key) != value:
            raise CheckpointError(
                f"{folder / 'config.json'} has {key} {value!r}, but {path} was made with "
                f"{facts['config'].get(key)!r}; put it back to resume"
            )
    return tensors, facts


def load_run_config(folder: Path) -> TrainConfig | ValueConfig:
    """The settings that the run in ``folder`` was started with.

    Raises:
        CheckpointError: It is not a run folder.
        OptionError: Its settings are not valid in this release.
    """
    path = folder / "config.json"
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise CheckpointError(f"{folder} is not a run folder to resume: {error}") from None
    return checked(settings, str(path))


@dataclass
class MetricsLog:
    """``metrics.jsonl`` and TensorBoard events; lines after ``decisions`` are of a lost future."""

    folder: Path
    decisions: int = 0
    report: Report | None = None
    _writer: Any = field(init=False)

    def __post_init__(self) -> None:
        """Drop what was logged after the checkpoint that the run goes on from."""
        from torch.utils.tensorboard import SummaryWriter

        self._path = self.folder / "metrics.jsonl"
        kept = [line for line in read_metrics(self.folder) if line["decisions"] <= self.decisions]
        write_atomically(self._path, "".join(f"{json.dumps(line)}\n" for line in kept).encode())
        self._writer = SummaryWriter(str(self.folder / "tensorboard"), purge_step=self.decisions)

    def write(self, metrics: Mapping[str, float]) -> None:
        """Append a line and report it."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(metrics) + "\n")
        for name, value in metrics.items():
            self._writer.add_scalar(name, value, int(metrics["decisions"]))
        if self.report is not None:
            self.report(metrics)

    def close(self) -> None:
        """Write out what is buffered."""
        self._writer.close()


def read_metrics(folder: Path) -> list[dict[str, float]]:
    """The updates in ``metrics.jsonl``; a line that was cut off by a kill is left out."""
    path = folder / "metrics.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    metrics = []
    for line in lines:
        try:
            metrics.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return metrics
