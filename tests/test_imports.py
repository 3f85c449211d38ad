"""Imports go one way: training, agents, envs, envs.core; and games do not know each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from duelgym.envs import GAMES

CHECKOUT = Path(__file__).parents[1]
PACKAGES = ("agents", "configs", "envs", "package", "training")

# What a package may import besides itself. ``package`` is ``duelgym`` itself.
ALLOWED = {
    "envs.core": set(),
    **{f"envs.{game}": {"envs.core"} for game in GAMES},
    "envs": {"envs.core", *(f"envs.{game}" for game in GAMES)},
    "agents": {"envs", "envs.core", *(f"envs.{game}" for game in GAMES)},
    "configs": set(),
    "training": {"agents", "configs", "envs", "envs.core", *(f"envs.{game}" for game in GAMES)},
}


def package_of(module: str) -> str:
    """The longest name in ``ALLOWED`` that begins ``module``, such as ``envs.core``."""
    parts = module.split(".")
    names = [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
    return next(name for name in names if name in ALLOWED)


def modules() -> Iterator[tuple[str, Path]]:
    for package in PACKAGES:
        for path in sorted((CHECKOUT / package).rglob("*.py")):
            parts = path.relative_to(CHECKOUT).with_suffix("").parts
            yield ".".join(part for part in parts if part != "__init__"), path


def imports(module: str, path: Path) -> Iterator[tuple[str, bool]]:
    """What a module imports, anywhere in it: full name and whether the import is relative."""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, False) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((f"{node.module}.{alias.name}", False) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1]
            for alias in node.names:
                yield ".".join([*base, *filter(None, [node.module]), alias.name]), True


CASES = {module: path for module, path in modules() if not module.startswith("package")}


@pytest.mark.parametrize("module", CASES)
def test_imports_go_one_way(module):
    own = package_of(module)
    for name, relative in imports(module, CASES[module]):
        if relative:
            other = package_of(name)
            assert other in {own, *ALLOWED[own]}, f"{module} must not import {name}"
        else:
            first = name.split(".")[0]
            assert first not in (*PACKAGES, "duelgym"), f"{module}: import {name} relatively"


def test_the_cases_are_there():
    found = {package_of(module) for module in CASES}
    assert found == set(ALLOWED)
    assert len(CASES) > 25


def test_light_modules_import_nothing_heavy():
    """Environments, scripted agents and the command line start without these."""
    heavy = {
        "torch",
        "safetensors",
        "tensorboard",
        "matplotlib",
        "PIL",
        "pydantic",
        "pyspiel",
        "minari",
        "ray",
    }
    light = [m for m in CASES if m.startswith("envs") or m in ("agents", "training.cli")]
    assert len(light) > 15
    for module in light:
        tree = ast.parse(CASES[module].read_text(encoding="utf-8"))
        top = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
        for node in top:
            names = [alias.name for alias in node.names]
            if isinstance(node, ast.ImportFrom):
                names = [] if node.level else [node.module or ""]
            assert not {name.split(".")[0] for name in names} & heavy, module
