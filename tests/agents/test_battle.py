"""The exact solution of the battle phase, against an independent one and against its own definition."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from duelgym.agents.dragon_deck.battle import (
    BattleSolution,
    SolutionError,
    solve_battles,
    solve_deal,
)
from duelgym.envs import make
from duelgym.envs.core import Game, OptionError, State
from duelgym.envs.dragon_deck import DragonDeck
from scipy.optimize import linprog
from support.battles import after, dealt, later

SMALL, TINY = DragonDeck("small"), DragonDeck("tiny")


def matrix_of(state: State, value) -> tuple[list[int], list[int], np.ndarray]:
    """Cards of both seats, and ``value`` of the position after each pair of them."""
    own = state.legal_actions()
    rival = after(state, own[0]).legal_actions()
    pairs = [value(after(state, *pair)) for pair in product(own, rival)]
    return own, rival, np.array(pairs).reshape(len(own), len(rival))


@cache
def value_by_linprog(state: State) -> float:
    """By the rules and linear programs alone, without anything of the solver."""
    if state.is_over:
        return state.returns()[0]
    _, _, matrix = matrix_of(state, value_by_linprog)
    m, n = matrix.shape
    found = linprog(
        np.append(np.zeros(m), -1),
        A_ub=np.hstack([-matrix.T, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=[np.append(np.ones(m), 0)],
        b_eq=[1],
        bounds=[(0, None)] * m + [(None, None)],
    )
    return -found.fun


def value_or_return(solution: BattleSolution):
    return lambda state: state.returns()[0] if state.is_over else solution.value(state)


@pytest.mark.parametrize("options", [{}, {"target": 1}])
@pytest.mark.parametrize("seed", range(5))
def test_values_of_a_whole_tiny_deal_are_those_of_linear_programs(seed: int, options):
    state = dealt(DragonDeck("tiny", **options), seed)
    assert solve_battles(state).value(state) == pytest.approx(value_by_linprog(state), abs=1e-9)


@pytest.mark.parametrize("variant", ["small", "medium", "standard"])
def test_values_late_in_larger_deals_are_those_of_linear_programs(variant: str):
    game = DragonDeck(variant)
    played = [later(dealt(game, seed), game.num_cards // 2 - 4, seed) for seed in range(40)]
    close = [state for state in played if len(state.legal_actions()) == 4]
    assert len(close) > 2
    for state in close[:3]:
        value = value_by_linprog(state)
        assert -1 <= value <= 1
        assert solve_battles(state).value(state) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("target", [1, 2, 3])
def test_every_position_is_worth_what_its_own_matrix_game_is(target: int):
    game = DragonDeck("small", target=target)
    first = dealt(game, 7)
    solution = solve_battles(first)
    for battles, seed in product(range(6), range(20)):
        state = later(first, battles, seed)
        own, rival, matrix = matrix_of(state, value_or_return(solution))
        value = solution.value(state)
        mine, theirs = (solution.strategy(state, seat) for seat in range(2))
        assert mine[own].sum() == pytest.approx(1)
        assert theirs[rival].sum() == pytest.approx(1)
        assert (mine[own] @ matrix).min() == pytest.approx(value, abs=1e-9)
        assert (matrix @ theirs[rival]).max() == pytest.approx(value, abs=1e-9)


def test_a_committed_card_changes_nothing_for_the_other_seat():
    state = dealt(SMALL, 3)
    solution = solve_battles(state)
    for action in state.legal_actions():
        committed = after(state, action)
        assert solution.value(committed) == solution.value(state)
        assert (solution.strategy(committed, 1) == solution.strategy(state, 1)).all()


def exchange_value(game: DragonDeck, seed: int) -> tuple[float, float]:
    cards = np.random.default_rng(seed).permutation(game.num_cards)
    hands = np.split(cards, 2)
    values = []
    for hand in hands:
        solution = solve_deal(game, hand.tolist())
        values.append(solution.values[solution.table.root])
    return values[0], values[1]


def turn_types(game: DragonDeck, hand: np.ndarray) -> np.ndarray:
    return (hand + game.options.values_per_type) % game.num_cards


@pytest.mark.parametrize("seed", range(3))
def test_exchanged_hands_flip_the_sign_of_the_value(seed: int):
    value, exchanged = exchange_value(DragonDeck("medium"), seed)
    assert 0 < abs(value) < 1
    assert exchanged == pytest.approx(-value, abs=1e-9)


@pytest.mark.slow
def test_exchanged_hands_flip_the_sign_of_a_full_size_deal():
    value, exchanged = exchange_value(DragonDeck(), 0)
    assert value == pytest.approx(-0.03335, abs=1e-4)
    assert exchanged == pytest.approx(-value, abs=1e-9)


def test_turned_types_keep_the_value():
    game = DragonDeck("medium")
    hand = np.random.default_rng(5).permutation(game.num_cards)[: game.num_cards // 2]
    values = []
    for _ in range(3):
        solution = solve_deal(game, hand.tolist())
        values.append(solution.values[solution.table.root])
        hand = turn_types(game, hand)
    assert values == pytest.approx([values[0]] * 3, abs=1e-9)


def test_a_later_position_solved_by_itself_has_the_same_value():
    first = dealt(DragonDeck("medium"), 1)
    whole = solve_battles(first)
    for battles, seed in product(range(1, 7), range(5)):
        state = later(first, battles, seed)
        alone = solve_battles(state)
        assert alone.value(state) == pytest.approx(whole.value(state), abs=1e-9)
        assert alone.covers(state)
        assert not alone.covers(first)


def test_threads_do_not_matter():
    state = dealt(DragonDeck("medium"), 2)
    one, three = (solve_battles(state, num_threads=count) for count in (1, 3))
    assert np.array_equal(one.values, three.values, equal_nan=True)


def test_the_report_grows_to_the_whole():
    shares: list[float] = []
    solve_battles(dealt(SMALL, 0), report=shares.append)
    assert shares == sorted(shares)
    assert shares[0] < 0.1
    assert shares[-1] == pytest.approx(1)


def test_save_and_load(tmp_path: Path):
    state = later(dealt(SMALL, 4), 1, 0)
    solution = solve_battles(state)
    solution.save(tmp_path / "solution.npz")
    loaded = BattleSolution.load(tmp_path / "solution.npz")
    assert loaded.game == SMALL
    assert loaded.value(state) == solution.value(state)
    assert (loaded.strategy(state, 1) == solution.strategy(state, 1)).all()
    assert [file.name for file in tmp_path.iterdir()] == ["solution.npz"]


def test_a_damaged_file_is_refused(tmp_path: Path):
    path = tmp_path / "solution.npz"
    solve_battles(dealt(TINY, 0)).save(path)
    whole = path.read_bytes()
    for data in (whole[: len(whole) // 2], b"", b"nonsense", whole.replace(b"tiny", b"full")[:-9]):
        path.write_bytes(data)
        with pytest.raises(SolutionError, match=r"solution\.npz"):
            BattleSolution.load(path)
    with pytest.raises(SolutionError, match="missing"):
        BattleSolution.load(tmp_path / "missing")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cards": np.array([[0, 1, 2], [2, 4, 5]])}, "not the solution of a position"),
        ({"cards": np.array([[0, 1, 99], [2, 4, 5]])}, "not the solution of a position"),
        ({"start": np.array([0, 2])}, "not the solution of a position"),
        ({"values": np.zeros(3)}, "value of every position"),
        ({"identity": np.array('{"game": "leduc_poker", "options": {}}')}, "another game"),
        ({"identity": np.array('{"game": "dragon_deck", "options": {"x": 1}}')}, "no option"),
    ],
)
def test_contents_that_do_not_fit_are_refused(tmp_path: Path, change, message: str):
    path = tmp_path / "solution.npz"
    solve_battles(dealt(TINY, 0)).save(path)
    with np.load(path) as file:
        contents = {**file, **change}
    np.savez(path, **contents)
    with pytest.raises(SolutionError, match=message):
        BattleSolution.load(path)


@pytest.mark.parametrize(
    ("game", "message"),
    [(SMALL, "not a position of the battle phase"), (make("leduc_poker"), "for dragon_deck")],
)
def test_only_battles_are_solved(game: Game, message: str):
    with pytest.raises(OptionError, match=message):
        solve_battles(game.start(0))


def test_a_position_of_another_deal_has_no_value_here():
    solution = solve_battles(dealt(SMALL, 0))
    with pytest.raises(OptionError, match=r"not a position of the battles of .* against"):
        solution.value(dealt(SMALL, 1))
    with pytest.raises(OptionError, match="not a position"):
        solution.strategy(dealt(TINY, 0), 0)


@pytest.mark.parametrize("hand", [[0, 1, 2], [0, 0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 12]])
def test_a_hand_is_half_of_the_deck(hand: list[int]):
    with pytest.raises(OptionError, match="6 different cards from 0 to 11"):
        solve_deal(SMALL, hand)
