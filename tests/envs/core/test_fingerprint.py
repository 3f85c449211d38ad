"""The fingerprint follows the code that a module reaches, and only the code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from duelgym.envs.core.fingerprint import fingerprint

FILES = {
    "__init__.py": "",
    "rules.py": (
        '"""Rules."""\n'
        "import research_game.absolute\n"
        "from research_game.named import value\n"
        "from . import sibling\n"
        "from .cards import deck as all_cards\n"
        "def rule(state):\n"
        '    """What it does."""\n'
        "    return value(state) + 1\n"
    ),
    "absolute.py": "X = 1\n",
    "named.py": "def value(state):\n    return 1\n",
    "sibling.py": "from .deeper.still import X\n",
    "cards/__init__.py": "def deck():\n    return 1\n",
    "deeper/__init__.py": "",
    "deeper/still.py": "from ..cards import deck\nX = 1\n",
    "unrelated.py": "X = 1\n",
}


@pytest.fixture
def edit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str, str], str]:
    """Change a file of a game outside Duelgym; gives the fingerprint of its rules then."""
    package = tmp_path / "research_game"
    for name, text in FILES.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.startswith("research_game")]:
        monkeypatch.delitem(sys.modules, name)
    ticks = iter(range(10**6))

    def change(name: str, old: str, new: str) -> str:
        path = package / name
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))
        os.utime(path, ns=(0, next(ticks)))
        return fingerprint(["research_game.rules"])

    return change


@pytest.mark.parametrize("name", [name for name, text in FILES.items() if "1" in text])
def test_an_edit_of_what_the_rules_reach_shows(edit, name):
    before = edit("unrelated.py", "X = 1", "X = 3")
    assert len(before) == 12
    old, new = ("+ 1", "+ 2") if name == "rules.py" else ("1", "2")
    if name == "unrelated.py":
        assert edit(name, "X = 3", "X = 4") == before
    else:
        changed = edit(name, old, new)
        assert changed != before
        assert edit(name, new, old) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("What it does.", "What it really does."),
        ('"""Rules."""\n', ""),
        ("def rule", "\n\n# A comment.\ndef rule"),
        ("value(state) + 1", "(value(state)  +  1)"),
    ],
)
def test_comments_docstrings_and_layout_are_not_code(edit, old, new):
    before = edit("unrelated.py", "X = 1", "X = 3")
    assert edit("rules.py", old, new) == before


def test_a_module_without_a_source_file_is_refused():
    with pytest.raises(ValueError, match="sys has no source file"):
        fingerprint(["sys"])
