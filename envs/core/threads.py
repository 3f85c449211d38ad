"""Batches in slices: a compiled loop runs on each slice in a thread of its own.

The pool is made on first use and again in a forked child, which inherits no threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

MIN_ROWS = 2048
"""A slice smaller than this costs more to hand over than it saves."""

_pools: dict[int, ThreadPoolExecutor] = {}
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)


def num_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def num_slices(rows: int, num_threads: int | None = None) -> int:
    """How many slices are worth while for a batch; ``num_threads`` None means one a core."""
    return max(1, min(num_threads or num_cores(), rows // MIN_ROWS))


def run(task: Callable[[int, int, int], None], rows: int, slices: int) -> None:
    """Call ``task(slot, low, high)`` for ``slices`` slices of ``rows`` rows, and wait for all."""
    edges = [rows * slot // slices for slot in range(slices + 1)]
    if slices == 1:
        task(0, 0, rows)
        return
    if slices not in _pools:
        _pools[slices] = ThreadPoolExecutor(slices - 1, thread_name_prefix="duelgym")
    pool = _pools[slices]
    waiting = [pool.submit(task, n, edges[n], edges[n + 1]) for n in range(1, slices)]
    try:
        task(0, edges[0], edges[1])
    finally:
        for future in waiting:
            future.result()
