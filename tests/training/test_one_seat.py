"""One seat against given opponents, in batches: the same games as single ones played by hand."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from duelgym.agents import make_agent
from duelgym.envs import make
from duelgym.envs.core import Game, IllegalActionError, OptionError, OrderError, State
from duelgym.training.one_seat import OneSeatGames
from support.cases import VARIANTS, case
from support.fixed_agents import FixedAgent
from support.toy_game import ToyGame

GIVEN = ("seats", "observations", "masks", "rewards", "terminated", "truncated", "illegal")


@pytest.fixture(params=[case(*each) for each in VARIANTS])
def game(request: pytest.FixtureRequest) -> Game:
    """Every game in every variant."""
    return make(*request.param)


def given(games: OneSeatGames) -> list[bytes]:
    return [getattr(games, name).tobytes() for name in GIVEN]


def some_legal(games: OneSeatGames, step: int) -> np.ndarray:
    """A legal action in every game, another one at every step and in every row."""
    counts = games.masks.sum(1)
    nth = (np.arange(games.num_envs) * 7 + step * 3) % counts
    return (np.cumsum(games.masks, 1) > nth[:, None]).argmax(1)


def opponents_move(state: State, seat: int, lasts: list[bool]) -> None:
    """Play by hand what ``FixedAgent`` plays, up to the next decision of ``seat``."""
    while not state.is_over and state.player != seat:
        last = lasts[(state.player - seat) % state.game.num_players - 1]
        state.apply(state.legal_actions()[-1 if last else 0])


def check_against_states(game: Game, steps: int, envs: int = 6) -> int:
    """Play every row by hand beside the batch; gives how many games ended."""
    lasts = [place % 2 == 1 for place in range(game.num_players - 1)]
    games = OneSeatGames(game, envs, [FixedAgent(last) for last in lasts])
    games.reset(3)
    ended = 0
    states = [games.state(row) for row in range(envs)]
    for step in range(steps):
        seats = games.seats.tolist()
        for row, (state, seat) in enumerate(zip(states, seats, strict=True)):
            assert state.player == seat
            assert (games.observations[row] == state.observation(seat)).all()
            assert (games.masks[row] == state.legal_mask()).all()
        actions = some_legal(games, step)
        games.step(actions)
        for row, (state, seat) in enumerate(zip(states, seats, strict=True)):
            state.apply(actions[row])
            opponents_move(state, seat, lasts)
            assert games.terminated[row] == (state.is_over and not state.is_truncated)
            assert games.truncated[row] == state.is_truncated
            if not state.is_over:
                assert games.rewards[row] == 0
                assert games.state(row) == state
                continue
            ended += 1
            assert games.rewards[row] == np.float32(state.returns()[seat])
            assert (games.final_observations[row] == state.observation(seat)).all()
            # A new game, in which the opponents may have moved already.
            states[row] = games.state(row)
            fresh = game.start(int(states[row].record.seed))
            opponents_move(fresh, int(games.seats[row]), lasts)
            assert states[row] == fresh
    return ended


def test_it_plays_the_same_games_as_states(game):
    assert check_against_states(game, steps=60) > 0 or game.facts.min_decisions > 40


def test_three_players_and_games_that_are_cut_off():
    assert check_against_states(ToyGame(), steps=40) > 40


def test_the_seat_is_drawn_for_each_game():
    games = OneSeatGames(make("gem_duel", num_players=3), 3000)
    games.reset(1)
    first = games.seats.copy()
    assert np.bincount(first, minlength=3).min() > 900
    changed = ended = 0
    for step in range(40):
        games.step(some_legal(games, step))
        over = games.terminated
        ended += over.sum()
        changed += (games.seats[over] != first[over]).sum()
        assert (games.seats[~over] == first[~over]).all()
        first = games.seats.copy()
    assert 0.6 < changed / ended < 0.73, "two of three draws give another seat"


def test_a_fixed_seat_stays():
    games = OneSeatGames(make("gem_duel", num_players=3), 50, seat=2)
    games.reset(1)
    for step in range(60):
        assert (games.seats == 2).all()
        assert all(games.state(row).player == 2 for row in (0, 49))
        games.step(some_legal(games, step))


def test_a_game_that_ends_before_the_seat_is_asked_is_not_reported():
    """Seat 0 of the toy game stops at once in half of the games, and seat 1 is never asked."""
    games = OneSeatGames(ToyGame(), 500, "random", seat=1)
    games.reset(1)
    assert games._env._episodes.max() > 0
    for _ in range(10):
        # Seat 1 is asked after one, three or five waits, and the sixth cuts the game off.
        waits = games.observations[:, 2].copy()
        assert set(waits) <= {1, 3, 5}
        games.step(np.zeros(500, int))
        over = games.terminated | games.truncated
        assert (games.truncated == (waits == 5)).all()
        assert (games.observations[over][:, 2] == 1).all()
        stopped = games.terminated
        assert set(games.rewards[stopped]) <= {-0.5, -1, -1.5}
        assert not games.rewards[~stopped].any()


def test_opponents_sit_clockwise_and_one_may_take_all_other_seats():
    game = make("gem_duel", num_players=3)
    first, last = FixedAgent(), FixedAgent(last=True)
    for given_, names in (([first, last], ["first", "last"]), (last, ["last", "last"])):
        games = OneSeatGames(game, 4, given_)
        assert [player.name for player in games.opponents] == names
        games.reset(1)
        for step in range(30):
            games.step(some_legal(games, step))
        asked = [player.asked for player in games.opponents]  # type: ignore[attr-defined]
        assert all((each > 0).all() for each in asked)
    assert not hasattr(first, "asked"), "players are copies"


def test_opponents_are_told_when_games_begin():
    games = OneSeatGames(make("leduc_poker"), 40, FixedAgent())
    games.reset(1)
    before = games._env._episodes.copy()
    for step in range(20):
        games.step(some_legal(games, step))
    begun = games.opponents[0].begun  # type: ignore[attr-defined]
    assert (begun == games._env._episodes).all()
    assert begun.sum() > before.sum() + 40


def test_the_seed_settles_everything_and_rows_are_independent():
    game = make("gem_duel", num_players=3)

    def play(envs: int, seed: int) -> list[list[bytes]]:
        games = OneSeatGames(game, envs, ["reasoner", "random"])
        games.reset(seed)
        found = []
        for step in range(25):
            games.step(some_legal(games, step))
            found.append([getattr(games, name)[:5].tobytes() for name in GIVEN])
        return found

    assert play(5, 1) == play(5, 1) == play(60, 1)
    assert play(5, 1) != play(5, 2)


def test_forced_decisions_can_be_left_out():
    games = OneSeatGames(make("gem_duel"), 200, skip_forced=True)
    games.reset(1)
    for step in range(30):
        assert (games.masks.sum(1) > 1).all()
        games.step(some_legal(games, step))


# Illegal actions.


def illegal(games: OneSeatGames) -> np.ndarray:
    return (games.masks == 0).argmax(1)


def test_an_illegal_action_is_an_error_that_changes_nothing():
    games = OneSeatGames(make("dragon_deck"), 5)
    games.reset(1)
    before = given(games), games._env.save()["states"].tobytes()
    actions = some_legal(games, 0)
    actions[3] = illegal(games)[3]
    with pytest.raises(IllegalActionError, match=rf"action {actions[3]} is illegal in game 3"):
        games.step(actions)
    assert (given(games), games._env.save()["states"].tobytes()) == before


def test_an_illegal_action_can_lose_that_game_alone():
    game = make("gem_duel", num_players=3)
    games, other = (OneSeatGames(game, 6, illegal_action="lose") for _ in range(2))
    for each in (games, other):
        each.reset(1)
    actions = some_legal(games, 0)
    other.step(actions)
    seen = games.observations.copy()
    wrong = [1, 4, 5]
    actions[wrong] = [illegal(games)[1], -1, game.num_actions]
    games.step(actions)
    assert np.flatnonzero(games.illegal).tolist() == wrong
    assert games.terminated[wrong].all()
    assert (games.rewards[wrong] == game.facts.min_return).all()
    assert (games.final_observations[wrong] == seen[wrong]).all()
    for row in wrong:
        assert games.state(row).player == games.seats[row]
        assert games.state(row).record.seed != other.state(row).record.seed
    for row in (0, 2, 3):
        assert games.state(row) == other.state(row)
    games.step(some_legal(games, 1))
    assert not games.illegal.any()
    for wrong_kind in (np.zeros(6, np.float32), np.zeros(5, int)):
        with pytest.raises(IllegalActionError, match=r"whole numbers \[6\]"):
            games.step(wrong_kind)


# Options and copies.


def test_wrong_options_are_refused():
    game = make("gem_duel", num_players=3)
    for options, message in (
        ({"opponents": ["random"] * 3}, "takes 1 opponent, or one for each of 2 seats, not 3"),
        ({"opponents": []}, "not 0"),
        ({"opponents": 5}, "an agent or the name of one, not 5"),
        ({"opponents": "blod"}, "no agent.*'blod'.*bold"),
        ({"opponents": make_agent("greedy", make("dragon_deck"))}, "plays dragon_deck"),
        ({"seat": 3}, "seat is 'random' or 0 to 2, not 3"),
        ({"seat": -1}, "not -1"),
        ({"seat": "first"}, "not 'first'"),
        ({"illegal_action": "loose"}, "illegal_action is not 'loose'; did you mean 'lose'"),
        ({"num_envs": 0}, "num_envs"),
    ):
        with pytest.raises(OptionError, match=message):
            OneSeatGames(game, **{"num_envs": 2, **options})
    with pytest.raises(OrderError, match=r"call reset\(\) before step\(\)"):
        OneSeatGames(game, 2).step(np.zeros(2, int))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda games: pickle.loads(pickle.dumps(games))])
def test_a_copy_goes_on_alike_and_apart(copied):
    games = OneSeatGames(make("gem_duel", num_players=3), 20, ["reasoner", "random"])
    games.reset(1)
    for step in range(20):
        games.step(some_legal(games, step))
    other = copied(games)
    for step in range(20):
        actions = some_legal(games, step)
        games.step(actions)
        other.step(actions)
        assert given(games) == given(other)
