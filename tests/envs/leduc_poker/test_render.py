"""Leduc poker as people see it: text, pictures and the page."""

from __future__ import annotations

import numpy as np
from duelgym.envs import leduc_poker_v0
from duelgym.envs.core.observation import table
from support.leduc import CARDS, LEDUC, play

DEAL = ("king of hearts", "queen of spades")


def test_text_of_the_table():
    state = play(*DEAL, "call", "raise", "call", "jack of spades", "raise")
    assert str(state).splitlines() == [
        "Leduc poker - second betting round, 10 chips in the pot",
        "  player_0        king of hearts   7 chips",
        "  player_1        queen of spades  3 chips",
        "  public card     jack of spades",
        "  first round     player_0 calls, player_1 raises, player_0 calls",
        "  second round    player_0 raises",
        "  player_1 to move",
    ]


def test_text_for_a_seat_hides_the_rivals_card_until_the_showdown():
    state = play(*DEAL, "call", "call", "jack of spades", "call")
    assert "player_0 (you)  king of hearts   1 chip\n" in state.render(0)
    assert "player_1        face down        1 chip\n" in state.render(0)
    assert "player_0        face down        1 chip\n" in state.render(1)
    state.apply("call")
    assert "queen of spades" in state.render(0)
    assert "king of hearts" in state.render(1)


def test_text_after_a_fold():
    state = play(*DEAL, "raise", "raise", "fold")
    assert state.render(0).splitlines() == [
        "Leduc poker - player_1 wins 3 chips",
        "  player_0 (you)  king of hearts   3 chips",
        "  player_1        face down        5 chips",
        "  public card     -",
        "  first round     player_0 raises, player_1 raises, player_0 folds",
        "  second round    -",
    ]


def test_text_while_cards_are_dealt_and_when_the_pot_is_split():
    assert str(play()).endswith("player_0 is dealt a card")
    assert str(play("jack of hearts")).endswith("player_1 is dealt a card")
    assert str(play(*DEAL, "call", "call")).endswith("the public card is dealt")
    split = play("jack of hearts", "jack of spades", *["call"] * 2, "king of hearts", *["call"] * 2)
    assert str(split).startswith("Leduc poker - the pot is split\n")


def test_pictures_have_one_shape_and_keep_the_secret():
    states = [play(), play(*DEAL), play(*DEAL, "call", "call", "king of spades", "raise", "fold")]
    for state in states:
        picture = LEDUC.picture(state.record)
        assert (picture.shape, picture.dtype) == ((480, 560, 3), np.uint8)
    one, other = play("king of hearts", "queen of spades"), play("king of hearts", "jack of spades")
    assert np.array_equal(LEDUC.picture(one.record, 0), LEDUC.picture(other.record, 0))
    assert not np.array_equal(LEDUC.picture(one.record, 1), LEDUC.picture(other.record, 1))
    assert not np.array_equal(LEDUC.picture(one.record), LEDUC.picture(other.record))


def test_the_page_tells_the_truth():
    page, facts = leduc_poker_v0.__doc__ or "", LEDUC.facts
    assert table(LEDUC.sections) in page
    for action in range(LEDUC.num_actions):
        assert f"| {action} | `{LEDUC.action_name(action)}` |" in page
    for name, card in CARDS.items():
        assert f"{card} `{name}`" in " ".join(page.split())
    assert f"Discrete({LEDUC.num_actions})" in page
    assert f"({LEDUC.observation_size},), float32" in page
    assert f"{facts.min_decisions} to {facts.max_decisions} in a game" in page
    assert f"{facts.min_return} to {facts.max_return}, once" in page
