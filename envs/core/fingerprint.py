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
from collections.abc import Iterable
from pathlib import Path

_ROOT = __name__.split(".", 1)[0]


def fingerprint(modules: Iterable[str]) -> str:
    """Twelve hex digits over the code of ``modules`` and all of Duelgym that they import.

    Comments, docstrings and layout do not count: only the parsed code does.
    """
    digest = hashlib.sha256()
    for name, tree in sorted(_reachable(modules).items()):
        digest.update(f"{name}\n{ast.dump(_without_docstrings(tree))}\n".encode())
    return digest.hexdigest()[:12]


def _reachable(modules: Iterable[str]) -> dict[str, ast.Module]:
    trees: dict[str, ast.Module] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in trees:
            continue
        path = _source_of(name)
        if path is None:
            continue
        trees[name] = ast.parse(path.read_text(encoding="utf-8"), str(path))
        waiting += _imports(trees[name], name, is_package=path.name == "__init__.py")
    return trees


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
    """Modules that may be meant by the relative or ``duelgym`` imports at the top of a module."""
    package = name if is_package else name.rpartition(".")[0]
    found = []
    for node in tree.body:
        if not isinstance(node, ast.ImportFrom):
            continue
        base = node.module or ""
        if node.level:
            parent = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*parent, base]) if base else ".".join(parent)
        if base.split(".", 1)[0] == _ROOT or node.level:
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
