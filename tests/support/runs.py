"""What two training runs must have in common to be the same."""

from __future__ import annotations

from pathlib import Path

from duelgym.agents.neural import load_tensors
from duelgym.training.config import TrainConfig
from duelgym.training.run_folder import load_run_config, read_metrics

TIMES = {"seconds", "seconds_rules", "seconds_inference", "seconds_learning"}


def weights(run: Path) -> dict[str, bytes]:
    tensors, _ = load_tensors(run / "agent.safetensors")
    return {name: tensor.numpy().tobytes() for name, tensor in tensors.items()}


def untimed(run: Path) -> list[dict[str, float]]:
    return [
        {name: value for name, value in line.items() if name not in TIMES}
        for line in read_metrics(run)
    ]


def settings(run: Path) -> TrainConfig:
    """Those of a run of self-play."""
    config = load_run_config(run)
    assert isinstance(config, TrainConfig)
    return config
