"""The command line: what it prints and writes, its errors in one line, its exit codes."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from duelgym.envs import GAMES, game_class, make
from duelgym.envs.core.playthrough import playthrough
from duelgym.training import evaluation
from duelgym.training.cli import main

COMMANDS = (
    "games",
    "rules",
    "playthrough",
    "evaluate",
    "replay",
    "train",
    "balance",
    "tournament",
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test runs in an empty folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="duelgym")


def complaints(result: Result) -> list[str]:
    """Lines on stderr, but for the notice that the rules are being compiled."""
    lines = result.stderr.splitlines()
    return [line for line in lines if line and not line.startswith("duelgym: compiling")]


def good(*arguments: str) -> str:
    result = run(*arguments)
    assert (result.exit_code, complaints(result)) == (0, []), result.output
    return result.stdout


def bad(code: int, *arguments: str) -> str:
    """The single line on stderr of a command that fails with ``code``."""
    result = run(*arguments)
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code
    (line,) = complaints(result)
    assert line.startswith("duelgym: error: ")
    return line.removeprefix("duelgym: error: ")


# Help.


def test_help_leads_a_newcomer_on():
    shown = good("--help")
    assert good() == shown
    for command in COMMANDS:
        assert f"duelgym {command}" in shown, "in the first tour"
        assert len(good(command, "--help").splitlines()) > 3
    assert "Exit codes" in shown


def test_module_and_light_imports(run_python: Callable[..., str]):
    """Scripted agents need neither Torch nor Matplotlib nor settings of training runs."""
    assert "Usage: duelgym" in run_python("-m", "duelgym", "--help")
    heavy = ["torch", "matplotlib", "pydantic", "PIL"]
    program = f"""
import sys
from duelgym.training.cli import main
try:
    main(["evaluate", "dragon_deck", "random", "--variant", "tiny", "--games", "10"])
except SystemExit as exit:
    print("code", exit.code, [name for name in {heavy} if name in sys.modules])
"""
    assert run_python("-c", program).endswith("code 0 []\n")


# Commands.


def test_games_lists_every_variant():
    rows = json.loads(good("games", "--json"))
    expected = [(name, variant) for name in GAMES for variant in game_class(name).variants]
    assert [(row["game"], row["variant"]) for row in rows] == expected
    for row in rows:
        game = make(row["game"], row["variant"])
        assert (row["players"], row["actions"]) == (game.num_players, game.num_actions)
        assert row["observation_size"] == game.observation_size
        assert game.facts.min_decisions <= row["mean_length"] <= game.facts.max_decisions
    shown = good("games")
    standard = next(line for line in shown.splitlines() if "standard" in line)
    assert standard.split()[:5] == ["dragon_deck", "standard", "2", "26", "192"]


@pytest.mark.parametrize("game", GAMES)
def test_rules_are_the_page_of_the_game(game: str):
    shown = good("rules", game)
    assert shown.startswith(f"# {game_class(game).title}")
    assert f"{game}_v{game_class(game).version}" in shown
    assert good("rules", f"{game}_v{game_class(game).version}") == shown


def test_playthrough():
    shown = good("playthrough", "dragon_deck", "--variant", "tiny", "--seed", "5")
    assert shown == playthrough(make("dragon_deck", "tiny"), 5)
    assert shown == good("playthrough", "dragon_deck", "-o", "values_per_type=2", "--seed", "5")
    assert shown != good("playthrough", "dragon_deck", "--variant", "tiny", "--seed", "6")


def test_terminals_without_stars(run_python: Callable[..., str]):
    command = ("-m", "duelgym", "playthrough", "dragon_deck", "--variant", "tiny")
    shown = run_python(*command, PYTHONIOENCODING="cp1252")
    assert "player_0 wins" in shown or "player_1 wins" in shown
    assert "★" not in shown


def evaluate(*arguments: str) -> str:
    return good("evaluate", "dragon_deck", *arguments, "--variant", "tiny", "--games", "100")


def test_evaluate_prints_a_table():
    shown = evaluate("random", "random")
    assert "100 games, seed 0" in shown
    assert "against random" in shown
    assert "as player_1" in shown


def test_evaluate_writes_json_and_a_picture():
    evaluate("random", "random", "--json", "out.json", "--picture", "out.png", "--seed", "7")
    assert Path("out.png").read_bytes().startswith(b"\x89PNG")
    written = json.loads(Path("out.json").read_text())
    printed = json.loads(evaluate("random", "random", "--json", "-", "--seed", "7"))
    for data in (written, printed):
        for standing in data["evaluations"][0]["standings"]:
            standing.pop("microseconds_per_decision")
    assert written == printed
    assert written["evaluations"][0]["game"] == "dragon_deck_v0(values_per_type=2, target=2)"
    assert sorted(os.listdir()) == ["out.json", "out.png"]


def test_evaluate_plays_every_opponent():
    found = json.loads(evaluate("random", "random", "random", "--json", "-"))["evaluations"]
    assert [[one["agent"] for one in each["standings"]] for each in found] == [["random"] * 2] * 2


GAME = "dragon_deck --variant tiny --games 4"


def test_games_are_recorded_and_replayed(folder: Path):
    good(*f"evaluate {GAME} greedy random --record games.jsonl".split())
    shown = good("replay", "games.jsonl").splitlines()
    assert len(shown) == 5
    assert shown[0].startswith("1: dragon_deck_v0(values_per_type=2, target=2), seed ")
    assert "greedy +1" in shown[0] or "greedy -1" in shown[0]
    assert shown[-1] == "4 games, each as recorded"
    first = json.loads((folder / "games.jsonl").read_text().splitlines()[0])
    told = good("replay", "games.jsonl", "--show", "1")
    assert [line.split(" plays: ")[1] for line in told.splitlines() if " plays: " in line] == (
        first["actions"]
    )
    assert "games, so there is no game 5" in bad(2, "replay", "games.jsonl", "--show", "5")


def test_records_that_are_wrong_are_one_line_that_names_theirs(folder: Path):
    path = folder / "games.jsonl"
    good(*f"evaluate {GAME} greedy random --record games.jsonl".split())
    lines = path.read_text().splitlines()
    record = json.loads(lines[1])

    def refused(**change: object) -> str:
        path.write_text("\n".join([lines[0], json.dumps({**record, **change})]) + "\n")
        return bad(2, "replay", "games.jsonl")

    assert refused(seed="x").startswith("games.jsonl, line 2: seed has to be")
    assert refused(actions=["keep"]).startswith("games.jsonl, line 2: ")
    assert "there is no 'dragon_deck_v7'" in refused(game="dragon_deck_v7")
    assert "no option 'colour'" in refused(options={"colour": 1})
    assert "line 2" in refused(options={"values_per_type": "many"})
    path.write_text(f"{lines[0]}\n{lines[1][:30]}")
    result = run("replay", "games.jsonl")
    assert (result.exit_code, complaints(result)) == (
        0,
        ["games.jsonl: the last line was cut short and is left out"],
    )
    assert "1 game, as recorded" in result.stdout
    assert "No such file" in bad(1, "replay", "none.jsonl")


def test_train_then_evaluate_the_run():
    settings = ("num_envs=16", "num_steps=32", "hidden=[8]", "evaluate_games=0")
    shown = good(
        *("train", "dragon_deck", "--variant", "tiny", "--decisions", "2048", "--games", "50"),
        *("--seed", "1", "--out", "run"),
        *(word for setting in settings for word in ("--set", setting)),
    )
    assert "dragon_deck_v0(values_per_type=2, target=2) for 2,048 decisions" in shown
    assert "100%" in shown
    for opponent in ("random", "greedy", "matrix"):
        assert f"against {opponent}" in shown
    for file in ("agent.safetensors", "config.json", "evaluation.json", "evaluation.png"):
        assert str(Path("run", file)) in shown
        assert Path("run", file).stat().st_size > 0
    # The run knows its variant, so nobody has to repeat it.
    printed = json.loads(good("evaluate", "dragon_deck", "run", "--games", "50", "--json", "-"))
    assert [one["standings"][1]["agent"] for one in printed["evaluations"]] == [
        "random",
        "greedy",
        "matrix",
    ]
    assert printed["evaluations"][0]["game"] == "dragon_deck_v0(values_per_type=2, target=2)"
    assert "already holds a run" in bad(2, "train", "dragon_deck", "--out", "run")


def test_tournament_keeps_results_and_goes_on():
    few = ("tournament", "dragon_deck", "--variant", "tiny", "--blocks", "8", "--cores", "1")
    shown = good(*few, "--out", "out")
    assert shown.startswith("# Tournament on dragon_deck_v0(values_per_type=2, target=2)")
    for agent in ("random", "greedy", "matrix"):
        assert f"\n| {agent} |" in shown
    (command,) = re.findall(r"\| command \| `duelgym (.*)` \|", shown)
    for file in ("payoffs.png", "report.md", "results.jsonl"):
        assert str(Path("out", file)) in shown
    results = Path("out", "results.jsonl").read_bytes()
    assert Path("out", "report.md").read_text() in shown
    assert good(*few, "--out", "out") == shown, "nothing is played again, so times are the same"
    assert Path("out", "results.jsonl").read_bytes() == results

    def without_times(report: str) -> str:
        return re.sub(r"\d+\.\d\d(?= \| \d+ \| \d+ \|$)", "", report, flags=re.MULTILINE)

    again = good(*command.split())
    assert without_times(again) in without_times(shown), "the command in the report reproduces it"
    line = bad(2, *few, "--seed", "1", "--out", "out")
    assert line.startswith(f"{Path('out', 'results.jsonl')} is of another tournament: seed is 0")


def test_tournament_with_a_strategy():
    Path("bot.py").write_text("def last(observation, legal):\n    return legal[-1]\n")
    shown = good(
        *("tournament", "dragon_deck", "random", "bot.py:last", "--variant", "tiny"),
        *("--blocks", "2", "--cores", "1", "--anchor", "bot.py:last"),
    )
    assert "`bot.py:last` at 0" in shown
    assert "| bot.py:last | StrategyAgent source=bot.py:last" in shown


def test_tournament_until_sure():
    few = ("tournament", "dragon_deck", "--variant", "tiny", "--cores", "1", "--until-sure")
    shown = good(*few, "greedy", "random")
    assert shown.startswith("Yes: greedy is stronger than random.\n")
    assert "Elo |" not in shown, "no table"
    assert good(*few, "random", "greedy").startswith("No: random is not stronger than greedy")


# Errors.


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("dance", "No such command 'dance'"),
        ("games --loud", "No such option"),
        ("rules", "Missing argument 'GAME'"),
        ("rules dragon_dek", "there is no game 'dragon_dek'; did you mean 'dragon_deck'?"),
        ("rules dragon_deck_v9", "this release has dragon_deck_v0"),
        ("playthrough dragon_deck --variant tinny", "did you mean 'tiny'?"),
        ("playthrough dragon_deck --seed x", "'x' is not a valid integer"),
        ("playthrough dragon_deck -o values_per_tipe=4", "did you mean 'values_per_type'?"),
        ("playthrough dragon_deck -o values_per_type", "write KEY=VALUE"),
        ("playthrough dragon_deck -o values_per_type=many", "2, 4, 6 or 8, not 'many'"),
        ("playthrough dragon_deck -o target=[1", "'[1' is no value"),
        ("playthrough dragon_deck -o target=7", "whole number from 1 to 6"),
        ("evaluate dragon_deck", "Missing argument 'AGENT'"),
        ("evaluate dragon_deck grredy random", "did you mean 'greedy'?"),
        ("evaluate dragon_deck random runs/none", "no agent, run folder or checkpoint 'runs/none'"),
        ("evaluate dragon_deck random random --games 0", "0 is not in the range"),
        ("evaluate dragon_deck random random --picture a.xyz", "cannot be a 'xyz' file"),
        ("evaluate dragon_deck random random --picture a", "cannot be a '' file"),
        ("tournament dragon_deck random", "at least 2 agents"),
        ("tournament dragon_deck random bot.py:first", "there is no file 'bot.py'"),
        ("tournament dragon_deck random greedy --anchor matrix", "'matrix' does not take part"),
        ("tournament dragon_deck random --until-sure", "two agents are compared"),
        ("tournament dragon_deck random greedy --until-sure --margin 0", "margin is above 0"),
        ("tournament dragon_deck random greedy --until-sure --error 0.6", "error is above 0"),
        ("tournament dragon_deck random greedy --time-limit 0", "0 is not in the range"),
        ("train", "name a GAME to train on, or a run to --resume"),
        ("train dragon_deck --resume runs/old", "leave the others out"),
        ("train --resume runs/old", "runs/old is not a run folder"),
        ("train gem_duel --set entropi=1", "did you mean 'entropy'?"),
        ("train dragon_deck --set file=a.yaml", "unknown setting 'file'"),
        ("train gem_duel --set entropy=much", "entropy"),
        ("train dragon_deck --config missing.yaml", "cannot read settings from missing.yaml"),
    ],
)
def test_wrong_usage_is_one_line(arguments: str, said: str):
    assert said in bad(2, *arguments.split())
    assert os.listdir() == [], "nothing is left behind"


def test_settings_of_another_game():
    Path("run.yaml").write_text("game: leduc_poker\n")
    line = bad(2, "train", "dragon_deck", "--config", "run.yaml")
    assert line == "run.yaml: these settings are for leduc_poker, not for dragon_deck"


def test_usage_errors_point_to_the_help():
    assert bad(2, "evaluate").endswith("(see 'duelgym evaluate --help')")


@pytest.mark.parametrize("option", ["--json", "--picture", "--record"])
@pytest.mark.parametrize("place", ["missing/out.png", "file/out.png", "."])
def test_places_that_cannot_be_written_are_told_before_anything_is_played(
    option: str, place: str, monkeypatch: pytest.MonkeyPatch
):
    Path("file").write_text("")
    monkeypatch.setattr(evaluation, "evaluate", None)
    assert place in bad(1, "evaluate", "dragon_deck", "random", "random", option, place)
    assert os.listdir() == ["file"]


def test_a_full_disk_destroys_nothing(monkeypatch: pytest.MonkeyPatch):
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    Path("out.json").write_text("precious")
    monkeypatch.setattr(os, "fsync", full)
    line = bad(1, "evaluate", "dragon_deck", "random", "random", "--json", "out.json")
    assert line == f"out.json: {os.strerror(errno.ENOSPC)}"
    assert Path("out.json").read_text() == "precious"
    assert os.listdir() == ["out.json"]


def test_interruption(monkeypatch: pytest.MonkeyPatch):
    def interrupt(*arguments, **settings):
        raise KeyboardInterrupt

    Path("out.json").write_text("precious")
    monkeypatch.setattr(evaluation, "evaluate", interrupt)
    line = bad(130, "evaluate", "dragon_deck", "random", "random", "--json", "out.json")
    assert line == "interrupted"
    assert Path("out.json").read_text() == "precious"


def test_settings_on_the_command_line_reach_the_run(tmp_path):
    out = tmp_path / "run"
    line = (
        "train dragon_deck --variant tiny --games 20 --set decisions=64 --set seed=7"
        " --set num_envs=4 --set num_steps=8 --set evaluate_games=0 --out"
    )
    result = CliRunner().invoke(main, [*line.split(), str(out)])
    assert result.exit_code == 0, result.output
    saved = json.loads((out / "config.json").read_text())
    assert (saved["seed"], saved["decisions"]) == (7, 64)
