"""The basic game of Dragon's Path rule by rule, in named cards."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from duelgym.envs.core import OptionError
from duelgym.envs.dragons_path import DragonsPath, rules
from support.dragons_path import (
    ADVANCED,
    BASIC,
    counts,
    hand,
    known,
    legal,
    moved,
    play,
    question,
    sees,
    table,
    turn,
    words,
)

EVERY_CARD = "fire water earth wind thunder"


# The start.


def test_each_player_draws_five_cards_from_a_deck_of_five_of_each_element():
    state = BASIC.start(0, explicit_chance=True)
    assert words(state.record.deck[0]) == words(state.record.deck[1]) == words([5] * 5)
    assert dict(state.chance_outcomes()) == dict.fromkeys(range(5), 0.2)
    play(state, "fire", "fire", "fire", "wind", "thunder")
    play(state, "water", "earth", "earth", "earth", "earth")
    assert hand(state, 0) == "fire fire fire wind thunder"
    assert hand(state, 1) == "water earth earth earth earth"
    assert (state.player, turn(state)) == (0, (0, 1))


def test_a_draw_is_as_likely_as_the_deck_holds_such_cards():
    state = table(rival_deck="fire fire fire water")
    play(state, "pass")
    assert {state.outcome_name(n): p for n, p in state.chance_outcomes()} == {
        "fire": 0.75,
        "water": 0.25,
    }


def test_the_first_player_does_not_draw_in_the_first_turn_and_everybody_does_later():
    state = table(hand="fire")
    assert not state.is_chance
    before = state.clone()
    play(state, "pass", "water")
    assert moved(before, state) == {"hand 1": "+water", "deck 1": "-water"}
    assert (state.player, turn(state)) == (1, (1, 2))
    play(state, "pass", "wind")
    assert (state.player, turn(state)) == (0, (0, 3))


# The main phase.


def test_every_effect_that_is_no_reaction_can_be_declared_for_a_card_in_hand():
    state = table(hand=EVERY_CARD)
    assert legal(state) == [
        "fire A: remove",
        "fire B: search",
        "water A: draw and discard",
        "water B: exchange",
        "earth A: play another",
        "earth B: return",
        "wind A: make discard",
        "thunder A: draw",
        "pass",
    ]
    assert legal(table(hand="wind")) == ["wind A: make discard", "pass"]


def test_a_pass_moves_nothing_and_asks_for_no_response():
    state = table(hand=EVERY_CARD, rival_hand="wind")
    after = play(state.clone(), "pass")
    assert moved(state, after) == {}
    assert after.is_chance


def test_the_card_enters_the_path_at_once_and_targets_are_chosen_after_the_response():
    state = table(hand="fire", rival_hand="water", rival_path="earth wind")
    after = play(state.clone(), "fire A: remove")
    assert moved(state, after) == {"hand 0": "-fire", "path 0": "+fire"}
    assert (after.player, question(after), legal(after)) == (1, "respond", ["refuse"])
    play(after, "refuse")
    assert (after.player, question(after), legal(after)) == (0, "remove", ["earth", "wind"])


# Responses.


@pytest.mark.parametrize(
    ("held", "answers"),
    [
        ("fire", ["refuse"]),
        ("wind", ["respond with wind", "refuse"]),
        ("thunder", ["respond with thunder", "refuse"]),
        ("wind thunder", ["respond with wind", "respond with thunder", "refuse"]),
    ],
)
def test_the_opponent_is_asked_whatever_the_hand(held, answers):
    state = play(table(hand="fire", rival_hand=held), "fire A: remove")
    assert (state.player, legal(state)) == (1, answers)


def test_an_opponent_without_cards_is_not_asked():
    assert play(table(hand="fire"), "fire A: remove").is_chance


def test_a_pending_response_tells_nothing_about_the_hand():
    views = set()
    for held in ("fire water", "wind thunder", "thunder thunder", "wind wind"):
        state = play(table(hand="earth", rival_hand=held), "earth B: return")
        views.add((state.player, state.observation(0).tobytes(), state.render(0)))
    assert len(views) == 1


def test_wind_cancels_the_effect_and_the_card_stays():
    state = table(hand="fire", rival_hand="wind", rival_path="earth")
    after = play(state.clone(), "fire A: remove", "respond with wind")
    assert moved(state, after) == {
        "hand 0": "-fire",
        "path 0": "+fire",
        "hand 1": "-wind",
        "discard 1": "+wind",
    }
    assert after.is_chance
    assert turn(after) == (1, 2)


def test_thunder_returns_the_card_and_its_effect_still_resolves():
    state = table(hand="fire", rival_hand="thunder", rival_path="earth")
    after = play(state.clone(), "fire A: remove", "respond with thunder")
    assert moved(state, after) == {"hand 1": "-thunder", "discard 1": "+thunder"}
    assert known(after, 0) == "fire"
    assert sees(after, 0)["returned"] == sees(after, 1)["returned"] == ["yes"]
    assert play(after, "earth").is_chance
    assert moved(state, after) == {
        "hand 1": "-thunder",
        "discard 1": "+earth +thunder",
        "path 1": "-earth",
    }
    assert turn(after) == (1, 2)


def test_there_is_one_response_and_no_response_to_it():
    state = table(hand="fire wind thunder", rival_hand="wind thunder", rival_path="earth")
    play(state, "fire A: remove", "respond with thunder")
    assert (state.player, question(state)) == (0, "remove")


# Fire.


def test_fire_a_removes_a_card_of_the_opponents_path():
    state = table(hand="fire", path="earth", rival_path="water water wind")
    after = play(state.clone(), "fire A: remove")
    assert legal(after) == ["water", "wind"]
    play(after, "water")
    assert moved(state, after) == {
        "hand 0": "-fire",
        "path 0": "+fire",
        "path 1": "-water",
        "discard 1": "+water",
    }


def test_fire_a_without_a_target_does_nothing():
    state = table(hand="fire", path="earth")
    after = play(state.clone(), "fire A: remove")
    assert moved(state, after) == {"hand 0": "-fire", "path 0": "+fire"}
    assert turn(after) == (1, 2)


def test_fire_b_searches_the_own_deck_and_does_not_show_the_card():
    state = table(hand="fire", rival_hand="water", deck="wind thunder thunder")
    after = play(state.clone(), "fire B: search", "refuse")
    assert (after.player, legal(after)) == (0, ["wind", "thunder"])
    views = set()
    for card in ("wind", "thunder"):
        found = play(after.clone(), card)
        assert moved(state, found) == {
            "hand 0": f"+{card} -fire",
            "path 0": "+fire",
            "deck 0": f"-{card}",
        }
        assert known(found, 0) == ""
        views.add((found.observation(1).tobytes(), found.information_state(1), found.render(1)))
    assert len(views) == 1


def test_fire_b_with_an_empty_deck_does_nothing_and_costs_nothing():
    state = table(hand="fire", deck="")
    after = play(state.clone(), "fire B: search")
    assert moved(state, after) == {"hand 0": "-fire", "path 0": "+fire"}
    assert turn(after) == (1, 2)


# Water.


@pytest.mark.parametrize("chosen", [0, 1])
def test_water_a_lets_a_player_draw_three_then_discard_three(chosen):
    state = table(hand="water fire", rival_hand="earth")
    after = play(state.clone(), "water A: draw and discard", "refuse")
    assert legal(after) == ["active player", "other player"]
    play(after, ["active player", "other player"][chosen], "wind", "wind", "thunder")
    own = ["fire", "earth"][chosen]
    assert (after.player, question(after)) == (chosen, "discard")
    assert sees(after, chosen)["choices"] == 3
    assert legal(after) == words(counts(f"{own} wind thunder")).split()
    play(after, own, "wind")
    assert (after.player, sees(after, chosen)["choices"]) == (chosen, 1)
    play(after, "thunder")
    hands = (
        {"hand 0": "-water", "hand 1": "+wind -earth"}
        if chosen
        else {"hand 0": "+wind -fire -water"}
    )
    assert moved(state, after) == {
        **hands,
        "path 0": "+water",
        f"deck {chosen}": "-wind -wind -thunder",
        f"discard {chosen}": f"+{own} +wind +thunder",
    }
    assert turn(after) == (1, 2)


def test_water_b_exchanges_a_path_card_for_one_of_the_same_players_discard_pile():
    state = table(hand="water", rival_path="fire earth", rival_discard="wind thunder")
    after = play(state.clone(), "water B: exchange")
    assert legal(after) == ["active player", "other player"]
    play(after, "other player")
    assert (after.player, question(after), legal(after)) == (0, "exchange", ["fire", "earth"])
    play(after, "earth")
    assert (question(after), legal(after)) == ("exchange for", ["wind", "thunder"])
    assert sees(after, 0)["chosen_card"] == sees(after, 1)["chosen_card"] == ["earth"]
    assert sees(after, 0)["exchanging"] == ["rival"]
    assert sees(after, 1)["exchanging"] == ["observer"]
    play(after, "wind")
    assert moved(state, after) == {
        "hand 0": "-water",
        "path 0": "+water",
        "path 1": "+wind -earth",
        "discard 1": "+earth -wind",
    }


def test_water_b_on_oneself_can_take_the_water_itself():
    state = table(hand="water", discard="fire")
    after = play(state.clone(), "water B: exchange", "active player", "water", "fire")
    assert moved(state, after) == {
        "hand 0": "-water",
        "path 0": "+fire",
        "discard 0": "+water -fire",
    }


@pytest.mark.parametrize("lacking", ["path", "discard"])
def test_water_b_may_choose_a_player_on_whom_nothing_can_happen(lacking):
    there: dict[str, Any] = (
        {"rival_path": "fire"} if lacking == "discard" else {"rival_discard": "fire"}
    )
    state = table(hand="water", **there)
    after = play(state.clone(), "water B: exchange", "other player")
    assert moved(state, after) == {"hand 0": "-water", "path 0": "+water"}
    assert turn(after) == (1, 2)


# Earth.


def test_earth_a_plays_another_card_without_effect_and_without_response():
    state = table(hand="earth fire", rival_hand="wind wind", rival_path="water")
    after = play(state.clone(), "earth A: play another", "refuse")
    assert legal(after) == ["fire"], "it has to be played"
    play(after, "fire")
    assert moved(state, after) == {"hand 0": "-fire -earth", "path 0": "+fire +earth"}
    assert turn(after) == (1, 2)


def test_earth_a_with_no_other_card_does_nothing():
    state = table(hand="earth")
    after = play(state.clone(), "earth A: play another")
    assert moved(state, after) == {"hand 0": "-earth", "path 0": "+earth"}
    assert turn(after) == (1, 2)


@pytest.mark.parametrize(
    ("held", "replay", "answers"),
    [
        ("earth fire", False, ["fire"]),
        ("earth fire", True, ["fire", "earth"]),
        ("earth earth", False, ["earth"]),
        ("earth", False, []),
        ("earth", True, ["earth"]),
    ],
)
def test_an_earth_that_thunder_returned_is_not_another_card(held, replay, answers):
    state = table(
        DragonsPath(replay_returned_earth=replay), hand=held, rival_hand="thunder thunder"
    )
    play(state, "earth A: play another", "respond with thunder")
    assert hand(state, 0) == words(counts(held))
    if not answers:
        assert turn(state) == (1, 2)
        return
    assert (question(state), legal(state)) == ("play another", answers)


def test_after_playing_the_other_earth_the_returned_one_is_still_known():
    state = table(hand="earth earth fire", rival_hand="thunder")
    play(state, "earth A: play another", "respond with thunder", "earth")
    assert known(state, 0) == "earth"


def test_earth_b_returns_a_card_from_the_own_discard_pile_for_all_to_see():
    state = table(hand="earth", rival_hand="fire", discard="wind thunder", rival_discard="water")
    after = play(state.clone(), "earth B: return", "refuse")
    assert (question(after), legal(after)) == ("return", ["wind", "thunder"])
    play(after, "wind")
    assert moved(state, after) == {
        "hand 0": "+wind -earth",
        "path 0": "+earth",
        "discard 0": "-wind",
    }
    assert known(after, 0) == "wind"


def test_earth_b_with_an_empty_discard_pile_does_nothing():
    state = table(hand="earth", rival_discard="water")
    after = play(state.clone(), "earth B: return")
    assert moved(state, after) == {"hand 0": "-earth", "path 0": "+earth"}


# Wind and Thunder.


def test_wind_a_lets_the_opponent_choose_what_to_discard():
    state = table(hand="wind fire", rival_hand="water thunder")
    after = play(state.clone(), "wind A: make discard", "refuse")
    assert (after.player, question(after), legal(after)) == (1, "discard", ["water", "thunder"])
    play(after, "thunder")
    assert moved(state, after) == {
        "hand 0": "-wind",
        "path 0": "+wind",
        "hand 1": "-thunder",
        "discard 1": "+thunder",
    }


def test_wind_a_against_an_empty_hand_does_nothing():
    state = table(hand="wind fire")
    after = play(state.clone(), "wind A: make discard")
    assert moved(state, after) == {"hand 0": "-wind", "path 0": "+wind"}


def test_wind_a_when_the_last_card_was_spent_on_the_response():
    state = table(hand="wind fire", rival_hand="thunder")
    after = play(state.clone(), "wind A: make discard", "respond with thunder")
    assert moved(state, after) == {"hand 1": "-thunder", "discard 1": "+thunder"}
    assert turn(after) == (1, 2)


@pytest.mark.parametrize("chosen", [0, 1])
def test_thunder_a_lets_a_player_draw_one(chosen):
    state = table(hand="thunder fire", rival_hand="earth")
    after = play(state.clone(), "thunder A: draw", "refuse")
    play(after, ["active player", "other player"][chosen], "wind")
    expected = {"hand 0": "-thunder", "path 0": "+thunder", f"deck {chosen}": "-wind"}
    expected[f"hand {chosen}"] = "+wind -thunder" if chosen == 0 else "+wind"
    assert moved(state, after) == expected
    assert known(after, chosen) == ""


# Victory.


@pytest.mark.parametrize(
    ("path", "card", "ending"),
    [
        ("fire fire fire", "fire A: remove", rules.FOUR_ALIKE),
        ("thunder thunder thunder fire", "thunder A: draw", rules.FOUR_ALIKE),
        ("fire water earth wind", "thunder A: draw", rules.FIVE_DIFFERENT),
        ("fire fire water wind thunder", "earth B: return", rules.FIVE_DIFFERENT),
    ],
)
def test_four_alike_or_five_different_win_at_the_end_of_the_own_turn(path, card, ending):
    played = card.split()[0]
    state = table(hand=played, path=path)
    play(state, card)
    if played == "thunder":
        assert not state.is_over, "the effect comes first"
        play(state, "other player", "fire")
    assert state.returns() == [1, -1]
    assert state.record.match_ending[0] == ending


@pytest.mark.parametrize(
    "path", ["fire fire fire water earth wind", "fire fire water water earth wind"]
)
def test_three_alike_and_four_different_do_not_win(path):
    state = play(table(path=path), "pass")
    assert turn(state) == (1, 2)


def test_a_pass_can_win_with_what_lies_there():
    assert play(table(path="earth earth earth earth"), "pass").returns() == [1, -1]


def test_a_path_completed_in_the_opponents_turn_counts_only_at_the_end_of_the_own():
    state = table(hand="water", rival_path="fire fire fire wind", rival_discard="fire")
    play(state, "water B: exchange", "other player", "wind", "fire")
    assert not state.is_over
    assert words(state.record.path[1, 1]) == "fire fire fire fire"
    play(state, "earth")
    assert play(state, "pass").returns() == [-1, 1]


def test_a_path_completed_in_the_opponents_turn_may_not_stand_until_the_end_of_the_own():
    state = table(hand="fire", path="earth earth earth", rival_path="earth earth earth earth")
    play(state, "fire A: remove", "earth")
    assert not state.is_over
    play(state, "water", "pass")
    assert not state.is_over


def test_cancelled_and_returned_cards_and_victory():
    """Wind leaves the card in the path, Thunder takes it away."""
    state = table(hand="fire", path="fire fire fire", rival_hand="wind thunder")
    assert play(state.clone(), "fire B: search", "respond with wind").returns() == [1, -1]
    play(state, "fire B: search", "respond with thunder", "water")
    assert not state.is_over


# Decks that run out.


def test_who_cannot_draw_at_the_start_of_the_turn_loses():
    state = play(table(rival_deck=""), "pass")
    assert state.returns() == [1, -1]
    assert state.record.match_ending[0] == rules.DECK_OUT


@pytest.mark.parametrize(
    ("chosen", "returns"), [("active player", [-1, 1]), ("other player", [1, -1])]
)
@pytest.mark.parametrize("card", ["thunder A: draw", "water A: draw and discard"])
def test_who_cannot_draw_in_the_middle_of_a_turn_loses_at_once(card, chosen, returns):
    few = "fire" if card.startswith("water") else ""
    state = table(hand=card.split()[0], deck=few, rival_deck=few)
    play(state, card, chosen, *few.split())
    assert state.returns() == returns


def test_a_failed_draw_ends_the_match_before_a_path_can_win():
    state = table(hand="thunder", path="fire water earth wind", deck="")
    assert play(state, "thunder A: draw", "active player").returns() == [-1, 1]


def test_the_last_card_can_be_drawn():
    state = play(table(rival_deck="fire"), "pass", "fire", "pass", "water")
    assert (state.is_over, turn(state)) == (False, (0, 3))
    assert play(state, "pass").returns() == [1, -1]


# What both know.


def test_known_cards_of_a_hand_are_a_lower_bound_that_playing_lowers():
    state = table(hand="earth earth", rival_hand="fire", discard="wind")
    play(state, "earth B: return", "refuse", "wind")
    play(state, "water", "pass", "wind")
    assert known(state, 0) == "wind", "the second wind was drawn unseen"
    play(state, "wind A: make discard", "refuse")
    assert known(state, 0) == "", "the one that was played may have been the known one"


def test_what_the_observation_says():
    state = table(
        hand="fire fire earth",
        path="water",
        discard="wind",
        rival_hand="thunder",
        rival_path="earth earth",
        rival_discard="fire",
        deck="fire water",
    )
    play(state, "fire B: search")
    own = sees(state, 0)
    assert own == {
        "own_hand": {"fire": 1, "earth": 1},
        "own_hand_known": {},
        "own_deck": {"fire": 1, "water": 1},
        "own_discard": {"fire": 2, "water": 3, "earth": 4, "wind": 5, "thunder": 5},
        "rival_hand_known": {},
        "rival_discard": {"fire": 1},
        "rival_unseen": {"fire": 4, "water": 5, "earth": 3, "wind": 5, "thunder": 5},
        "own_path": {"fire": 1, "water": 1},
        "rival_path": {"earth": 2},
        "own_hand_size": 2,
        "own_deck_size": 2,
        "own_alike": 1,
        "own_different": 2,
        "rival_hand_size": 1,
        "rival_deck_size": 21,
        "rival_alike": 2,
        "rival_different": 1,
        "own_first": ["yes"],
        "own_turn": ["yes"],
        "decides": ["rival"],
        "question": ["respond"],
        "choices": 1,
        "effect": ["fire B: search"],
        "returned": [],
        "exchanging": [],
        "chosen_card": [],
    }
    rival = sees(state, 1)
    assert rival["own_hand"] == {"thunder": 1}
    assert rival["rival_unseen"] == {"fire": 2, "water": 1, "earth": 1}
    assert (rival["own_first"], rival["own_turn"], rival["decides"]) == ([], [], ["observer"])
    assert rival["effect"] == own["effect"]


# Whole games.


@pytest.mark.parametrize(
    "options", [{}, {"copies": 4, "hand": 3}, {"fire_search_to": "deck_top"}], ids=str
)
@pytest.mark.parametrize("advanced", [False, True])
def test_every_random_game_keeps_its_cards_and_ends_in_time(advanced, options):
    """Per owner and element: hand, deck, discard, both paths, and a card revealed."""
    game = DragonsPath(advanced=advanced, **options)
    moves = np.random.default_rng(1)
    limit = 2 * (5 * game.options.copies - game.options.hand) + 2
    endings: Counter[int] = Counter()
    for seed in range(25):
        state = game.start(seed, explicit_chance=True)
        maelstrom = 0
        while not state.is_over:
            record = state.record
            for owner in range(2):
                cards = record.hand[owner].astype(int) + record.deck[owner] + record.discard[owner]
                cards += record.path[0, owner] + record.path[1, owner]
                if record.revealed != rules.NO_CARD and owner == record.turn:
                    cards[record.revealed] += 1
                assert (cards == game.options.copies).all()
                assert (record.known_in_hand[owner] <= record.hand[owner]).all()
            if state.is_chance:
                state.apply(state.sample_chance())
                continue
            action = moves.choice(state.legal_actions())
            maelstrom |= state.action_name(action) == "cast Primordial Maelstrom"
            state.apply(action)
            assert record.turn_number <= limit + 2 * maelstrom
        endings.update(state.record.match_ending[: state.record.match + 1].tolist())
        assert sorted(state.returns()) == [-1, 1]
    assert game.max_turns == limit + 2 * advanced
    assert set(endings) == {rules.FOUR_ALIKE, rules.FIVE_DIFFERENT, rules.DECK_OUT}


def test_who_only_passes_runs_out_of_cards_in_the_last_possible_turn():
    state = BASIC.start(0)
    while not state.is_over:
        state.apply("pass")
    assert state.record.turn_number == BASIC.max_turns == 42
    assert state.returns() == [1, -1], "the second player is the first who cannot draw"


def test_the_fastest_victory_takes_seven_decisions():
    state = BASIC.start(0, explicit_chance=True)
    play(state, "earth", "earth", "earth", "fire", "fire", *["wind"] * 5)
    play(state, "earth A: play another", "refuse", "earth", "fire", "pass", "earth")
    play(state, "earth A: play another", "refuse", "earth")
    assert state.returns() == [1, -1]
    assert BASIC.facts.min_decisions == 7


# Options.


def test_a_search_to_the_top_of_the_deck():
    game = DragonsPath(fire_search_to="deck_top")
    state = table(game, hand="fire", rival_hand="water", deck="wind thunder thunder")
    after = play(state.clone(), "fire B: search", "refuse", "wind")
    assert moved(state, after) == {"hand 0": "-fire", "path 0": "+fire"}
    assert sees(after, 0)["own_top"] == ["wind"]
    assert sees(after, 0)["own_top_known"] == sees(after, 1)["rival_top"] == []
    assert sees(after, 1)["rival_top_searched"] == ["yes"]
    play(after, "fire", "pass")
    assert legal(after) == ["wind"], "it is drawn next"
    play(after, "wind")
    assert (hand(after, 0), known(after, 0)) == ("wind", "")
    assert sees(after, 0)["own_top"] == sees(after, 1)["rival_top_searched"] == []


@pytest.mark.parametrize("copies", [1, 2, 5])
def test_smaller_decks(copies):
    state = DragonsPath(copies=copies, hand=2).start(0, explicit_chance=True)
    assert words(state.record.deck[1]) == words([copies] * 5)
    play(state, "fire", "water", "earth", "wind")
    assert (hand(state, 0), hand(state, 1)) == ("fire water", "earth wind")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"copies": 0}, "copies is a whole number from 1 to 5, not 0"),
        ({"copies": 6}, "copies is a whole number from 1 to 5, not 6"),
        ({"copies": 2.0}, "copies is a whole number from 1 to 5, not 2.0"),
        ({"hand": 0}, "hand is a whole number from 1 to 25 with copies=5, not 0"),
        ({"hand": 6, "copies": 1}, "hand is a whole number from 1 to 5 with copies=1, not 6"),
        ({"hand": True}, "hand is a whole number from 1 to 25 with copies=5, not True"),
        ({"advanced": 1}, "advanced is True or False, not 1"),
        ({"replay_returned_earth": "no"}, "replay_returned_earth is True or False, not 'no'"),
        ({"fire_search_to": "top"}, "fire_search_to is 'hand' or 'deck_top', not 'top'"),
        ({"next_first": ["loser"]}, "next_first is 'loser' or 'alternate', not ['loser']"),
    ],
    ids=str,
)
def test_impossible_options(options, message):
    with pytest.raises(OptionError) as caught:
        DragonsPath(**options)
    assert str(caught.value) == f"dragons_path: {message}"


def test_variants():
    assert DragonsPath() == DragonsPath("basic") == DragonsPath(advanced=False)
    assert ADVANCED == DragonsPath(advanced=True) == DragonsPath("basic", advanced=True)
    assert repr(ADVANCED) == "dragons_path_v0(advanced=True)"
    assert DragonsPath(copies=np.int8(3)) == DragonsPath(copies=3)


def test_the_basic_game_is_the_beginning_of_the_advanced_one():
    """So that what reads the observation or names actions can do both."""
    basic, advanced = (
        [(section.name, tuple(section.labels)) for section in game.sections]
        for game in (BASIC, ADVANCED)
    )
    assert advanced[: len(basic)] == basic
    assert [BASIC.action_name(n) for n in range(BASIC.num_actions)] == [
        ADVANCED.action_name(n) for n in range(BASIC.num_actions)
    ]


# For people.


def test_the_table_in_words():
    state = table(
        hand="fire earth", rival_hand="wind", path="water", rival_discard="fire", deck="wind"
    )
    play(state, "earth A: play another")
    assert str(state).splitlines()[:2] == ["Dragon's Path - turn 1, of player_0", "  player_0"]
    assert state.render(1).splitlines() == [
        "Dragon's Path - turn 1, of player_0",
        "  player_0",
        "    path     water 1, earth 1",
        "    hand     1 card, known of them: -",
        "    deck     1 card",
        "    discard  fire 4, water 4, earth 4, wind 4, thunder 5",
        "  player_1 (you)",
        "    path     -",
        "    hand     wind 1",
        "    deck     23 cards; fire 4, water 5, earth 5, wind 4, thunder 5",
        "    discard  fire 1",
        "  effect: earth A: play another",
        "  player_1 (you) decides: respond",
    ]
    play(state, "respond with wind", "fire")
    assert str(state).endswith("player_1 decides: play or pass")
