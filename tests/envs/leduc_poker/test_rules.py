"""The rules of Leduc poker, one by one, in the names of cards and moves."""

from __future__ import annotations

import numpy as np
import pytest
from duelgym.envs import make
from duelgym.envs.core import IllegalActionError, OptionError, State
from support.leduc import CARDS, LEDUC, play

DEAL = ("king of hearts", "queen of spades")


def legal(state: State) -> list[str]:
    return [state.action_name(action) for action in state.legal_actions()]


def chips(state: State) -> list[int]:
    return state.record.chips.tolist()


def test_the_deck():
    assert list(CARDS) == [
        "jack of hearts",
        "jack of spades",
        "queen of hearts",
        "queen of spades",
        "king of hearts",
        "king of spades",
    ]


def test_any_card_left_is_dealt_with_equal_chance():
    state = play()
    assert state.chance_outcomes() == [(card, 1 / 6) for card in range(6)]
    state = play("queen of hearts")
    assert state.chance_outcomes() == [(card, 1 / 5) for card in (0, 1, 3, 4, 5)]
    state = play("queen of hearts", "king of spades", "call", "call")
    assert state.chance_outcomes() == [(card, 1 / 4) for card in (0, 1, 3, 4)]
    with pytest.raises(IllegalActionError, match="queen of spades"):
        play("queen of hearts", "queen of hearts")


def test_ante():
    state = play(*DEAL)
    assert chips(state) == [1, 1]
    assert state.player == 0


def test_raises_are_2_in_the_first_round_and_4_in_the_second():
    assert chips(play(*DEAL, "raise")) == [3, 1]
    assert chips(play(*DEAL, "raise", "raise")) == [3, 5]
    state = play(*DEAL, "raise", "raise", "call", "jack of spades")
    assert chips(state) == [5, 5]
    state.apply("call")
    state.apply("raise")
    assert chips(state) == [5, 9]
    state.apply("raise")
    assert chips(state) == [13, 9]


@pytest.mark.parametrize(
    ("moves", "names"),
    [
        ([], ["call", "raise"]),
        (["call"], ["call", "raise"]),
        (["raise"], ["fold", "call", "raise"]),
        (["raise", "raise"], ["fold", "call"]),
        (["call", "raise"], ["fold", "call", "raise"]),
        (["call", "raise", "raise"], ["fold", "call"]),
    ],
)
def test_fold_only_to_a_raise_and_raise_only_twice(moves, names):
    assert legal(play(*DEAL, *moves)) == names
    second_round = play(*DEAL, "raise", "raise", "call", "jack of spades", *moves)
    assert legal(second_round) == names
    for name in {"fold", "raise"} - set(names):
        with pytest.raises(IllegalActionError, match=f"legal: .*{names[0]}"):
            second_round.apply(name)


@pytest.mark.parametrize(
    "moves",
    [
        ["call", "call"],
        ["raise", "call"],
        ["call", "raise", "call"],
        ["raise", "raise", "call"],
        ["call", "raise", "raise", "call"],
    ],
)
def test_a_call_ends_a_betting_round_unless_it_is_the_first_move(moves):
    state = play(*DEAL)
    for move in moves:
        assert state.player in (0, 1)
        state.apply(move)
    assert state.is_chance
    state.apply(CARDS["jack of spades"])
    for move in moves:
        assert not state.is_over
        state.apply(move)
    assert state.is_over
    assert chips(state)[0] == chips(state)[1]


def test_player_0_opens_both_rounds():
    assert play(*DEAL).player == 0
    assert play(*DEAL, "call").player == 1
    assert play(*DEAL, "call", "call", "jack of spades").player == 0
    assert play(*DEAL, "raise", "raise", "call", "jack of spades").player == 0


@pytest.mark.parametrize(
    ("moves", "returns"),
    [
        (["raise", "fold"], [1, -1]),
        (["call", "raise", "fold"], [-1, 1]),
        (["raise", "raise", "fold"], [-3, 3]),
        (["call", "raise", "raise", "fold"], [3, -3]),
        (["call", "call", "jack of spades", "raise", "raise", "fold"], [-5, 5]),
        (["raise", "raise", "call", "jack of spades", "raise", "raise", "fold"], [-9, 9]),
    ],
)
def test_who_folds_loses_what_is_in_the_pot_whatever_the_cards(moves, returns):
    assert play(*DEAL, *moves).returns() == returns
    assert play(*reversed(DEAL), *moves).returns() == returns


@pytest.mark.parametrize(
    ("first", "second", "public", "winner"),
    [
        ("king of hearts", "queen of spades", "jack of hearts", 0),
        ("jack of spades", "queen of spades", "king of hearts", 1),
        ("queen of hearts", "king of spades", "queen of spades", 0),
        ("king of hearts", "jack of spades", "jack of hearts", 1),
        ("king of hearts", "jack of spades", "king of spades", 0),
        ("queen of hearts", "queen of spades", "king of hearts", None),
        ("jack of spades", "jack of hearts", "queen of spades", None),
    ],
)
def test_showdown(first, second, public, winner):
    gain = {0: 7, 1: -7, None: 0}[winner]
    state = play(first, second, "raise", "call", public, "call", "raise", "call")
    assert state.returns() == [gain, -gain]


def test_most_that_can_be_won():
    betting = ("call", "raise", "raise", "call")
    state = play(*DEAL, *betting, "king of spades", *betting)
    assert state.returns() == [13, -13]
    assert len(state.history()) == 3 + 8


def test_the_rivals_card_shows_at_a_showdown_only():
    state = play(*DEAL, "call", "call", "jack of spades", "call", "raise")
    for seat in range(2):
        assert LEDUC.describe(state.observation(seat))["rival_card"] == []
    folded = state.clone()
    folded.apply("fold")
    for seat in range(2):
        seen = LEDUC.describe(folded.observation(seat))
        assert seen["rival_card"] == []
        assert seen["folded"] == [["observer", "rival"][seat]]
    state.apply("call")
    for seat in range(2):
        assert LEDUC.describe(state.observation(seat))["rival_card"] == [DEAL[1 - seat]]


def test_observation_in_words():
    state = play(*DEAL, "call", "raise", "raise", "call", "jack of spades", "call", "raise")
    assert LEDUC.describe(state.observation(0)) == {
        "own_card": ["king of hearts"],
        "public_card": ["jack of spades"],
        "rival_card": [],
        "own_moves_1": ["call", "then raise"],
        "own_moves_2": ["call"],
        "rival_moves_1": ["raise", "then call"],
        "rival_moves_2": ["raise"],
        "own_chips": 5,
        "rival_chips": 9,
        "acts_first": ["yes"],
        "folded": [],
    }
    other = LEDUC.describe(state.observation(1))
    assert other["own_card"] == ["queen of spades"]
    assert other["own_moves_1"] == ["raise", "then call"]
    assert (other["own_chips"], other["rival_chips"]) == (9, 5)
    assert other["acts_first"] == []


def test_resampling_deals_the_rival_any_card_that_is_not_in_sight():
    state = play(*DEAL, "call", "call", "jack of spades")
    dealt = [int(state.resample(0, seed).record.private_card[1]) for seed in range(2000)]
    cards, counts = np.unique(dealt, return_counts=True)
    assert [LEDUC.chance_name(card) for card in cards] == [
        "jack of hearts",
        "queen of hearts",
        "queen of spades",
        "king of spades",
    ]
    assert abs(counts - 500).max() < 100
    state.apply("call")
    state.apply("call")
    assert {int(state.resample(0, seed).record.private_card[1]) for seed in range(20)} == {
        CARDS["queen of spades"]
    }


def test_equal_seeds_deal_equal_cards_however_the_game_is_played():
    def deals(betting: list[str]) -> list[int]:
        state = LEDUC.start(11)
        for move in betting:
            state.apply(move)
        record = state.record
        return [*record.private_card.tolist(), int(record.public_card)]

    assert deals(["call", "call"]) == deals(["call", "raise", "raise", "call"])


def test_there_are_no_options():
    with pytest.raises(OptionError, match="leduc_poker has no option 'players'"):
        make("leduc_poker", players=3)
