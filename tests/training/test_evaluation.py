"""Evaluation: honest intervals, mirrored games, seats credited rightly, the same seed the same."""

from __future__ import annotations

import json

import numpy as np
import pytest
from duelgym.agents import make_agent
from duelgym.agents.protocol import Agent
from duelgym.envs import make
from duelgym.envs.core import Game, IllegalActionError, OptionError, State, game_records
from duelgym.envs.core.game_records import GameRecord
from duelgym.envs.core.randomness import row_seeds
from duelgym.training.evaluation import (
    Evaluation,
    estimate,
    evaluate,
    picture,
    table,
    to_json,
)
from rich.console import Console
from support.toy_game import ToyGame


class Pick(Agent):
    """Always plays the legal action at one place of the list, such as the first or the last."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.name = f"pick {place}"

    def _prepare(self, game: Game, seeds: np.ndarray) -> None:
        pass

    def choose(self, observations, masks, rows, actions) -> None:
        for row in rows:
            actions[row] = np.flatnonzero(masks[row])[self.place]


FIRST, LAST = Pick(0), Pick(-1)
WAIT, STOP = FIRST, LAST  # in the toy game


@pytest.fixture(scope="module")
def small() -> Game:
    return make("dragon_deck", "small")


@pytest.fixture(scope="module")
def at_random(small: Game) -> Evaluation:
    return evaluate(small, [make_agent("random", small)] * 2, 4000, seed=3)


# Intervals.


def test_interval_is_agresti_and_coull_s_for_wins_and_losses():
    # 8 of 10, as published: z = 1.96 gives 11.84 trials' centre 0.7167 and 0.479 to 0.954.
    found = estimate(np.array([1.0] * 8 + [0.0] * 2), 0, 1)
    assert (found.mean, found.low, found.high) == pytest.approx((0.8, 0.4794, 0.9541), abs=1e-4)


def test_interval_moves_with_the_range():
    values = np.array([0.0, 0.5, 1.0, 1.0])
    plain, stretched = estimate(values, 0, 1), estimate(values * 26 - 13, -13, 13)
    assert stretched.low == pytest.approx(plain.low * 26 - 13)
    assert stretched.high == pytest.approx(plain.high * 26 - 13)


def test_interval_of_equal_values_is_narrow_but_not_nothing():
    for value in (0.0, 0.5, 1.0):
        found = estimate(np.full(100, value), 0, 1)
        assert found.low <= value <= found.high
        assert 0.005 < found.high - found.low < 0.06


def test_higher_confidence_is_wider():
    values = np.random.default_rng(0).choice([0.0, 0.5, 1.0], 200)
    at_95, at_99 = estimate(values, 0, 1), estimate(values, 0, 1, 0.99)
    assert at_99.low < at_95.low < at_95.high < at_99.high


def coverage(sample, truth: float) -> float:
    found = [estimate(sample(), 0, 1) for _ in range(3000)]
    return float(np.mean([one.low <= truth <= one.high for one in found]))


@pytest.mark.parametrize("blocks", [20, 500])
def test_interval_covers_a_known_mix_as_often_as_it_says(blocks: int):
    random = np.random.default_rng(1)
    covered = coverage(lambda: random.choice([0, 0.5, 1], blocks, p=[0.2, 0.3, 0.5]), 0.65)
    assert 0.94 < covered < 0.97


def test_pairs_and_not_games_are_the_sampling_units():
    """With pairs that are won or lost as one, an interval over games is too sure of itself."""
    random = np.random.default_rng(2)

    def pairs() -> np.ndarray:
        return np.repeat(random.random(200) < 0.6, 2).astype(float)

    assert coverage(lambda: pairs().reshape(-1, 2).mean(axis=1), 0.6) > 0.94
    assert coverage(pairs, 0.6) < 0.88


# Mirrored games.


def test_games_of_a_pair_meet_the_same_deals(small: Game):
    """An agent that never mixes, against itself: the pair is one game, won once by each seat."""
    result = evaluate(small, [FIRST, FIRST], 400)
    overall, (first, second) = result.standings[0].overall, result.standings[0].seats
    assert overall.score.mean == 0.5
    assert overall.score.high - overall.score.low < 0.03
    assert first.wins == second.losses
    assert 0 < first.wins < 200, "the pairs themselves differ"
    assert first.score.high - first.score.low > 0.1


def test_random_players_do_not_mirror_each_other(at_random: Evaluation):
    """Equal chance must not mean equal randomness of the players."""
    score = at_random.standings[0].overall.score
    assert score.high - score.low > 0.02


def test_every_game_can_be_recorded(small: Game):
    """In the order of their numbers, with who played where; recording changes nothing."""
    agents = [make_agent("matrix", small), make_agent("greedy", small)]
    records: list[GameRecord] = []
    result = evaluate(small, agents, 40, seed=5, batch_size=8, record=records.append)
    assert result == evaluate(small, agents, 40, seed=5)
    assert len(records) == 40
    for first, second in zip(records[::2], records[1::2], strict=True):
        assert first.seed == second.seed
        assert (first.agents, second.agents) == (("matrix", "greedy"), ("greedy", "matrix"))
    assert len({record.seed for record in records}) == 20
    wins = sum(record.returns[record.agents.index("matrix")] > 0 for record in records)
    assert wins == result.standings[0].overall.wins
    for record in records:
        game_records.replay(record, small)
    at_once: list[GameRecord] = []
    evaluate(small, agents, 40, seed=5, record=at_once.append)
    assert at_once == records


def replay(game: Game, agents: list[Pick], blocks: int, seed: int) -> np.ndarray:
    """The same evaluation, one game at a time through ``State``: returns ``[block, game, seat]``."""
    streams = row_seeds(np.uint64(seed), 1 + game.num_players)
    env = game.vector(blocks)
    env.reset_rows(row_seeds(streams[0], blocks))
    found = []
    for block in range(blocks):
        for shift in range(game.num_players):
            state: State = env.state(block)
            while not state.is_over:
                agent = agents[(state.player - shift) % game.num_players]
                state.apply(state.legal_actions()[agent.place])
            found.append(state.returns())
    return np.array(found).reshape(blocks, game.num_players, game.num_players)


def test_seats_are_credited_as_in_games_played_one_by_one(small: Game):
    result = evaluate(small, [FIRST, LAST], 200, seed=5, batch_size=64)
    returns = replay(small, [FIRST, LAST], 100, 5)
    assert (returns.sum(axis=2) == 0).all()
    for agent, standing in enumerate(result.standings):
        for seat, tally in enumerate(standing.seats):
            mine = returns[:, (seat - agent) % 2, seat]
            assert (tally.wins, tally.losses) == ((mine > 0).sum(), (mine < 0).sum())
            assert tally.mean_return.mean == pytest.approx(mine.mean())
    first, last = (standing.overall for standing in result.standings)
    assert (first.wins, first.games) == (last.losses, 200)
    assert first.wins != last.wins, "or exchanged seats would pass unnoticed"


def test_exchanging_the_agents_exchanges_their_results(small: Game):
    one, other = (evaluate(small, pair, 200) for pair in ([FIRST, LAST], [LAST, FIRST]))
    assert one.standings[0].overall == other.standings[1].overall
    assert one.standings[1].seats == other.standings[0].seats


def test_first_game_of_every_row_counts_once(at_random: Evaluation):
    seats = at_random.standings[0].seats
    assert (at_random.games, at_random.games_per_block) == (4000, 2)
    assert [tally.games for tally in seats] == [2000, 2000]
    for tally in (*seats, at_random.standings[0].overall):
        assert tally.wins + tally.draws + tally.losses == tally.games
        assert tally.draws == 0
    decisions = sum(standing.decisions for standing in at_random.standings)
    assert decisions == round(at_random.mean_length * 4000)
    assert 8 <= at_random.mean_length <= at_random.longest <= 18


def test_random_against_random_is_even(at_random: Evaluation):
    score = at_random.standings[0].overall.score
    assert score.low < 0.5 < score.high
    other = at_random.standings[1].overall
    assert score.mean + other.score.mean == pytest.approx(1)
    assert other.mean_return.mean == pytest.approx(2 * other.score.mean - 1)


@pytest.mark.parametrize(("batch_size", "num_threads"), [(7, 1), (4096, 1), (10_000, 4)])
def test_batches_and_threads_change_nothing(
    at_random: Evaluation, small: Game, batch_size: int, num_threads: int
):
    agents = [make_agent("random", small)] * 2
    again = evaluate(small, agents, 4000, 3, batch_size=batch_size, num_threads=num_threads)
    assert again == at_random


def test_another_seed_gives_other_games(at_random: Evaluation, small: Game):
    other = evaluate(small, [make_agent("random", small)] * 2, 4000, seed=4)
    assert other.standings[0].overall != at_random.standings[0].overall


def test_games_are_rounded_up_to_whole_blocks(small: Game):
    assert evaluate(small, [FIRST, LAST], 3).games == 4
    assert evaluate(ToyGame(), [WAIT, STOP], 10).games == 12


# More than two players. In the toy game, whoever stops wins a card of 1 to 3 from the other two;
# seat 1 can do so on heads only, which is two games in three, and seat 2 never can.


def test_one_agent_goes_round_the_seats_of_many():
    result = evaluate(ToyGame(), [STOP, WAIT], 3 * 600)
    stopper, waiters = result.standings
    first, second, third = stopper.seats
    assert first.wins == first.games == 600
    assert 1 <= first.mean_return.mean <= 3
    assert second.wins + second.draws == 600
    assert 0.6 < second.wins / 600 < 0.73
    assert second.score.mean == pytest.approx((second.wins + second.draws / 3) / 600)
    assert (third.draws, third.mean_return.mean) == (600, 0)
    assert third.score.mean == pytest.approx(1 / 3)
    assert waiters.overall.games == 2 * result.games
    assert stopper.overall.score.mean + 2 * waiters.overall.score.mean == pytest.approx(1)
    assert result.truncations == second.draws + third.draws
    assert result.longest == 6
    assert (waiters.overall.losses, waiters.overall.wins) == (2 * (600 + second.wins), 0)


def test_returns_are_reported_in_the_game_s_own_units():
    stopper = evaluate(ToyGame(), [STOP, WAIT], 3 * 600).standings[0]
    assert 1.8 < stopper.seats[0].mean_return.mean < 2.2
    assert stopper.seats[0].score.mean == 1


def test_a_table_of_different_agents():
    result = evaluate(ToyGame(), [STOP, WAIT, WAIT], 300, names=["a", "b", "c"])
    assert [standing.agent for standing in result.standings] == ["a", "b", "c"]
    assert sum(one.overall.score.mean for one in result.standings) == pytest.approx(1)
    assert result.standings[0].overall.wins > result.standings[1].overall.wins
    assert {"a", "b", "c"} <= set(render([result]).split())


def test_an_agent_in_two_seats_does_not_share_its_memory():
    """Of the six waits of a game, the two that take turns must each remember three."""
    most = 0

    class Counting(Pick):
        def _prepare(self, game: Game, seeds: np.ndarray) -> None:
            self.decisions = np.zeros(len(seeds), np.int64)

        def choose(self, observations, masks, rows, actions) -> None:
            nonlocal most
            super().choose(observations, masks, rows, actions)
            self.decisions[rows] += 1
            most = max(most, int(self.decisions.max()))

    agent = Counting(0)
    evaluate(ToyGame(), [agent, agent], 30)
    assert most == 3


# Errors.


@pytest.mark.parametrize("number", [1, 4])
def test_wrong_number_of_agents(number: int):
    with pytest.raises(OptionError, match=f"3 seats, not {number}"):
        evaluate(ToyGame(), [WAIT] * number, 10)


def test_no_games(small: Game):
    with pytest.raises(OptionError, match="at least 1 game, not 0"):
        evaluate(small, [FIRST, LAST], 0)


def test_illegal_moves_are_errors(small: Game):
    class Cheat(Pick):
        def choose(self, observations, masks, rows, actions) -> None:
            actions[rows] = small.action("water 4")

    with pytest.raises(IllegalActionError, match="is illegal"):
        evaluate(small, [FIRST, Cheat(0)], 10)


# Results for people and programs.


def render(results: list[Evaluation]) -> str:
    console = Console(width=80, record=True, file=None, quiet=False)
    with console.capture() as capture:
        console.print(table(results))
    return capture.get()


def test_table_fits_a_terminal_and_says_what_counts(at_random: Evaluation):
    shown = render([at_random])
    tally = at_random.standings[0].overall
    assert f"{tally.wins}/0/{tally.losses}" in shown
    assert f"{tally.score.mean:.3f} [{tally.score.low:.3f}, {tally.score.high:.3f}]" in shown
    assert "4,000 games, seed 3" in shown
    assert "as player_0" in shown
    assert "…" not in shown


def test_json_is_complete(at_random: Evaluation):
    data = json.loads(to_json([at_random]))
    (found,) = data["evaluations"]
    overall = found["standings"][0]["overall"]
    assert found["game"] == "dragon_deck_v0(values_per_type=4, target=3)"
    assert (found["seed"], found["games"], found["illegal_moves"]) == (3, 4000, 0)
    assert overall["score"]["mean"] == at_random.standings[0].overall.score.mean
    assert found["standings"][0]["microseconds_per_decision"] > 0


def test_picture_is_an_image(at_random: Evaluation):
    assert picture([at_random]).startswith(b"\x89PNG")
    assert b"<svg" in picture([at_random], "svg")
    with pytest.raises(OptionError, match="'xyz'"):
        picture([at_random], "xyz")
