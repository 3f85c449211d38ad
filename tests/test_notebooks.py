"""The notebooks run as they stand, say what they promise, and are kept without outputs."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from duelgym.envs import GAMES
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(path.name for path in FOLDER.glob("*.ipynb"))


def read(name: str) -> nbformat.NotebookNode:
    return nbformat.read(FOLDER / name, as_version=4)


def run(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> nbformat.NotebookNode:
    """The notebook with its outputs, executed in ``folder``, where it has to leave nothing."""
    scratch = folder.with_name("scratch")
    for path in (folder, scratch):
        path.mkdir()
    for variable in ("TMPDIR", "IPYTHONDIR", "JUPYTER_DATA_DIR"):
        monkeypatch.setenv(variable, str(scratch))
    notebook = read(name)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}}).execute()
    assert list(folder.iterdir()) == []
    return notebook


def shown(notebook: nbformat.NotebookNode, cell: str, kind: str = "text/plain") -> str:
    """What the cell with that id displayed of one ``kind``; plain text is also what it printed."""
    (outputs,) = [found.outputs for found in notebook.cells if found.id == cell]
    texts = []
    for output in outputs:
        if output.output_type == "stream" and output.name == "stdout" and kind == "text/plain":
            texts.append(output.text)
        texts.append(output.get("data", {}).get(kind, ""))
    return "".join(texts)


def errors_and_warnings(notebook: nbformat.NotebookNode) -> list[str]:
    """What is on stderr, but for the notice that the rules are being compiled."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    texts = [output.text for output in outputs if output.get("name") == "stderr"]
    return [text for text in texts if not text.startswith("duelgym: compiling")]


def test_there_are_notebooks():
    assert NOTEBOOKS == ["card_sets.ipynb", "quickstart.ipynb", "strategies.ipynb"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_outputs_are_stripped(name):
    notebook = read(name)
    nbformat.validate(notebook)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.kernelspec.name == "python3"
    for cell in notebook.cells:
        assert cell.metadata == {}, cell.id
        if cell.cell_type == "code":
            assert (cell.outputs, cell.execution_count) == ([], None), f"strip {cell.id}"


@pytest.mark.slow
def test_quickstart(tmp_path, monkeypatch):
    done = run("quickstart.ipynb", tmp_path / "work", monkeypatch)
    assert errors_and_warnings(done) == []
    assert shown(done, "page").startswith(" ".join(GAMES))
    assert shown(done, "page", "text/markdown").startswith("# Dragon Deck")
    worlds = shown(done, "resample").splitlines()
    assert len(set(worlds)) > 1, "the committed card is redrawn"
    assert all(line.endswith("player_1 sees the same: True") for line in worlds)
    for cell in ("aec", "agents", "curve", "trained"):
        assert shown(done, cell, "image/png"), "a picture"
    for cell in ("agents", "trained"):
        (low,) = re.findall(r"against random .* \[([\d.]+), [\d.]+\]", shown(done, cell))
        assert float(low) > 0.5, f"{cell}: beats random play"


@pytest.mark.slow
def test_card_sets(tmp_path, monkeypatch):
    done = run("card_sets.ipynb", tmp_path / "work", monkeypatch)
    assert errors_and_warnings(done) == []
    assert "Rag Doll" in shown(done, "play")
    assert "'Rocking Horse': attack is a whole number from 0 to 20, not 60" in shown(done, "wrong")
    before, after = shown(done, "measure"), shown(done, "mend")
    assert "shelf wins" in before
    assert "Snow Queen (chest, planner) decides too much" in before
    assert after.splitlines()[-1] == "balanced"
    assert "against racer" in shown(done, "evaluate")


@pytest.mark.slow
def test_strategies(tmp_path, monkeypatch):
    done = run("strategies.ipynb", tmp_path / "work", monkeypatch)
    assert errors_and_warnings(done) == []
    assert "own_hand" in shown(done, "see")
    (cell,) = [found for found in done.cells if found.id == "write"]
    assert len(cell.source.splitlines()) <= 10
    assert "| hoarder | StrategyAgent" in shown(done, "tournament", "text/markdown")
    assert shown(done, "picture", "image/png")
    assert "careless chose 'fire 4', which is not legal here" in shown(done, "faults")
    assert shown(done, "sure").startswith("Yes: hoarder is stronger than random.")
