"""Tournaments on a Ray cluster: the results of one process, whatever becomes of the machines."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from duelgym.envs import make
from duelgym.envs.core import OptionError
from duelgym.training.cli import main
from duelgym.training.ray_cluster import connected
from duelgym.training.sequential import Sprt
from duelgym.training.tournament import play, play_until_sure

pytestmark = pytest.mark.rllib

AGENTS = ["random", "matrix", "support.strategies:at_random"]


@pytest.fixture(scope="module")
def cluster():
    with connected("local"):
        yield


def results(path: Path) -> list[Any]:
    """A file of results without its times, in the order of the games."""
    header, *chunks = (json.loads(line) for line in path.read_text().splitlines())
    for chunk in chunks:
        assert len(chunk.pop("nanoseconds")) == 2
    return [header, *sorted(chunks, key=lambda chunk: tuple(chunk["chunk"].values()))]


def test_the_file_of_results_is_the_same(cluster, tmp_path):
    game = make("dragon_deck", "tiny")
    one, many = tmp_path / "one.jsonl", tmp_path / "many.jsonl"
    play(game, AGENTS, 24, file=one, time_limit=60)
    play(game, AGENTS, 24, file=many, time_limit=60, ray="")
    assert len(results(one)) == 1 + 3 * 8
    assert results(many) == results(one)


def test_a_sequential_answer_is_the_same(cluster):
    game, test = make("dragon_deck", "tiny"), Sprt(margin=20)
    verdict = play_until_sure(game, ["greedy", "random"], test)
    assert play_until_sure(game, ["greedy", "random"], test, ray="") == verdict


def test_a_process_that_dies_is_replaced(cluster, tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import os, sys\n"
        "def first(observation, legal):\n"
        f"    died = {str(tmp_path / 'died')!r}\n"
        "    if sys.argv[0].endswith('default_worker.py') and not os.path.exists(died):\n"
        "        open(died, 'w').close()\n"
        "        os._exit(1)\n"
        "    return legal[0]\n"
    )
    agents, game = ["random", f"{bot}:first"], make("dragon_deck", "tiny")
    one, many = tmp_path / "one.jsonl", tmp_path / "many.jsonl"
    play(game, agents, 16, file=one)
    play(game, agents, 16, file=many, ray="")
    assert (tmp_path / "died").exists()
    assert results(many) == results(one)


def test_what_other_machines_cannot_load_is_told_in_one_line(cluster, tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import sys\n"
        "if sys.argv[0].endswith('default_worker.py'):\n"
        "    raise ImportError('not on this machine')\n"
        "def first(observation, legal):\n"
        "    return legal[0]\n"
    )
    with pytest.raises(OptionError) as caught:
        play(make("dragon_deck", "tiny"), ["random", f"{bot}:first"], 8, ray="")
    assert str(caught.value).startswith(f"cannot load {bot}")
    assert str(caught.value).endswith("ImportError: not on this machine")


def test_the_command(cluster, tmp_path):
    command = ["tournament", "dragon_deck", "random", "greedy", "--blocks", "8"]
    for out, more in (("one", ["--cores", "1"]), ("many", ["--ray"])):
        done = CliRunner().invoke(main, [*command, "--out", str(tmp_path / out), *more])
        assert done.exit_code == 0, done.output
    assert results(tmp_path / "many/results.jsonl") == results(tmp_path / "one/results.jsonl")


def test_where_there_is_no_ray(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{free.getsockname()[1]}"
    done = subprocess.run(
        [sys.executable, "-m", "duelgym", "tournament", "dragon_deck", f"--ray={place}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"duelgym: error: there is no Ray at {place}: ")
