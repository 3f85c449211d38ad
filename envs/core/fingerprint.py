"""A fingerprint of source code, so that an edit anywhere in the rules is never run from a stale cache.

Numba's disk cache looks at the file of the function that is called and at the types of its
arguments, not at the files of the functions it calls in turn. So the record type of a game or
of an agent carries the fingerprint of every module that its compiled code can reach.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

_ROOT = __name__.split(".", 1)[0]


def fingerprint(modules: Sequence[str]) -> str:
    """Twelve hex digits over the code of ``modules`` and what they import of it and of Duelgym.

    Comments, docstrings and layout do not count: only the parsed code does. What belongs to the
    top-level packages of ``modules`` counts too, so that games can be written outside Duelgym.

    Raises:
        ValueError: One of ``modules`` has no source file.
    """
    code = _reachable(modules)
    for name in modules:
        if name not in code:
            raise ValueError(
                f"{name} has no source file, so edits could not be noticed: compiled rules have to "
                "be in a module on disk"
            )
    digest = hashlib.sha256()
    for name, text in sorted(code.items()):
        digest.update(f"{name}\n{text}\n".encode())
    return digest.hexdigest()[:12]


def _reachable(modules: Sequence[str]) -> dict[str, str]:
    """The code of every module that can be reached, by name."""
    roots = {_ROOT, *(name.split(".", 1)[0] for name in modules)}
    code: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        path = None if name in code else _source_of(name)
        if path is not None:
            code[name], imported = _read(name, path, path.stat().st_mtime_ns)
            waiting += [other for other in imported if other.split(".", 1)[0] in roots]
    return code


@cache
def _read(name: str, path: Path, mtime_ns: int) -> tuple[str, list[str]]:
    """The parsed code of a module, as text, and the modules that it may import."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    imported = _imports(tree, name, is_package=path.name == "__init__.py")
    return ast.dump(_without_docstrings(tree)), imported


def _source_of(name: str) -> Path | None:
    loaded = sys.modules.get(name)
    file = getattr(loaded, "__file__", None)
    if file is None and loaded is None:
        try:
            spec = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            return None
        file = spec.origin if spec else None
    return Path(file) if file and file.endswith(".py") else None


def _imports(tree: ast.Module, name: str, is_package: bool) -> list[str]:
    """Modules that may be meant by the imports at the top of a module."""
    package = name if is_package else name.rpartition(".")[0]
    found = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        if not isinstance(node, ast.ImportFrom):
            continue
        base = node.module or ""
        if node.level:
            parent = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*parent, base]) if base else ".".join(parent)
        # ``from package import module`` and ``from module import name`` look alike.
        found += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    return found


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and (
            node.body
            and isinstance(node.body[0], ast.Expr)
            and isinstance(node.body[0].value, ast.Constant)
            and isinstance(node.body[0].value.value, str)
        ):
            node.body = node.body[1:]
    return tree
