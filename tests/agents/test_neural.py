"""Neural agents in processes and beside other users of Torch."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from duelgym.agents.neural import NeuralAgent, PolicyValueNet, load_agent, save_tensors
from duelgym.envs import make

IN_A_FORKED_CHILD = """
import os, signal, sys
from pathlib import Path
import torch
from duelgym.agents.neural import load_agent

def act():
    agent = load_agent(Path(sys.argv[1]))
    agent.start(agent.game, seed=1)
    env = agent.game.env()
    env.reset(seed=1)
    return agent.act(env.last()[0])

torch.set_num_threads(2)
torch.linalg.qr(torch.ones(800, 800))
here = act()
child = os.fork()
if child == 0:
    signal.alarm(60)
    torch.linalg.qr(torch.ones(800, 800))
    os._exit(0 if act() == here else 1)
print(os.waitpid(child, 0)[1])
"""


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small network with weights of its own, as training would keep it."""
    game = make("leduc_poker")
    path = tmp_path_factory.mktemp("run") / "agent.safetensors"
    tensors = {f"net.{k}": v for k, v in PolicyValueNet(game, [16]).state_dict().items()}
    save_tensors(path, tensors, {"identity": game.identity(), "hidden": [16]})
    return path


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_an_agent_acts_in_a_forked_child(run_python: Callable[..., str], checkpoint: Path):
    assert run_python("-c", IN_A_FORKED_CHILD, str(checkpoint)).strip() == "0"


def test_loading_an_agent_draws_no_random_numbers(checkpoint: Path):
    before = torch.random.get_rng_state()
    agent = load_agent(checkpoint)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert isinstance(agent, NeuralAgent)
    assert agent.net.policy.weight.abs().sum() > 0
