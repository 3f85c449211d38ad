"""Compiled entry points, and a word to the user while they are compiled for the first time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import config, njit
from numba.core import event


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a loop that Python calls: cached on disk, and run without the interpreter lock.

    With ``NUMBA_DISABLE_JIT=1`` the loop stays plain Python, where the wrap-around of 64-bit
    mixing, which is meant, must not warn.
    """
    if config.DISABLE_JIT:
        return np.errstate(over="ignore")(function)
    return njit(cache=True, nogil=True)(function)


class _Notice(event.Listener):
    """Says once that Duelgym's own code is being compiled and not loaded from the cache."""

    told = False

    def on_start(self, event: Any) -> None:
        """Called when Numba starts to compile a function."""
        function = event.data["dispatcher"].py_func
        if not self.told and function.__module__.startswith(__name__.split(".", 1)[0]):
            self.told = True
            print(
                "duelgym: compiling the rules for this machine; this takes seconds, once "
                "(later starts load them from a cache)",
                file=sys.stderr,
                flush=True,
            )

    def on_end(self, event: Any) -> None:
        """Nothing to say when it is done."""


event.register("numba:compile", _Notice())
