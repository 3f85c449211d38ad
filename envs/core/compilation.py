"""Compiled entry points, and a word to the user while they are compiled for the first time."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import config, njit
from numba.core import cgutils, event, types
from numba.extending import intrinsic, overload

from .errors import StateFormatError
from .fingerprint import fingerprint
from .records import functions_of


def _find_place_for_cache() -> None:
    """Let Numba cache in the temporary folder if it may write neither beside the code nor at home."""

    def probe():
        return None

    try:
        njit(cache=True)(probe)
    except RuntimeError:
        user = os.getuid() if hasattr(os, "getuid") else ""
        folder = Path(tempfile.gettempdir()) / f"duelgym-numba-{user}"
        config.CACHE_DIR = str(folder)  # pyright: ignore[reportAttributeAccessIssue]


_find_place_for_cache()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a loop that Python calls: cached on disk, and run without the interpreter lock.

    With ``NUMBA_DISABLE_JIT=1`` the loop stays plain Python, where the wrap-around of 64-bit
    mixing, which is meant, must not warn.
    """
    if config.DISABLE_JIT:  # pyright: ignore[reportAttributeAccessIssue]
        return np.errstate(over="ignore")(function)
    # Numba's cache does not look at the other files that a function reaches, but goes by its name.
    function.__qualname__ += f"_{fingerprint([function.__module__])}"
    compiled = njit(cache=True, nogil=True)(function)
    compiled.compile = _compile_for_registered(compiled.compile)
    return compiled


def _compile_for_registered(compile_: Callable[..., Any]) -> Callable[..., Any]:
    """Keep a kernel from records of an unknown type: their old code may still be in the cache."""

    def compile_checked(arguments: Any) -> Any:
        for argument in arguments:
            record = getattr(argument, "dtype", None)
            if isinstance(record, types.Record) and functions_of(record.fields) is None:
                raise StateFormatError(
                    f"these records are not of a registered type but have {', '.join(record.fields)};"
                    " load saved states with load_states()"
                )
        return compile_(arguments)

    return compile_checked


def borrowed(array):
    """An array argument of a kernel without reference counting, to hand out row by row.

    Each row that compiled code passes on is otherwise counted with atomic operations, which take
    longer than a small rule. The caller of the kernel keeps the array alive.
    """
    return array


@overload(borrowed)
def _borrowed(array):
    return lambda array: _uncounted(array)  # pyright: ignore[reportCallIssue]


@intrinsic
def _uncounted(typingctx, array):
    def generate(context, builder, signature, arguments):
        view = context.make_array(array)(context, builder, arguments[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        return view._getvalue()

    return array(array), generate


class _Notice(event.Listener):
    """Says once that Duelgym's own code is being compiled and not loaded from the cache."""

    told = False

    def on_start(self, event: Any) -> None:
        """Called when Numba starts to compile a function."""
        module = event.data["dispatcher"].py_func.__module__ or ""
        if not self.told and module.split(".", 1)[0] == __name__.split(".", 1)[0]:
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
