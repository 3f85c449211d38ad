"""Ratings: fitted as choix fits them, honest about ties and cycles, and the Nash average."""

from __future__ import annotations

import choix
import numpy as np
import pytest
from duelgym.training.ratings import ELO, Luce, Ranked, choices, cycles, nash_average, resampled

ROCK_PAPER_SCISSORS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]) / 2


def pair(first: int, second: int, won: int, drawn: int, lost: int) -> Ranked:
    """A table of two, one game after the other."""
    games = [[0, 1]] * won + [[0, 0]] * drawn + [[1, 0]] * lost
    return Ranked((first, second), np.array(games)[:, None])


def fitted(agents: int, tables: list[Ranked]) -> np.ndarray:
    weights = [np.ones((1, 1 + len(table.ranks))) for table in tables]
    return Luce(agents, tables, weights).fit()[0]


def test_two_players_are_bradley_and_terry_s_model():
    tables = [pair(0, 1, 30, 7, 13), pair(0, 2, 40, 0, 10), pair(1, 2, 22, 4, 24)]
    entries = []
    for table in tables:
        first, second = table.table
        for ranks in [*table.ranks[:, 0].tolist(), [0, 0]]:  # and the one that is drawn
            # Every game in halves, as choix knows no draws.
            entries += [(first, second)] * ((ranks[0] == 0) + (ranks[1] == 1))
            entries += [(second, first)] * ((ranks[1] == 0) + (ranks[0] == 1))
    expected = choix.opt_pairwise(3, entries, alpha=0, tol=1e-9)
    assert fitted(3, tables) == pytest.approx(expected - expected.mean(), abs=1e-5)


def test_more_players_are_plackett_s_model():
    rankings = choix.generate_rankings(np.array([0.0, 0.5, 1.0, 2.0]), 80, 3)
    tables, entries = {}, []
    for ranking in np.asarray(rankings).tolist():
        table = tuple(sorted(ranking))
        tables.setdefault(table, []).append([[ranking.index(agent) for agent in table]])
        entries += [(ranking[0], ranking[1:]), (ranking[1], ranking[2:])] * 3
    for table in tables:  # the one in which all share the first place
        entries += [(agent, [other for other in table if other != agent]) for agent in table]
    expected = choix.ilsr_top1(4, entries, tol=1e-9)
    found = fitted(4, [Ranked(table, np.array(ranks)) for table, ranks in tables.items()])
    assert found == pytest.approx(expected - expected.mean(), abs=1e-5)


def test_a_score_of_ten_to_one_is_400_points():
    logs = fitted(2, [pair(0, 1, 100_000, 0, 10_000)])
    assert ELO * (logs[0] - logs[1]) == pytest.approx(400, abs=0.1)


def test_order_of_games_does_not_matter():
    tables = [pair(0, 1, 30, 7, 13), pair(0, 2, 40, 0, 10)]
    turned = [Ranked(table.table, table.ranks[::-1]) for table in tables[::-1]]
    assert fitted(3, tables) == pytest.approx(fitted(3, turned), abs=1e-9)


def test_agents_that_won_or_lost_everything_have_a_rating():
    logs = fitted(3, [pair(0, 1, 100, 0, 0), pair(0, 2, 100, 0, 0), pair(1, 2, 100, 0, 0)])
    assert np.isfinite(logs).all()
    assert logs[0] > logs[1] + 1
    assert logs[1] > logs[2] + 1


def test_intervals_are_wide_where_an_agent_never_won():
    tables = [pair(0, 1, 100, 0, 0)]
    logs = Luce(2, tables, resampled(tables, 500, 0)).fit()
    low, high = np.quantile(ELO * (logs[:, 0] - logs[:, 1])[1:], [0.025, 0.975])
    assert high - low > 400


def test_choices_of_a_ranking():
    assert choices((4, 2, 7), (0, 1, 2)) == [((2, 4, 7), (0, 1, 0)), ((2, 7), (1, 0))]


def test_ties_share_a_place_and_losers_alike_are_not_compared():
    assert choices((0, 1), (0, 0)) == [((0, 1), (0.5, 0.5))]
    assert choices((0, 1, 2), (0, 1, 1)) == [((0, 1, 2), (1, 0, 0))]
    assert choices((0, 1, 2), (0, 0, 2)) == [((0, 1, 2), (0.5, 0.5, 0))]
    assert choices((0, 1, 1), (1, 1, 0)) == [((0, 1, 1), (0, 0, 1))]


def test_one_among_equal_others():
    """Wins in a third of the games among two of the others are wins among equals."""
    ranks = np.array([[0, 1, 1]] * 1000 + [[1, 0, 1]] * 1000 + [[1, 1, 0]] * 1000)[:, None]
    assert fitted(2, [Ranked((0, 1, 1), ranks)]) == pytest.approx([0, 0], abs=1e-6)


def test_bootstrap_intervals_cover():
    """Blocks of two equal games: 95 % intervals from them hold the truth, those of games do not."""
    random = np.random.default_rng(0)
    covered = {1: 0, 2: 0}
    for _ in range(100):
        won = random.random(200) < 0.6
        for games in (1, 2):
            # The same 400 games: as blocks of two, or taken as if they were independent.
            ranks = np.repeat(np.stack([~won, won], axis=1), 2, axis=0).astype(int)
            tables = [Ranked((0, 1), ranks.reshape(-1, games, 2))]
            logs = Luce(2, tables, resampled(tables, 200, 1)).fit()
            low, high = np.quantile((logs[:, 0] - logs[:, 1])[1:], [0.025, 0.975])
            covered[games] += low <= np.log(1.5) <= high
    assert 90 <= covered[2] <= 99
    assert covered[1] <= 88


# The Nash average.


def nash(duels: np.ndarray) -> list[float]:
    return nash_average(duels[None])[0].tolist()


def test_nash_average_of_a_cycle_is_even():
    assert nash(ROCK_PAPER_SCISSORS) == pytest.approx([1 / 3] * 3)


def test_copies_share_what_one_would_have():
    copied = ROCK_PAPER_SCISSORS[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]
    assert nash(copied) == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3], abs=1e-5)


def test_equals_are_even_and_the_best_has_all():
    assert nash(np.zeros((4, 4))) == pytest.approx([1 / 4] * 4)
    ladder = np.array([[0, 0.01, 0.4], [-0.01, 0, 0.3], [-0.4, -0.3, 0]])
    assert nash(ladder) == pytest.approx([1, 0, 0], abs=1e-6)


def test_nash_average_is_an_equilibrium():
    random = np.random.default_rng(0)
    duels = random.uniform(-0.5, 0.5, (100, 8, 8))
    duels -= duels.transpose(0, 2, 1)
    mixes = nash_average(duels)
    assert mixes.sum(axis=1) == pytest.approx(np.ones(100))
    assert np.einsum("nij,nj->ni", duels, mixes).max() < 1e-6


def test_cycles():
    beats = np.zeros((5, 5), np.bool_)
    for winner, loser in [(0, 1), (1, 2), (2, 0), (0, 3), (3, 4)]:
        beats[winner, loser] = True
    assert cycles(beats) == [[0, 1, 2]]
    beats[4, 0] = True
    assert cycles(beats) == [[0, 1, 2], [0, 3, 4]]
    beats[2, 0] = beats[4, 0] = False
    assert cycles(beats) == []
    beats[2, 3] = beats[4, 1] = True
    assert cycles(beats) == [[1, 2, 3, 4]], "longer ones, where there are no short ones"
