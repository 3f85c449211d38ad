"""Edited sources never run stale: rules, helpers and agents recompile, saved states follow.

The edits are made in a copy of the package. They keep the size of the file and its time, which
is all that Numba's disk cache looks at.
"""

from __future__ import annotations

import ast
import inspect
import os
import shutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import duelgym
import pytest


def folder_of(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0])


class Copy:
    """A copy of Duelgym in a folder of its own, with its own cache of compiled code."""

    def __init__(self, folder: Path, run_python: Callable[..., str]) -> None:
        self.folder, self.run_python = folder, run_python
        for name in ("agents", "envs", "training"):
            shutil.copytree(
                folder_of(f"duelgym.{name}"),
                folder / "duelgym" / name,
                ignore=shutil.ignore_patterns("__pycache__"),
            )
        shutil.copy(str(duelgym.__file__), folder / "duelgym" / "__init__.py")

    def edit(self, file: str, old: str, new: str, same_stamp: bool = True) -> None:
        path = self.folder / "duelgym" / file
        text, stamp = path.read_text(encoding="utf-8"), path.stat()
        assert text.count(old) == 1, f"{file} has changed: adapt this test"
        path.write_text(text.replace(old, new), encoding="utf-8")
        if same_stamp:
            assert len(old) == len(new)
            os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))

    def run(self, code: str, *arguments: str) -> dict[str, str]:
        """What a program prints in a process of its own, as ``name: value`` lines."""
        printed = self.run_python(
            "-c",
            inspect.cleandoc(code),
            *arguments,
            PYTHONPATH=str(self.folder),
            NUMBA_CACHE_DIR=str(self.folder / "cache"),
            # Python too would take an edit that leaves size and time as they were for none.
            PYTHONDONTWRITEBYTECODE="1",
            NUMBA_DISABLE_JIT="0",
        )
        found = dict(line.split(": ", 1) for line in printed.splitlines())
        assert Path(found.pop("package")).is_relative_to(self.folder)
        return found


@pytest.fixture
def copied(tmp_path: Path, run_python: Callable[..., str]) -> Copy:
    return Copy(tmp_path, run_python)


BEHAVIOUR = """
    import hashlib
    import numpy as np
    import duelgym
    from duelgym.agents.uniform import RandomAgent
    from duelgym.envs import make
    from duelgym.envs.dragon_deck.sampling import sample

    game = make("dragon_deck", "tiny")
    env = game.env()
    digest = hashlib.sha256()
    for seed in range(20):
        env.reset(seed=seed)
        while not env.terminations["player_0"]:
            digest.update(env.state().tobytes()[8:])  # without the seed
            env.step(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])[-1])
        digest.update(repr(env.rewards).encode())
    agent = RandomAgent()
    seeds = np.arange(40, dtype=np.uint64)
    actions = np.zeros(40, np.int64)
    agent.begin(game, seeds)
    agent.choose(np.zeros((40, game.observation_size), np.float32),
                 np.ones((40, game.num_actions), np.int8), np.arange(40), actions)
    print("package:", duelgym.__file__)
    print("play:", digest.hexdigest())
    print("agent:", actions.tolist())
    print("kernel:", sample(np.zeros(3, np.uint64)).tolist())
    print("game fingerprint:", [name for name in game.record.names if "dragon_deck_" in name])
    print("agent fingerprint:", [name for name in agent.record.names if "agent_" in name])
"""


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    return {name for name in before if before[name] != after[name]}


@pytest.mark.slow
def test_edited_code_is_recompiled_and_comments_are_not_code(copied):
    # A module of helpers beside the rules, which the rules call.
    helpers = copied.folder / "duelgym" / "envs" / "dragon_deck" / "helpers.py"
    helpers.write_text(
        "from numba import njit\n\n\n"
        "@njit(cache=True)\ndef victory_cards(value):\n    return 2 if value == 1 else 1\n",
        encoding="utf-8",
    )
    # And a loop that reaches another file without any record among its arguments.
    helpers.with_name("sampling.py").write_text(
        "from ..core.compilation import kernel\nfrom ..core.randomness import random_word\n\n\n"
        "@kernel\ndef sample(words):\n    for row in range(words.shape[0]):\n"
        "        words[row] = random_word(words[row], 1, row)\n    return words\n",
        encoding="utf-8",
    )
    rules = "envs/dragon_deck/rules.py"
    copied.edit(
        rules,
        "return 2 if card_value(state, card) == 1 else 1",
        "return victory_cards(card_value(state, card))",
        same_stamp=False,
    )
    copied.edit(
        rules,
        "from ..core.randomness import",
        "from .helpers import victory_cards\nfrom ..core.randomness import",
        same_stamp=False,
    )
    first = copied.run(BEHAVIOUR)
    assert copied.run(BEHAVIOUR) == first

    copied.edit(rules, '"""Lay a card face up before its', '"""Lay a card face up behind its')
    assert copied.run(BEHAVIOUR) == first

    copied.edit(rules, "return (own + 1) % 3 == rival", "return (own + 2) % 3 == rival")
    edited_rule = copied.run(BEHAVIOUR)
    assert changed(first, edited_rule) == {"play", "game fingerprint"}

    copied.edit("envs/dragon_deck/helpers.py", "2 if value == 1", "2 if value == 2")
    edited_helper = copied.run(BEHAVIOUR)
    assert changed(edited_rule, edited_helper) == {"play", "game fingerprint"}

    copied.edit("agents/compiled.py", "random_word(agent.seed, 3,", "random_word(agent.seed, 4,")
    edited_agent = copied.run(BEHAVIOUR)
    assert changed(edited_helper, edited_agent) == {"agent", "agent fingerprint"}

    copied.edit("envs/core/randomness.py", "np.uint64(31), np", "np.uint64(29), np")
    edited_core = copied.run(BEHAVIOUR)
    assert changed(edited_agent, edited_core) == set(first), "the mixer is under everything"


NOTICE = """
    import sys
    sys.stderr = sys.stdout
    from numba import njit
    njit(lambda x: x + 1)(1)
    import duelgym
    print("package:", duelgym.__file__)
    print("imported: yes")
    duelgym.make("dragon_deck").start(1).apply("keep")
"""


@pytest.mark.slow
def test_the_first_compilation_is_announced_once(copied):
    cold, warm = copied.run(NOTICE), copied.run(NOTICE)
    assert list(cold) == ["imported", "duelgym"]
    assert cold["duelgym"].startswith("compiling the rules for this machine")
    assert list(warm) == ["imported"]


SAVE = """
    import pickle
    import sys
    import duelgym
    from duelgym.envs import make

    game = make("dragon_deck", "tiny")
    state = game.start(1)
    env = game.env()
    env.reset(seed=1)
    vector = game.vector(3)
    vector.reset(1)
    vector.step(vector.random_actions(1, 0))
    things = {"saved": game.save_states(state._states), "state": state, "env": env,
              "vector": vector, "raw": state._states}
    for name, thing in things.items():
        pickle.dump(thing, open(f"{sys.argv[1]}/{name}", "wb"))
    state.apply("keep")  # compiles the rules of now, for the record type of now
    print("package:", duelgym.__file__)
    print("keep is legal:", state.legal_mask()[0])
"""

LOAD = """
    import pickle
    import sys
    import numpy as np
    import duelgym
    from duelgym.envs import make
    from duelgym.envs.core import DuelgymError, State, loops

    print("package:", duelgym.__file__)
    game = make("dragon_deck", "tiny")

    def attempt(file, use, name=None):
        try:
            done = use(pickle.load(open(f"{sys.argv[1]}/{file}", "rb")))
        except DuelgymError as error:
            done = f"{type(error).__name__}: {error}"
        print(f"{name or file}: {done}")

    def play(state):
        legal = state.legal_mask()[:2].tolist()
        state.apply(1)
        return legal

    def step(env):
        legal = env.infos[env.agent_selection]["action_mask"][:2].tolist()
        env.step(1)
        return legal

    def step_all(env):
        legal = env.masks[:, :2].tolist()
        env.step(np.ones(3, int))
        return legal

    attempt("saved", lambda saved: play(State(game, game.load_states(saved))))
    attempt("state", play)
    attempt("env", step)
    attempt("vector", step_all)
    attempt("raw", lambda raw: play(State(game, raw)))
    mask, weights = np.zeros(8, np.int8), np.zeros(6, np.int32)
    attempt("raw", lambda raw: loops.mask_one(raw, mask), "raw in a loop")
"""


@pytest.mark.slow
def test_saved_states_play_by_the_rules_of_the_day(copied):
    folder = str(copied.folder)
    assert copied.run(SAVE, folder) == {"keep is legal": "1"}
    same = copied.run(LOAD, folder)
    assert same["vector"] == "[[1, 1], [1, 1], [1, 1]]"
    assert same["saved"] == same["state"] == same["env"] == same["raw"] == "[1, 1]"
    assert same["raw in a loop"] == "2"

    rules = "envs/dragon_deck/rules.py"
    copied.edit(rules, "mask[KEEP] = 1", "mask[KEEP] = 0")
    edited = copied.run(LOAD, folder)
    assert edited["vector"] == "[[0, 1], [0, 1], [0, 1]]"
    assert edited["saved"] == edited["state"] == edited["env"] == "[0, 1]"
    # Pickled arrays carry the old record type, whose old code is still in the cache.
    assert edited["raw"].startswith(
        "StateFormatError: dragon_deck_v0(values_per_type=2, target=2) takes"
    )
    assert edited["raw in a loop"].startswith(
        "StateFormatError: these records are not of a registered"
    )

    game = "envs/dragon_deck/game.py"
    section = 'Section("pile_b", ["yes"]'
    copied.edit(game, section, 'Section("pile_b", ["yes", "no"]', same_stamp=False)
    resized = copied.run(LOAD, folder)
    assert resized["saved"] == resized["state"] == "[0, 1]"
    message = "StateFormatError: saved environment has 52 observation entries and 8 actions, but"
    assert resized["env"].startswith(message)
    assert resized["vector"].startswith(message)

    copied.edit(
        rules, '("kept", np.int8)', '("kept", np.int8), ("extra", np.int8)', same_stamp=False
    )
    moved = copied.run(LOAD, folder)
    for name in ("saved", "state", "env", "vector"):
        assert moved[name].startswith("StateFormatError: saved state has layout ")


# A compiled function is cached by its own file and the types of its arguments, not by what it
# calls. A record's type carries the fingerprint of all its code, and so does the name of a kernel;
# other functions that reach another file have to take a record, or an edit there goes unnoticed.

RECORDS = {"state", "states", "agent", "agents"}
WITHIN_AGENTS = {"dragons_path": {"table"}, "gem_duel": {"options"}, "search": {"table"}}
"""Records inside those of scripted players, with fingerprints of their own."""


def cached_functions() -> Iterator[tuple[str, ast.FunctionDef, ast.Module]]:
    for package in ("envs", "agents"):
        for path in sorted(folder_of(f"duelgym.{package}").rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in tree.body:
                if isinstance(node, ast.FunctionDef):
                    decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
                    # What has no cache of its own is compiled anew with whatever calls it.
                    if any("njit" in decorator for decorator in decorators) and decorators != [
                        "njit"
                    ]:
                        assert decorators == ["njit(cache=True)"]
                        folder = "" if path.parent.name == package else f"{path.parent.name}/"
                        yield f"{package}/{folder}{path.name}: {node.name}", node, tree


def test_compiled_code_that_reaches_another_file_takes_a_record():
    wrong, checked = [], 0
    for where, function, module in cached_functions():
        imported = {
            alias.asname or alias.name
            for node in module.body
            if isinstance(node, ast.ImportFrom) and node.level
            for alias in node.names
        }
        called = imported & {
            node.func.id
            for node in ast.walk(function)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        checked += bool(called)
        carriers = RECORDS
        if where.startswith("agents/"):
            carriers = RECORDS | WITHIN_AGENTS.get(where.split("/")[1], set())
        if called and not carriers & {argument.arg for argument in function.args.args}:
            wrong.append(f"{where} calls {', '.join(sorted(called))}")
    assert wrong == []
    assert checked > 5
