"""The benchmark scripts run and print what they promise; how fast anything is, no test can say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from duelgym.envs.core.threads import num_cores

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SHORT = ("--json", "--rounds", "1")

PEERS = {
    "openspiel": {
        "step": {"cores": 1},
        "step, tensor and mask": {"cores": 1},
        "recorded batches": {"cores": 1, "batch": 1024},
    },
    "pettingzoo_classic": {
        "env": {"cores": 1},
        "raw_env, choice left out": {"cores": 1},
    },
    "pgx": {
        "auto reset, one core": {"cores": 1, "batch": 4096},
        "auto reset, all cores": {"cores": 2, "batch": 4096},
        "whole hands, process a core": {"cores": 2, "batch": 4096},
    },
    "rlcard": {"step, choice left out": {"cores": 1}},
}
"""Modes as the scripts of peers/ print them."""


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCHMARKS / script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def result_of(script: str, *arguments: str) -> dict:
    done = run(script, *SHORT, *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def interpreter(folder: Path, code: str) -> str:
    """A stand-in for a peer's interpreter: it runs ``code`` whatever script it is given."""
    path = folder / "python"
    path.write_text(f"#!{sys.executable}\nimport json, pathlib, sys\n{code}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture(scope="module")
def throughput(tmp_path_factory) -> dict:
    """Leduc poker for a moment, with peers that all make 1,000 decisions a second."""
    modes = {
        peer: {name: {"decisions_per_second": 1000.0, **mode} for name, mode in found.items()}
        for peer, found in PEERS.items()
    }
    python = interpreter(
        tmp_path_factory.mktemp("peer"),
        "peer = pathlib.Path(sys.argv[1]).stem\n"
        "assert sys.argv[2:] == ['--json', '--seconds', '0.01'], sys.argv\n"
        f"print(json.dumps({{'package': peer, 'version': '7', 'modes': {modes!r}[peer]}}))",
    )
    peers = [argument for peer in PEERS for argument in ("--peer", f"{peer}={python}")]
    parts = ("--only", "rates", "--only", "memory")
    return result_of("throughput.py", "--game", "leduc_poker", "--seconds", "0.01", *parts, *peers)


def test_throughput_measures_every_way_to_play_on_one_core_and_on_all(throughput):
    rows = throughput["rates"]
    assert all(0 < row["median"] <= row["best"] for row in rows)
    assert {row["game"] for row in rows} == {"leduc_poker"}
    ways = {
        "raw rollout",
        *("vector", "vector, choice left out"),
        *("State", "State, observed"),
        *("AEC env()", "AEC env(), choice left out"),
        *("AEC raw_env()", "AEC raw_env(), choice left out"),
        *("AEC in stock wrappers", "AEC in stock wrappers, choice left out"),
    }
    batched = {"raw rollout", "vector", "vector, choice left out"}
    for place, modes, cores in (
        ("one core", ways, 1),
        ("threads on all cores", batched, num_cores()),
        ("a process a core", ways, num_cores()),
    ):
        found = [row for row in rows if row["place"] == place]
        assert sorted(row["mode"] for row in found) == sorted(modes)
        assert {row["cores"] for row in found} == {cores}
    rates = {row["mode"]: row["median"] for row in rows if row["place"] == "one core"}
    for mode in ways:
        if mode.endswith(", choice left out"):
            assert rates[mode] > rates[mode.removesuffix(", choice left out")]


def test_throughput_says_what_it_ran_on(throughput):
    machine = throughput["machine"]
    assert machine["cores"] == num_cores()
    assert {"system", "load", "python", "duelgym", "numpy", "numba"} <= set(machine)


def test_peers_are_compared_with_the_same_way_to_play(throughput):
    rows = throughput["peers"]
    assert all(row["ratio"] == pytest.approx(row["ours"] / 1000) for row in rows)
    assert all(row["ours"] > 0 for row in rows)
    assert [(row["peer"], row["mode"], row["like"], row["batch"]) for row in rows] == [
        ("openspiel", "step", "State", 1),
        ("openspiel", "step, tensor and mask", "State, observed", 1),
        ("openspiel", "recorded batches", "vector", 1024),
        ("pettingzoo_classic", "env", "AEC env()", 1),
        ("pettingzoo_classic", "raw_env, choice left out", "AEC raw_env(), choice left out", 1),
        ("pgx", "auto reset, one core", "vector", 4096),
        ("pgx", "auto reset, one core", "raw rollout", 4096),
        ("pgx", "auto reset, all cores", "vector", 4096),
        ("pgx", "auto reset, all cores", "raw rollout", 4096),
        ("pgx", "whole hands, process a core", "vector", 4096),
        ("pgx", "whole hands, process a core", "raw rollout", 4096),
        ("rlcard", "step, choice left out", "State, observed", 1),
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_memory_is_that_of_the_measured_process_alone(throughput):
    (row,) = throughput["memory"]
    assert (row["game"], row["games"]) == ("leduc_poker", 4096)
    assert 20 < row["import"] < row["one_game"] < row["all_games"] < 1000
    assert row["above_import"] == pytest.approx(row["all_games"] - row["import"])


@pytest.mark.slow
def test_a_cold_start_compiles_and_a_warm_one_does_not():
    (row,) = result_of("throughput.py", "--game", "leduc_poker", "--only", "starts")["starts"]
    assert row["game"] == "leduc_poker"
    assert 0 < row["warm"] < row["cold"]


def test_a_peer_that_fails_or_is_unknown_is_one_line(tmp_path):
    python = interpreter(tmp_path, "sys.exit('no pgx here: pip install pgx')")
    failed = run("throughput.py", *SHORT, "--only", "memory", "--peer", f"pgx={python}")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.splitlines()[-1] == "Error: peer pgx: no pgx here: pip install pgx"
    for pair in ("pgz=python", "pgx", "pgx="):
        unknown = run("throughput.py", "--peer", pair)
        assert unknown.returncode == 2
        assert f"{pair!r} is not NAME=PYTHON; names are envpool, openspiel" in " ".join(
            unknown.stderr.split()
        )


@pytest.fixture(scope="module")
def training(tmp_path_factory) -> dict:
    """Updates of 64 decisions."""
    settings = tmp_path_factory.mktemp("settings") / "tiny.yaml"
    settings.write_text("num_envs: 8\nnum_steps: 8\nminibatch_size: 32\nhidden: [16]\n")
    return result_of("training.py", "--config", str(settings), "--maskable-steps", "64")


def test_training_is_measured_with_and_without_games_and_disturbed(training):
    rows = {(row["what"], row["threads"]): row for row in training["rates"]}
    assert training["game"] == "dragon_deck"
    assert all(0 < row["median"] <= row["best"] for row in rows.values())
    for threads in {1, num_cores()}:
        for what in ("training", "made-up data"):
            row = rows[what, threads]
            shares = [row[part] for part in ("rules", "inference", "learning")]
            assert all(0 <= share < 1 for share in shares)
            assert 0 < sum(shares) < 1.01
    assert ("one core busy", num_cores()) in rows


def test_training_ratios_are_of_the_rates(training):
    rates = {(row["what"], row["threads"]): row["median"] for row in training["rates"]}
    cores = num_cores()
    found = {(row["of"], row["to"], row["threads"]): row["ratio"] for row in training["ratios"]}
    for threads in {1, cores}:
        expected = rates["training", threads] / rates["made-up data", threads]
        assert found["training", "made-up data", threads] == pytest.approx(expected)
    expected = rates["one core busy", cores] / rates["training", cores]
    assert found["one core busy", "training", cores] == pytest.approx(expected)


def test_maskable_ppo_is_measured_beside_it(training):
    (row,) = [row for row in training["rates"] if row["what"] == "MaskablePPO"]
    assert row["median"] > 0
    ratios = [row["ratio"] for row in training["ratios"] if row["to"] == "MaskablePPO"]
    assert len(ratios) == 1
    assert ratios[0] > 0


def test_self_play_of_stable_baselines3_is_measured_both_ways():
    few = ("--decisions", "64", "--num-envs", "8", "--num-steps", "4")
    found = result_of("sb3_selfplay.py", "--game", "leduc_poker", *few)
    assert found["game"] == "leduc_poker"
    rates = {row["environments"]: row["median"] for row in found["rates"]}
    assert set(rates) == {"batch", "one by one"}
    assert all(row["decisions"] == 64 for row in found["rates"])
    assert found["ratio"] == pytest.approx(rates["batch"] / rates["one by one"])


def test_endings_of_dragons_path():
    done = run("dragons_path.py", "--json", "--games", "3", "--agent", "random")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [(row["variant"], row["agent"]) for row in found] == [
        ("basic", "random"),
        ("advanced", "random"),
    ]
    for row in found:
        assert row["four_alike"] + row["five_different"] + row["empty_deck"] == pytest.approx(1)
        assert 0 <= row["low"] <= row["first_wins"] <= row["high"] <= 1
        assert 1 <= row["turns"] <= 44
    assert found[0]["matches"] == 3
    assert 6 <= found[1]["matches"] <= 9


def test_playouts_of_every_search_are_counted_on_one_thread_and_on_all():
    done = run("search.py", "rates", "--game", "leduc_poker", "--rounds", "1", "--json")
    assert done.returncode == 0, done.stderr
    rates = json.loads(done.stdout)["rates"]
    threads = sorted({1, num_cores()})
    assert [(row["game"], row["agent"], row["threads"]) for row in rates] == [
        ("leduc_poker", agent, number) for agent in ("flat_mc", "ismcts") for number in threads
    ]
    assert all(row["rate"] > 0 for row in rates)


def test_a_curve_of_strength_has_a_point_for_each_budget(tmp_path):
    picture = tmp_path / "curve.svg"
    curve = ("curve", "leduc_poker", "random", "--games", "40", "--picture", str(picture))
    budgets = ("--iterations", "2", "--iterations", "30")
    done = run("search.py", *curve, *budgets, "--agent", "flat_mc:rollout=random", "--json")
    assert done.returncode == 0, done.stderr
    few, many = json.loads(done.stdout)
    assert few["agent"] == "flat_mc:rollout=random,iterations=2"
    assert (few["iterations"], many["iterations"]) == (2, 30)
    assert all(row["low"] <= row["score"] <= row["high"] for row in (few, many))
    assert picture.read_text().count("<svg") == 1
    wrong = run("search.py", *curve, "--agent", "flat_mc:rollout=greedy")
    assert wrong.returncode == 1
    assert wrong.stderr.splitlines()[-1].startswith("Error: agent 'flat_mc:rollout=greedy")
