"""The same seeds give the same games everywhere: in other processes and threads, compiled or not."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from duelgym.envs import make
from duelgym.envs.core.vector import play_random
from support import digests
from support.children import child, work
from support.digests import state_digest, vector_digest
from support.toy_game import ToyGame

DIGESTS = digests.__file__


def lines(found: dict[str, str]) -> list[str]:
    return [f"{case}: {digest}" for case, digest in found.items()]


def test_digests_tell_games_apart():
    game = make("dragon_deck", "tiny")
    assert state_digest(game, 3, 1) == state_digest(game, 3, 1) != state_digest(game, 3, 2)
    one = vector_digest(game, 8, 40, 1)
    assert one == vector_digest(game, 8, 40, 1)
    assert len({one, vector_digest(game, 8, 40, 2), vector_digest(game, 8, 41, 1)}) == 3
    forced = [vector_digest(ToyGame(), 8, 9, 1, skip_forced=skip) for skip in (False, True)]
    assert forced[0] != forced[1]


@pytest.mark.parametrize("hash_seed", ["0", "123"])
def test_a_fresh_process_plays_the_same_games(run_python, hash_seed):
    here = lines(digests.all_digests(6))
    assert run_python(DIGESTS, "6", PYTHONHASHSEED=hash_seed).splitlines() == here


def test_uncompiled_rules_play_the_same_games(run_python):
    assert (
        run_python(DIGESTS, "6", NUMBA_DISABLE_JIT="1").splitlines()
        == run_python(DIGESTS, "6", NUMBA_DISABLE_JIT="0").splitlines()
    )


@pytest.mark.slow
def test_uncompiled_rules_play_the_same_thousands_of_games(run_python):
    """A hundred and fifty games of every variant in the vector environment, and some of each other kind."""
    assert (
        run_python(DIGESTS, "150", NUMBA_DISABLE_JIT="1").splitlines()
        == run_python(DIGESTS, "150", NUMBA_DISABLE_JIT="0").splitlines()
    )


@pytest.mark.slow
def test_no_rule_reaches_outside_its_arrays(run_python, tmp_path):
    """Compiled code does not check indices, unless it is compiled to do so."""
    checked = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    broken = "from support import outside; outside.read(10)"
    with pytest.raises(AssertionError, match="IndexError"):
        run_python("-c", broken, **checked)
    plain = run_python(DIGESTS, "200", NUMBA_DISABLE_JIT="0").splitlines()
    assert run_python(DIGESTS, "200", **checked).splitlines() == plain


# Children of a process whose threads and compiled code are in use.


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_children_play_the_same_games(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot {method}")
    expected = work()  # the pool of threads is there now
    context = multiprocessing.get_context(method)
    pipes = [context.Pipe() for _ in range(2)]
    children = [context.Process(target=child, args=(end,)) for _, end in pipes]
    try:
        for process in children:
            process.start()
        for mine, _ in pipes:
            assert mine.poll(120), "a child hangs"
            assert mine.recv() == expected
        for process in children:
            process.join(60)
            assert process.exitcode == 0
    finally:
        for process in children:
            process.kill()
    assert work() == expected, "nor has the parent come to harm"


def test_two_threads_at_once_play_the_same_games():
    """Stepping, rolling out and single states, with pools of their own sizes, all at once."""
    game = make("dragon_deck", "small")
    tasks: list[Callable[[], object]] = [
        lambda: vector_digest(game, 4100, 12, 1, num_threads=2),
        lambda: vector_digest(game, 6200, 12, 2, num_threads=3),
        lambda: play_random(game, 4100, 40, 3, num_threads=2),
        lambda: state_digest(game, 10, 4),
    ]
    expected = [task() for task in tasks]
    start = threading.Barrier(len(tasks))

    def repeat(task: Callable[[], object]) -> list[object]:
        start.wait(60)
        return [task() for _ in range(4)]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(len(tasks)) as pool:
            futures: list[Future[list[object]]] = [pool.submit(repeat, task) for task in tasks]
            assert [future.result(120) for future in futures] == [[e] * 4 for e in expected]
    finally:
        sys.setswitchinterval(interval)


def test_an_error_in_one_thread_leaves_the_others_be():
    game = make("dragon_deck", "tiny")
    env = game.vector(4100, num_threads=2)
    env.reset(1)
    with pytest.raises(ValueError, match="illegal"):
        env.step(env.random_actions(1, 0) + game.num_actions)
    assert vector_digest(game, 4100, 5, 1, num_threads=2) == vector_digest(game, 4100, 5, 1)


def test_it_works_from_any_folder_beside_others_called_envs(run_python, tmp_path):
    """Research code often has folders named ``envs`` and ``agents``: they are nobody's business."""
    for name in ("envs", "agents", "training", "configs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('the wrong one')\n")
    code = (
        "import duelgym, duelgym.agents, duelgym.training; from duelgym.envs import dragon_deck_v0;"
        "env = dragon_deck_v0.env(); env.reset(seed=1); print(duelgym.make('dragon_deck'))"
    )
    environment = {"PYTHONPATH": str(tmp_path)}
    assert run_python("-c", code, cwd=tmp_path, **environment) == "dragon_deck_v0\n"
