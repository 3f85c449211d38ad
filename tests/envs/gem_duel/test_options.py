"""Options of Gem Duel, its texts and its page."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from duelgym.envs import gem_duel_v0, make
from duelgym.envs.core import OptionError
from duelgym.envs.gem_duel import GemDuel
from duelgym.envs.gem_duel.game import STANDARD_POWERS
from support.gem_duel import EVERY, EVERY_ID, FOUR, THREE, TWO, deal, play

# Options.


@pytest.mark.parametrize(
    ("players", "hand_size", "target"), [(2, 5, 7), (3, 4, 6), (4, 4, 5), (5, 4, 4)]
)
def test_defaults_go_by_the_number_of_players(players, hand_size, target):
    game = GemDuel(num_players=players)
    assert game.num_players == players
    assert (game.options.hand_size, game.options.target) == (hand_size, target)
    assert game.options.open_cards == 2
    assert game.options.clue_marks_specials is True
    assert game == GemDuel(("two", "three", "four", "five")[players - 2] + "_players")


def test_sizes():
    """In two sections each: 10 entries a rival slot for card and for holder, and so on."""
    for game in EVERY:
        options, width = game.options, len(game.powers[0])
        players, size = options.num_players, options.hand_size
        new = int(game.may_reshuffle)
        decision = 4 + 3 * players + size + 2 + size
        counts = 1 + (2 + new) * 5 * width
        own = size * (3 + 5 + width + 3 + 1 + new)
        rivals = (players - 1) * size * (3 + 5 + width + 3 + 5 + width + new)
        assert game.observation_size == decision + players * options.target + counts + own + rivals
        assert game.num_actions == 3 + 3 * size + size + 2 * (players - 1) + (players - 1) * size


def test_tables_are_equal_however_they_are_written():
    table = [[2, 3, 3, 3, 2]] * 3 + [[1] * 5] * 2
    assert GemDuel(powers=table) == GemDuel(powers=np.array(table)) == TWO
    assert repr(GemDuel(powers=STANDARD_POWERS)) == "gem_duel_v0"
    other = GemDuel(powers=[[10], np.array([2, 1, 0]), (0, 0), [], []])
    assert other.powers == ((10, 0), (2, 1), (0, 0), (0, 0), (0, 0))
    assert other == GemDuel(powers=other.powers)
    assert hash(other) == hash(GemDuel(powers=other.powers))
    assert other != TWO
    assert repr(other) == f"gem_duel_v0(powers={other.powers})"


@pytest.mark.parametrize("game", EVERY, ids=EVERY_ID)
def test_a_game_is_the_same_after_a_way_through_a_file(game):
    identity = json.loads(json.dumps(game.identity()))
    assert identity == game.identity()
    assert make("gem_duel", **identity["options"]) == game


@pytest.mark.parametrize("kind", [np.int8, np.int64])
def test_whole_numbers_of_numpy_are_options(kind):
    game = GemDuel(num_players=kind(3), hand_size=kind(4), open_cards=kind(2), target=kind(6))
    assert game == THREE
    assert repr(game) == repr(THREE)


def refused(**options: Any) -> str:
    with pytest.raises(OptionError) as caught:
        GemDuel(**options)
    return str(caught.value)


@pytest.mark.parametrize("players", [6, 1, 0, -3, 2.0, "3", None, True], ids=repr)
def test_impossible_numbers_of_players(players):
    assert refused(num_players=players) == (
        f"gem_duel: num_players is a whole number from 2 to 5, not {players!r}"
    )


@pytest.mark.parametrize("target", [0, 51, -1, 3.5, "7", False], ids=repr)
def test_impossible_targets(target):
    assert refused(target=target) == (
        f"gem_duel: target is a whole number from 1 to 50, not {target!r}"
    )


@pytest.mark.parametrize("hand_size", [0, 7, 4.0, "4"], ids=repr)
def test_impossible_hands(hand_size):
    assert refused(hand_size=hand_size) == (
        f"gem_duel: hand_size is a whole number from 1 to 6, not {hand_size!r}"
    )


@pytest.mark.parametrize(
    ("options", "most"),
    [({"open_cards": 6}, 5), ({"open_cards": -1}, 5), ({"hand_size": 3, "open_cards": 4}, 3),
     ({"num_players": 4, "open_cards": 5}, 4), ({"open_cards": "2"}, 5)],
    ids=repr,
)  # fmt: skip
def test_splits_that_do_not_add_up(options, most):
    assert refused(**options) == (
        f"gem_duel: open_cards is a whole number from 0 to {most} with hand_size={most} "
        f"(the rest of a hand is hidden), not {options['open_cards']!r}"
    )


@pytest.mark.parametrize("marks", [1, 0, "yes", None], ids=repr)
def test_impossible_switches(marks):
    assert refused(clue_marks_specials=marks) == (
        f"gem_duel: clue_marks_specials is true or false, not {marks!r}"
    )


def test_tables_that_do_not_fit():
    rows = ((9,), (9,), (9,), (9,))
    told = "gem_duel: powers has one row of counts for each of water, fire, plant, light, shadow, "
    for powers in (rows, (*rows, (1,), (1,)), "23332", 5, {"water": [1]}, np.array(3)):
        assert refused(powers=powers).startswith(told)
    assert refused(powers=(*rows, (1,) * 14)) == (
        "gem_duel: the row shadow of powers has the counts of powers 1 to at most 13, "
        f"not {[1] * 14}"
    ).replace(str([1] * 14), str((1,) * 14))
    assert refused(powers=(3, *rows)).startswith("gem_duel: the row water of powers has the counts")
    assert refused(powers=((9, -1), *rows)) == (
        "gem_duel: the number of cards water 2 in powers is a whole number from 0 to 15, not -1"
    )
    assert refused(powers=(*rows, (1, 2, 16))).startswith(
        "gem_duel: the number of cards shadow 3 in powers is a whole number from 0 to 15, not 16"
    )
    assert "light 2 in powers is a whole number from 0 to 15, not 1.5" in refused(
        powers=((9,), (9,), (9,), (9, 1.5), ())
    )
    assert refused(powers=((9,), (9,), (1,), (), ()), num_players=5) == (
        "gem_duel: powers needs at least 20 cards for 5 players with 4 cards each, and has 19"
    )
    assert refused(powers=[[]] * 5).endswith("for 2 players with 5 cards each, and has 0")
    assert GemDuel(powers=((9,), (9,), (2,), (), ()), num_players=5).start(1).player == 0


def test_unknown_options_and_variants():
    with pytest.raises(
        OptionError, match="gem_duel has no option 'players'; did you mean 'num_players'"
    ):
        GemDuel(players=3)
    with pytest.raises(OptionError, match="gem_duel has no variant 'six_players'"):
        GemDuel("six_players")
    assert gem_duel_v0.env(variant="four_players", target=3).game == GemDuel(
        num_players=4, target=3
    )


# Names.


def test_names_are_absolute():
    assert [FOUR.action_name(FOUR.num_actions - 1, seat) for seat in range(4)] == [
        "ask player_3 about slot 4",
        "ask player_0 about slot 4",
        "ask player_1 about slot 4",
        "ask player_2 about slot 4",
    ]
    assert FOUR.action("challenge player_0 by power", seat=2) == FOUR.action(
        "challenge player_2 by power", seat=0
    )


# For people.


def table() -> Any:
    """player_0 knows something about two open cards, and has challenged player_2."""
    state = deal(
        THREE,
        "water 1, fire 2, plant 3, light 4",
        "water 2, fire 3, plant 4, shadow 5",
        "water 3, fire 4, plant 5, light 1",
    )
    play(
        state,
        "ask player_1 about slot 3",
        "tell power",
        "ask player_0 about slot 4",
        "tell special",
    )
    return play(state, "ask player_1 about slot 4", "tell special", "challenge player_2 by element")


def test_the_table_in_words():
    state = play(table(), "tell power of slot 3", "play slot 3")
    assert str(state).splitlines() == [
        "Gem Duel - turn of player_0, first to 6 gems",
        "  player_0       ◇◇◇◇◇◇",
        "    slot 1  hidden  water 1",
        "    slot 2  hidden  fire 2",
        "    slot 3  open    plant 3   told power: water/fire/plant, power 3",
        "    slot 4  open    light 4   not pointed out: water/fire/plant/light/shadow, power 1/2/4/5",
        "  player_1       ◇◇◇◇◇◇",
        "    slot 1  hidden  water 2",
        "    slot 2  hidden  fire 3",
        "    slot 3  open    plant 4   not pointed out: water/fire/plant, power 1/2/3/4/5",
        "    slot 4  open    shadow 5  told special: light/shadow, power 1/2/3/4/5",
        "  player_2       ◇◇◇◇◇◇",
        "    slot 1  hidden  water 3",
        "    slot 2  hidden  fire 4",
        "    slot 3  open    plant 5   told power: water/fire/plant, power 5",
        "    slot 4  open    light 1   told special: light/shadow, power 1/2/3/4",
        "  deck 37, discard: -",
        "  player_0 against player_2 by element, round 1 for 1 gem",
        "  player_0 has chosen slot 3",
        "  player_2 to play a card",
    ]


def test_the_table_for_a_seat():
    state = play(table(), "tell power of slot 3", "play slot 3")
    lines = state.render(2).splitlines()
    assert "  player_2 (you) ◇◇◇◇◇◇" in lines
    assert "    slot 1  hidden  water 3" in lines
    assert "    slot 3  open    ?         told power: water/fire/plant, power 5" in lines
    assert lines[2] == "    slot 1  hidden  ?"
    assert "  player_0 has chosen a card" in lines
    assert "  player_0 (you) has chosen slot 3" in state.render(0)


def test_what_is_next_in_words():
    state = deal(TWO, "water 1, water 2, water 3, water 4, fire 1")
    assert str(state).startswith("Gem Duel - the deal, first to 7 gems")
    assert str(state).endswith("player_1 draws a card")
    assert str(state).count("  -\n") == 5, "empty slots"
    play(state, *["fire 2, fire 3, fire 4, fire 5, plant 1"][0].split(", "))
    assert str(state).endswith("player_0 to ask or to challenge")
    play(state, "ask player_1 about slot 4")
    assert str(state).endswith("player_0 asks about slot 4\n  player_1 to answer")
    play(state, "tell power", "challenge player_0 by power")
    assert str(state).endswith(
        "player_1 against player_0 by power, round 1 for 1 gem\n  player_1 to tell player_0 something"
    )
    play(state, "tell element of slot 4", "play slot 1", "play slot 2")
    assert "round 2 for 2 gems\n  player_1 to play a card" in str(state)
    play(state, "play slot 4", "play slot 5")
    assert "player_1       ◆◆◇◇◇◇◇" in str(state)
    assert "discard: water 2 | fire 1 2 5" in str(state)


def test_without_marked_specials_powers_are_said_to_hold_for_basic_cards():
    game = GemDuel(clue_marks_specials=False)
    state = deal(
        game,
        "water 1, fire 1, water 3, water 4, fire 2",
        *["fire 1, fire 3, fire 4, fire 5, plant 1"],
    )
    play(state, "ask player_1 about slot 4", "tell power")
    assert (
        "fire 2    not pointed out: water/fire/plant/light/shadow, power 1/2/3/5 if basic"
        in str(state)
    )


def test_pictures_show_a_seat_only_what_it_sees():
    state = play(table(), "tell power of slot 3", "play slot 3")
    for seat in range(3):
        pictures = {THREE.picture(state.resample(seat, n).record, seat).tobytes() for n in range(4)}
        assert len(pictures) == 1
    every = [THREE.picture(state.record, seat).tobytes() for seat in (None, 0, 1, 2)]
    assert len(set(every)) == 4
