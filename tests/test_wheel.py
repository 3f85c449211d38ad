"""A wheel, installed away from the checkout, is complete: it imports, lists its games and trains."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]


def run(*command: str | Path, cwd: Path) -> str:
    # Nothing of the checkout or of the caller's environment may help.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr}"
    return done.stdout


def build_wheel(folder: Path) -> Path:
    """Build in a copy, because building leaves files behind."""
    source = folder / "source"
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    for name in settings["tool"]["setuptools"]["package-dir"].values():
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(CHECKOUT / name, source / name, ignore=ignored)
    for name in ("pyproject.toml", settings["project"]["readme"], "LICENSE"):
        shutil.copy(CHECKOUT / name, source / name)
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, source, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    files = set(zipfile.ZipFile(wheel).namelist())
    for package, name in settings["tool"]["setuptools"]["package-dir"].items():
        for path in (source / name).rglob("*.*"):
            inside = Path(*package.split("."), path.relative_to(source / name)).as_posix()
            assert inside in files, f"{inside} is not in the wheel: add it in pyproject.toml"
    return wheel


@pytest.mark.slow
def test_a_wheel_imports_lists_its_games_and_trains(tmp_path):
    wheel = build_wheel(tmp_path)
    home = tmp_path / "venv"
    venv.create(home)
    paths = sysconfig.get_paths(vars={"base": str(home), "platbase": str(home)}, scheme="venv")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    python = Path(paths["scripts"]) / Path(sys.executable).name
    run(*pip, "--python", python, "install", "--no-index", "--no-deps", wheel, cwd=tmp_path)
    # The dependencies are those of this interpreter.
    (Path(paths["purelib"]) / "dependencies.pth").write_text(sysconfig.get_path("purelib"))

    work = tmp_path / "elsewhere"
    work.mkdir()
    where = run(python, "-c", "import duelgym.envs; print(duelgym.envs.__file__)", cwd=work)
    assert Path(where.strip()).is_relative_to(home)
    duelgym = Path(paths["scripts"]) / "duelgym"
    games = run(duelgym, "games", cwd=work)
    assert "dragon_deck" in games
    assert "tiny" in games
    few = ("--decisions", "20000", "--games", "100")
    told = run(duelgym, "train", "dragon_deck", "--variant", "tiny", *few, "--out", "run", cwd=work)
    assert "random" in told
    assert list((work / "run").rglob("*.safetensors"))
    assert "run" in run(duelgym, "evaluate", "dragon_deck", "run", "random", "--variant", "tiny",
                        "--games", "100", cwd=work)  # fmt: skip
