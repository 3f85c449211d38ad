"""Tournaments: the same on any number of cores, resumable, just to all, and forgiving of nobody."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from duelgym.agents import make_agent
from duelgym.agents.protocol import Agent
from duelgym.envs import make
from duelgym.envs.core import Game, OptionError
from duelgym.training import tournament
from duelgym.training.evaluation import evaluate
from duelgym.training.sequential import Sprt
from duelgym.training.standings import standings
from duelgym.training.tournament import (
    Results,
    TournamentError,
    play,
    play_until_sure,
    tables_of,
)
from duelgym.training.tournament_report import picture, report, told
from support.toy_game import ToyGame


class Pick(Agent):
    """Always plays the legal action at one place of the list, such as the first or the last."""

    def __init__(self, place: int, name: str) -> None:
        self.place = place
        self.name = name

    def _prepare(self, game: Game, seeds: np.ndarray) -> None:
        pass

    def choose(self, observations, masks, rows, actions) -> None:
        for row in rows:
            actions[row] = np.flatnonzero(masks[row])[self.place]


class Faulty(Pick):
    """Fails in the second of every four games of a batch, in one way or another."""

    def __init__(self, name: str) -> None:
        super().__init__(0, name)

    def choose(self, observations, masks, rows, actions) -> None:
        super().choose(observations, masks, rows, actions)
        if self.name == "raises" and (rows % 4 == 1).any():
            raise ValueError("cannot count to four")
        actions[rows[rows % 4 == 1]] = 99 if self.name == "leaves" else -1


@pytest.fixture(scope="module")
def tiny() -> Game:
    return make("dragon_deck", "tiny")


def facts(results: Results) -> list:
    """All that the seed settles."""
    return [
        (
            one.table,
            one.returns.tolist(),
            one.lengths.tolist(),
            one.decisions.tolist(),
            one.forfeits,
        )
        for one in results.tables
    ]


THREE = ("random", "greedy", "matrix")


# What is played.


def test_two_players_meet_once():
    assert tables_of(3, 2, 0) == [(0, 1), (0, 2), (1, 2)]


@pytest.mark.parametrize(("count", "seats"), [(3, 3), (4, 5), (7, 3)])
def test_more_players_meet_in_duels_and_mixed(count, seats):
    tables = tables_of(count, seats, 5)
    duels, mixed = tables[: count * (count - 1)], tables[count * (count - 1) :]
    assert set(duels) == {
        (i, *[j] * (seats - 1)) for i in range(count) for j in range(count) if i != j
    }
    assert len(mixed) == count
    assert set(Counter(agent for table in mixed for agent in table).values()) == {seats}
    assert tables_of(count, seats, 5) == tables
    assert tables_of(2, seats, 5) == [(0, *[1] * (seats - 1)), (1, *[0] * (seats - 1))]


def test_games_of_a_pair_have_the_same_chance(tiny):
    """Equals play the same game twice; others do not, but get what they got with exchanged names."""
    equal = play(tiny, [Pick(0, "a"), Pick(0, "b")], 40).tables[0]
    assert (equal.returns[:, 0] == equal.returns[:, 1]).all()
    assert len(np.unique(equal.returns[:, 0], axis=0)) == 2, "over several deals"
    other = play(tiny, [Pick(0, "a"), Pick(-1, "b")], 40).tables[0]
    assert (other.returns[:, 0] != other.returns[:, 1]).any()


def test_seats_rotate():
    """Of three seats the last never decides, and the second may only stop on heads."""
    lone, rest = play(ToyGame(), [Pick(-1, "stops"), Pick(0, "waits")], 40).tables
    assert lone.table == (0, 1, 1)
    assert (lone.returns[:, 0, 0] > 0).all()
    stopped = lone.returns[:, 1, 1] > 0
    assert stopped.any()
    assert (lone.truncated[:, 1] == ~stopped).all()
    assert lone.truncated[:, 2].all()
    assert rest.table == (1, 0, 0)
    assert (rest.returns[:, 1:, 0] > 0).all()
    found = standings(play(ToyGame(), [Pick(-1, "stops"), Pick(0, "waits")], 40))
    assert found.standings[0].seats[0].score.mean == 1
    assert found.standings[0].seats[2].score.mean == pytest.approx(1 / 3)


def test_scores_are_those_of_an_evaluation(tiny):
    """Over other chance, so within both intervals."""
    found = standings(play(tiny, THREE[:2], 1000))
    other = evaluate(tiny, [make_agent(name, tiny) for name in THREE[:2]], 2000, seed=9)
    score = found.scores[0][1]
    assert score is not None
    expected = other.standings[0].overall.score
    assert expected.low < score.high
    assert score.low < expected.high
    for seat in range(2):
        assert found.standings[0].seats[seat].games == 1000


def test_who_else_plays_does_not_matter(tiny):
    alone, together = play(tiny, THREE[1:], 30), play(tiny, THREE, 30)
    assert facts(alone)[0][1:] == facts(together)[2][1:]


def test_chunks_do_not_matter(tiny, monkeypatch):
    whole = play(tiny, THREE, 50)
    monkeypatch.setattr(tournament, "MOST_BLOCKS", 5)
    assert facts(play(tiny, THREE, 50)) == facts(whole)
    deals = {tuple(map(tuple, block)) for block in whole.tables[0].returns.tolist()}
    assert len(deals) > 2


def test_another_seed_is_another_tournament(tiny):
    assert facts(play(tiny, THREE, 30)) != facts(play(tiny, THREE, 30, seed=1))


@pytest.fixture
def at_once(monkeypatch):
    """Processes take over after the first chunk."""
    monkeypatch.setattr(tournament, "ALONE_SECONDS", 0)


def test_the_same_on_one_core_and_on_many(tiny, at_once, tmp_path):
    agents = [*THREE, "support.strategies:at_random"]
    one = play(tiny, agents, 40)
    many = play(tiny, agents, 40, cores=2, time_limit=60, file=tmp_path / "results.jsonl")
    assert facts(one) == facts(many)
    done = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    assert len(done) == 1 + 6 * 8


# Files.


@pytest.mark.slow
def test_a_killed_tournament_goes_on_where_it_was(tmp_path):
    command = [
        *(sys.executable, "-m", "duelgym", "tournament", "dragon_deck", *THREE),
        *("--variant", "small", "--blocks", "3000", "--cores", "1", "--out", "out"),
    ]
    file = tmp_path / "out" / "results.jsonl"
    running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 200
    while not (file.exists() and file.read_bytes().count(b"\n") > 3):
        assert time.monotonic() < deadline
        assert running.poll() is None, "killed before it was done"
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.wait()
    before = file.read_bytes()
    game = make("dragon_deck", "small")
    told: list[int] = []
    resumed = play(
        game, THREE, 3000, file=file, time_limit=10, progress=lambda done, total: told.append(done)
    )
    assert file.read_bytes().startswith(before[: before.rfind(b"\n") + 1]), "nothing is lost"
    assert told[0] > 0
    assert told[-1] == 9_000
    chunks = [json.loads(line)["chunk"] for line in file.read_text().splitlines()[1:]]
    assert sum(chunk["blocks"] for chunk in chunks) == 9_000, "nothing counts twice"
    assert facts(resumed) == facts(play(game, THREE, 3000, time_limit=10))


@pytest.mark.parametrize("torn", [b'{"chunk":{"table":0,"fir', b'{"chunk":'])
def test_a_torn_line_is_dropped(tiny, tmp_path, torn):
    file = tmp_path / "results.jsonl"
    whole = play(tiny, THREE, 24, file=file)
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:5]) + torn)
    assert facts(play(tiny, THREE, 24, file=file)) == facts(whole)
    assert len(file.read_bytes().splitlines()) == len(lines)
    assert facts(play(tiny, THREE, 24, file=file)) == facts(whole), "with nothing left to play"


def test_files_of_other_tournaments_are_refused(tiny, tmp_path):
    file = tmp_path / "results.jsonl"
    play(tiny, THREE[:2], 8, file=file)
    before = file.read_bytes()
    for changes, said in (
        ({"seed": 1}, "seed is 0 there and 1 here"),
        ({"blocks": 9}, "blocks is 8 there and 9 here"),
        ({"agents": THREE[1:]}, r"agents is \['random', 'greedy'\] there"),
        ({"game": make("dragon_deck", "small")}, "options is"),
    ):
        settings = {"game": tiny, "agents": THREE[:2], "blocks": 8, **changes}
        with pytest.raises(TournamentError, match=said):
            play(**settings, file=file)
    assert file.read_bytes() == before


def test_a_changed_strategy_is_another_agent(tiny, tmp_path):
    bot, file = tmp_path / "bot.py", tmp_path / "results.jsonl"
    bot.write_text("def strategy(observation, legal):\n    return legal[0]\n")
    agents = ["random", f"{bot}:strategy"]
    play(tiny, agents, 8, file=file)
    bot.write_text("def strategy(observation, legal):\n    return legal[-1]\n")
    with pytest.raises(TournamentError, match=r"bot\.py:strategy is"):
        play(tiny, agents, 8, file=file)


@pytest.mark.parametrize("text", ["", "hello\n", "{}\n", "[1]\n"])
def test_files_of_something_else_are_refused(tiny, tmp_path, text):
    file = tmp_path / "results.jsonl"
    file.write_text(text)
    with pytest.raises(TournamentError, match=r"results\.jsonl"):
        play(tiny, THREE[:2], 8, file=file)
    assert file.read_text() == text


# Forfeits.


@pytest.mark.parametrize(
    ("name", "kind"), [("leaves", "illegal move"), ("sulks", "illegal move"), ("raises", "error")]
)
def test_faults_cost_the_game_and_no_more(tiny, name, kind):
    results = play(tiny, [Faulty(name), Pick(0, "plays on"), "greedy"], 16)
    first, second, fine = results.tables
    for played in (first, second):
        # A chunk is two blocks of two games; in the second one the agent has the other seat.
        assert [(one.block, one.game) for one in played.forfeits] == [
            (b, 1) for b in range(0, 16, 2)
        ]
        for one in played.forfeits:
            assert (one.position, one.kind) == (0, kind)
            assert played.returns[one.block, one.game].tolist() == [1, -1]
    assert not fine.forfeits
    plain = play(tiny, [Pick(0, name), Pick(0, "plays on")], 16).tables[0]
    others = np.ones((16, 2), np.bool_)
    others[::2, 1] = False
    assert (first.returns[others] == plain.returns[others]).all(), "the other games are as ever"
    found = standings(results)
    assert found.standings[0].forfeits == {kind: 16}
    assert found.standings[1].forfeits == {}
    text = report(found)
    assert "16 games were forfeited" in text
    assert f"- {name}: {kind}: " in text


def test_forfeits_among_three():
    results = play(ToyGame(), [Faulty("leaves"), Pick(0, "waits")], 8)
    (lone, _) = results.tables
    assert lone.forfeits
    for one in lone.forfeits:
        assert lone.returns[one.block, one.game].tolist() == [0.75, -1.5, 0.75]


@pytest.mark.slow
def test_hanging_and_crashing_strategies(tiny):
    agents = ["random", "support.strategies:hangs", "support.strategies:crashes"]
    results = play(tiny, agents, 1, time_limit=0.5)
    found = standings(results)
    assert found.standings[0].forfeits == {}
    assert found.standings[1].forfeits["time"] > 0
    assert found.standings[2].forfeits["error"] > 0
    assert "took more than 0.5 s" in report(found)
    assert "ended its process" in report(found)


# Standings and reports.


@pytest.fixture(scope="module")
def found(tiny):
    return standings(play(tiny, THREE, 100))


def test_scores_and_ratings_agree(found):
    for i in range(3):
        assert found.scores[i][i] is None
        for j in range(i):
            assert found.scores[i][j].mean + found.scores[j][i].mean == pytest.approx(1)
            assert found.margins[i][j].mean == pytest.approx(-found.margins[j][i].mean)
    rating = {one.agent: one.rating for one in found.standings}
    assert rating["random"].mean == rating["random"].low == rating["random"].high == 0
    assert rating["greedy"].low > 0
    assert rating["greedy"].low < rating["greedy"].mean < rating["greedy"].high
    assert sum(one.nash.mean for one in found.standings) == pytest.approx(1)
    anchored = standings(found.results, "greedy")
    assert anchored.standings[0].rating.mean == pytest.approx(-rating["greedy"].mean)
    with pytest.raises(OptionError, match="did you mean 'matrix'"):
        standings(found.results, "matrx")


def test_report_names_what_belongs_to_a_result(found):
    text = report(found, ["duelgym", "tournament", "dragon_deck", *THREE])
    for expected in (
        "dragon_deck_v0", "| variant | tiny |", "values_per_type: 2, target: 2", "600: 100 mirrored pairs at each of 3 tables",
        "blocks 0 to 99 of seed 0", "`duelgym tournament dragon_deck random greedy matrix`",
        "`random` at 0", "Nash average", "as player_1", "mean return", "illegal moves",
        "No cycles", "GreedyAgent",
    ):  # fmt: skip
        assert expected in text
    assert picture(found).startswith(b"\x89PNG")


def test_rock_paper_scissors_is_shown(tiny):
    """No simple agents of this game make a cycle, so the results are made up."""
    results = play(tiny, [Pick(0, "rock"), Pick(0, "scissors"), Pick(0, "paper")], 50)
    for played, sign in zip(results.tables, (1, -1, 1), strict=True):
        for number in range(2):
            played.returns[:, number, number] = sign
            played.returns[:, number, 1 - number] = -sign
    found = standings(results)
    assert found.cycles == [["rock", "scissors", "paper"]]
    for one in found.standings:
        assert one.rating.mean == pytest.approx(0, abs=1e-6)
        assert one.nash.mean == pytest.approx(1 / 3)
    assert "- rock > scissors > paper > rock" in report(found)


def test_three_players():
    game = make("gem_duel", "three_players")
    found = standings(play(game, ["random", "bold"], 40))
    score = found.scores[1][0]
    assert score is not None
    assert score.low > 1 / 3
    assert found.standings[1].rating.low > 0
    assert found.standings[1].nash.mean == pytest.approx(1)
    assert len(found.standings[0].seats) == 3
    assert sum(tally.games for tally in found.standings[1].seats) == 120
    assert "Plackett and Luce" in report(found)


# Until it is sure.


def test_the_stronger_one_is_found(tiny, at_once, tmp_path):
    test = Sprt(margin=20)
    verdict = play_until_sure(tiny, ["greedy", "random"], test)
    assert verdict.stronger
    assert verdict.ratio >= test.bound
    assert verdict.blocks % tournament.LOOK == 0
    assert sum(verdict.outcomes.values()) == verdict.blocks
    assert not play_until_sure(tiny, ["random", "greedy"], test).stronger
    many = play_until_sure(tiny, ["greedy", "random"], test, cores=2, file=tmp_path / "a.jsonl")
    assert many == verdict
    again = play_until_sure(tiny, ["greedy", "random"], test, file=tmp_path / "a.jsonl")
    assert again == verdict
    text = told(verdict)
    assert text.startswith("Yes: greedy is stronger than random.")
    assert "mirrored pairs" in text


def test_giving_up(tiny):
    verdict = play_until_sure(tiny, ["greedy", "matrix"], Sprt(margin=1), most_blocks=50)
    assert (verdict.stronger, verdict.blocks) == (None, 50)
    assert told(verdict).startswith("Not known: 50 blocks did not suffice.")


# Wrong input.


@pytest.mark.parametrize(
    ("agents", "said"),
    [
        (["random"], "at least 2 agents"),
        (["random", "random"], "'random' is entered twice"),
        (["random", "gredy"], "did you mean 'greedy'"),
    ],
)
def test_wrong_agents(tiny, agents, said):
    with pytest.raises(OptionError, match=said):
        play(tiny, agents, 8)


def test_files_of_stable_baselines3_need_trust(tiny, tmp_path, monkeypatch):
    path = tmp_path / "policy.zip"
    path.write_bytes(b"PK")
    with pytest.raises(OptionError, match=r"can run any code .*; --trust loads it"):
        play(tiny, ["random", str(path)], 8)

    class Adapter:
        @staticmethod
        def load_sb3(file: Path, game: Game, trust: bool) -> Agent:
            assert (file, game, trust) == (path, tiny, True)
            return Pick(0, "policy")

    monkeypatch.setitem(sys.modules, "duelgym.agents.sb3", Adapter)
    results = play(tiny, ["random", str(path)], 8, trust=True)
    assert results.names == ["random", str(path)]
    assert len(results.header["agents"][str(path)]["sha256"]) == 64
    assert os.listdir(tmp_path) == ["policy.zip"]


def test_results_say_how_an_agent_searches(tiny):
    found = play(tiny, ["random", "flat_mc:iterations=3"], 2)
    told_of = found.header["agents"]["flat_mc:iterations=3"]
    assert told_of["parameters"] == {"iterations": 3, "rollout": "greedy+matrix"}
    assert told_of["code"].startswith("FlatMonteCarlo_")
    assert "rollout=greedy+matrix" in report(standings(found))


# Without Ray; what it does is in test_on_ray.py.


def test_ray_that_is_not_there_is_named_with_the_remedy(run_python):
    code = (
        "import runpy, sys\nsys.modules['ray'] = None\n"
        "from duelgym.training.cli import main\n"
        "try: main(['tournament', 'dragon_deck', '--ray'])\n"
        "except SystemExit as stop: print(stop.code)\n"
        "try: runpy.run_module('duelgym.training.rllib_selfplay', run_name='__main__')\n"
        "except SystemExit as stop: print(stop.code)\n"
        "try: runpy.run_module('duelgym.training.rllib', run_name='other')\n"
        "except ValueError as error: print(error)\n"
    )
    assert run_python("-c", f"import sys; sys.stderr = sys.stdout\n{code}").splitlines() == [
        "duelgym: error: this needs ray: pip install 'duelgym[rllib]'",
        "2",
        "duelgym: error: this needs ray: pip install 'duelgym[rllib]'",
        "2",
        "this needs ray: pip install 'duelgym[rllib]'",
    ]


def test_an_agent_after_a_bare_ray_is_no_address(run_python):
    code = (
        "import sys; sys.stderr = sys.stdout\n"
        "from duelgym.training.cli import main\n"
        "try: main(['tournament', 'dragon_deck', '--ray', 'random', 'matrix'])\n"
        "except SystemExit as stop: print(stop.code)\n"
    )
    message, exit_code = run_python("-c", code).splitlines()
    assert exit_code == "2"
    assert "'random' is no address of Ray's" in message
    assert "write --ray last" in message
