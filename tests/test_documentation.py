"""README and the pages of the games say what is so: examples run, tables match the declarations."""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from dataclasses import fields
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner
from duelgym.envs import GAMES, game_class, make
from duelgym.envs.core import Game, OptionError
from duelgym.envs.core.observation import table
from duelgym.training.cli import main
from gymnasium import spaces

CHECKOUT = Path(__file__).parents[1]
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
BLOCKS = [
    (match[1], README.count("\n", 0, match.start(2)), match[2])
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
]
"""Fenced blocks: language, lines before, text."""
SHELL = [line for language, _, text in BLOCKS if not language for line in text.splitlines()]
SHELL += re.findall(r"`([^`\n]+)`", README)
COMMANDS = list(
    dict.fromkeys(
        match[1]
        for line in SHELL
        if (match := re.fullmatch(r"(?:\S*/)?duelgym ([^#]*?)\s*(?:#.*)?", line))
    )
)
NOT_RUN = {
    "train dragon_deck": "takes minutes",
    "train dragon_deck --out runs/mine": "takes minutes",
    "evaluate dragon_deck runs/mine": "needs a trained run",
    "replay games.jsonl": "needs recorded games",
    "exploit runs/mine": "needs a trained run",
}


def tables(text: str) -> dict[tuple[str, ...], list[list[str]]]:
    """The rows of every Markdown table, by its headings."""
    found = {}
    for lines in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        rows = [
            [cell.strip() for cell in line.strip("|").split("|")] for line in lines.splitlines()
        ]
        found[tuple(rows[0])] = rows[2:]
    return found


def understood(command: str) -> click.Context:
    """The parsed arguments and options of a command line; wrong ones are an error."""
    name, *arguments = shlex.split(command)
    return main.commands[name].make_context(name, arguments)


# README.


def test_readme_python_examples_run_as_they_stand(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    examples = [block for block in BLOCKS if block[0] == "python"]
    namespace: dict[str, object] = {}
    for _, lines, text in examples:
        # The empty lines make errors name the line of README.md.
        exec(compile("\n" * lines + text, "README.md", "exec"), namespace)
        assert capsys.readouterr().out, f"the example at line {lines + 1} shows nothing"
    assert len(examples) == 10
    assert [path.name for path in tmp_path.iterdir()] == ["games.jsonl"]


@pytest.mark.parametrize("command", COMMANDS)
def test_readme_command_lines_are_understood(command):
    assert (understood(command).params.get("game") or "dragon_deck") in GAMES


@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in NOT_RUN])
def test_readme_command_lines_run(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, shlex.split(command))
    assert result.exit_code == 0, result.output
    assert len(result.stdout.splitlines()) > 5


def test_readme_shows_every_command():
    assert {command.split()[0] for command in COMMANDS} == set(main.commands)
    assert set(NOT_RUN) <= set(COMMANDS)


def test_readme_names_only_options_that_exist():
    contexts = [click.Context(command) for command in main.commands.values()]
    known = {
        option
        for context in contexts
        for parameter in context.command.get_params(context)
        for option in parameter.opts
    }
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", README)) <= known


def test_readme_make_lines():
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    lines = [match for line in SHELL if (match := re.match(r"make (\w+)([^#]*)", line))]
    assert {line[1] for line in lines} == {"train", "test"}
    for line in lines:
        assert re.search(rf"^{line[1]}:", makefile, re.MULTILINE)
        given = dict(word.split("=", 1) for word in shlex.split(line[2]))
        assert set(given) <= {"GAME", "ARGS"} & set(re.findall(r"\$\((\w+)\)", makefile))
        if line[1] == "train":
            game = given.get("GAME", "dragon_deck")
            assert game in GAMES
            understood(f"train {game} {given.get('ARGS', '')}")


def test_readme_installation():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"Python {project['requires-python'].removeprefix('>=')} or newer" in README
    extras = re.findall(r'"\.\[(\w+)\]"', README)
    assert extras == ["train", "dev", "rllib"]
    assert set(extras) <= set(project["optional-dependencies"])
    assert (CHECKOUT / re.findall(r"-c (\S+)", README)[0]).is_file()


def test_readme_links_lead_somewhere():
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert "notebooks/quickstart.ipynb" in links
    for link in links:
        assert (CHECKOUT / link).exists(), link


def test_readme_lists_every_game():
    (listed,) = [
        rows for heading, rows in tables(README).items() if heading[:2] == ("game", "players")
    ]
    found = []
    for name, players, meaning, page in listed:
        game = make(re.findall(r"`(\w+)`", name)[0])
        assert f"{game.title}" in name
        counts = {make(game.name, variant).num_players for variant in game.variants}
        assert players == " to ".join(str(count) for count in sorted({min(counts), max(counts)}))
        assert meaning
        assert page == f"`duelgym rules {game.name}`"
        found.append(game.name)
    assert found == list(GAMES)


# Pages of the games.


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> Game:
    return make(request.param)


@pytest.fixture
def module(game: Game) -> ModuleType:
    return import_module(f"duelgym.envs.{game.name}_v{game.version}")


@pytest.fixture
def page(module: ModuleType) -> str:
    assert module.__doc__
    return module.__doc__


def test_page_has_its_parts(game, page):
    assert page.startswith(f"# {game.title}\n")
    parts = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert parts[0] == "Rules"
    assert parts[-3:] == ["Actions", "Observation", "Versions"]
    assert "**Memory.**" in page.partition("## Observation")[2]
    assert f"\n- v{game.version}: " in page.partition("## Versions")[2]


def box(space: spaces.Space) -> str:
    """A box as pages write it, such as ``Box(0, 1, (144,), float32)``."""
    assert isinstance(space, spaces.Box)
    low, high = (
        " or ".join(f"{bound:g}" for bound in np.unique(bounds))
        for bounds in (space.low, space.high)
    )
    return f"Box({low}, {high}, {space.shape}, {space.dtype})"


def test_page_facts(game, page, module):
    told = dict(tables(page)["", ""])
    env, facts = game.env(), game.facts
    for agent in env.possible_agents:
        assert told["action space"] == f"`{env.action_space(agent)}`"
        seen, mask = (
            box(env.observation_space(agent)[key]) for key in ("observation", "action_mask")
        )
        assert told["observation space"] == f'`{{"observation": {seen}, "action_mask": {mask}}}`'
    assert told["import"] == f"`from duelgym.envs import {module.__name__.split('.')[-1]}`"
    assert told["agents"] == ", ".join(f"`{agent}`" for agent in env.possible_agents)
    assert told["decisions"] == f"{facts.min_decisions} to {facts.max_decisions} in a game"
    payoffs = {float(number) for number in re.findall(r"[-+]?\d+", told["rewards"])}
    assert {facts.min_return, facts.max_return} <= payoffs


def keywords(call: str) -> dict[str, Any]:
    """The keyword arguments in the text of a call."""
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    return {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords}


def test_page_environment(game, page, module):
    """The call is given with every option at its default."""
    call = dict(tables(page)["", ""])["environment"].strip("`")
    assert call.startswith(f"{game.name}_v{game.version}.env(")
    options = [(field.name, field.default) for field in fields(game.Options)]
    assert list(keywords(call).items()) == [("render_mode", None), ("variant", None), *options]
    assert module.env(**keywords(call)).game == game


def test_page_options(game, page):
    names = [f"`{field.name}`" for field in fields(game.Options)]
    rows = tables(page).get(("option", "values", "meaning"), [])
    assert [name for name, _, _ in rows] == names
    assert ("There are no options" in page) == (not names)


def test_page_variants(game, page):
    rows = {
        heading: rows
        for heading, rows in tables(page).items()
        if heading[:2] == ("variant", "options")
    }
    if len(game.variants) == 1:
        assert not rows
        assert f"`{next(iter(game.variants))}` is the only variant" in page
        return
    (((_, _, *sizes), listed),) = rows.items()
    assert f"numbers are those of the {next(iter(game.variants))} variant" in page
    assert [variant for variant, *_ in listed] == [f"`{variant}`" for variant in game.variants]
    for variant, options, *numbers in listed:
        sized = make(game.name, variant.strip("`"))
        given = keywords(f"dict({options.strip('`')})")
        assert make(game.name, **given) == sized
        for size, number in zip(sizes, numbers, strict=True):
            attribute = "observation_size" if size == "observation" else f"num_{size}"
            assert number == str(getattr(sized, attribute)), f"{variant}: {size}"


def names_between(first: str, last: str, count: int) -> list[str]:
    """``count`` names that differ in the number at their end, such as ``fire 1`` to ``fire 8``."""
    stem, number = first.rsplit(" ", 1)
    names = [f"{stem} {int(number) + step}" for step in range(count)]
    assert names[-1] == last
    return names


def test_page_actions(game, page):
    told = []
    for actions, name, legal in tables(page)["action", "name", "legal"]:
        low, _, high = actions.partition("-")
        assert int(low) == len(told)
        first, *last = re.findall(r"`([^`]+)`", name)
        told += names_between(first, last[0], int(high) - int(low) + 1) if high else [first]
        assert int(high or low) == len(told) - 1
        assert legal
    for seat in range(game.num_players):
        names = [game.action_name(action, seat) for action in range(game.num_actions)]
        assert names == [turned(name, seat, game.num_players) for name in told]


def turned(name: str, steps: int, players: int) -> str:
    """The name of an action with every player in it replaced by the one so many seats further."""
    return re.sub(r"player_(\d)", lambda seat: f"player_{(int(seat[1]) + steps) % players}", name)


def test_page_observation(game, page):
    (told,) = re.findall(r"(?:^\| entries \|.*\n)(?:^\|.*\n)+", page, re.MULTILINE)
    assert told.strip() == table(game.sections)


def test_pages_and_readme_name_only_what_exists():
    modules = [f"duelgym.envs.{name}_v{game_class(name).version}" for name in GAMES]
    texts = [README, *(import_module(module).__doc__ or "" for module in modules)]
    names = {name for text in texts for name in re.findall(r"\bduelgym(?:\.[a-z]\w*)+", text)}
    assert "duelgym.training.exploitability" in names
    for name in names:
        if name.startswith("duelgym.training.rllib"):  # needs Ray, which has tests of its own
            assert find_spec(name)
        else:
            resolve_name(name)


def accepted(option: str, **others: int) -> list[int]:
    """The whole numbers that Dragon Deck takes for an option."""
    numbers = []
    for number in range(-1, 20):
        try:
            make("dragon_deck", **others, **{option: number})  # pyright: ignore[reportArgumentType]
        except OptionError:
            continue
        numbers.append(number)
    return numbers


def test_dragon_deck_page_says_what_the_options_can_be():
    rows = tables(resolve_name("duelgym.envs.dragon_deck_v0").__doc__)[
        "option", "values", "meaning"
    ]
    (_, values, _), (_, targets, _) = rows
    sizes = [int(number) for number in values.split(", ")]
    assert accepted("values_per_type") == sizes
    least, *numbers = (int(number) for number in re.findall(r"\d+", targets))
    assert sorted(numbers[4:]) == sizes
    for size, most in zip(numbers[4:], numbers[:4], strict=True):
        assert accepted("target", values_per_type=size) == list(range(least, most + 1))


def test_leduc_poker_page_names_the_cards():
    page = resolve_name("duelgym.envs.leduc_poker_v0").__doc__
    cards = re.findall(r"(\d) `(\w+ of \w+)`", page.partition("as chance outcomes, are")[2])
    leduc = make("leduc_poker")
    outcomes = range(leduc.facts.num_chance_outcomes)
    assert cards == [(str(outcome), leduc.chance_name(outcome)) for outcome in outcomes]
