"""Delights & Dragons for people."""

from __future__ import annotations

from support.delights import attack, battle, end_turn, play


def table() -> str:
    state = battle(
        ["Hero", "Guard", "Page"], ["Guard", "Queen", "Page"], [("Ring", 1)], [("Shield", 3)]
    )
    attack(attack(state, 2, 1), 3, 2)
    return str(play(attack(state, 1, 3), "play Button"))


def test_the_table_in_words():
    assert table() == (
        "Delights & Dragons - turn 7 of 100, player_0\n"
        "  player_0        health 20, deck 53\n"
        "    hand     Button 2\n"
        "    discard  -\n"
        "    slot 1   Hero 9/5, holds Ring\n"
        "    slot 2   Guard 5/6\n"
        "    slot 3   Page 0/1\n"
        "  player_1        health 16, deck 53\n"
        "    hand     Button 3\n"
        "    discard  Page, Shield\n"
        "    slot 1   Guard 5/6, injured\n"
        "    slot 2   Queen 3/6, legendary, attacked once\n"
        "  player_0 to give Button to a character"
    )


def test_a_seat_sees_its_own_hand_only():
    state = end_turn(battle(["Hero"], ["Page", "Guard"]))
    assert "    hand     4 unknown" in state.render(1).splitlines()
    assert "    hand     Button 2" in state.render(1).splitlines()
    assert "    hand     Button 4" in state.render(0).splitlines()
    assert "    hand     2 unknown" in state.render(0).splitlines()
    assert "player_1 (you) in the attack phase, may play a character and an item" in state.render(1)


def test_the_table_says_what_is_waited_for():
    state = play(battle(["Hero"], ["Page", "Guard"]), "attack with slot 1")
    assert str(state).endswith("player_0 to choose a target for slot 1")
