"""The rules of Gem Duel one by one, in named cards."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from duelgym.envs.core import State
from duelgym.envs.gem_duel import GemDuel
from support.gem_duel import EVERY, EVERY_ID, FIVE, FOUR, THREE, TWO, deal, legal, play, sees

ELEMENTS = ("water", "fire", "plant", "light", "shadow")
UNMARKED = GemDuel(clue_marks_specials=False)


def two(hand_0: str, hand_1: str, game: GemDuel = TWO) -> State:
    """A game of two in which the hands begin with these cards and are filled up with others.

    The first three of five cards are hidden.
    """
    size = game.options.hand_size
    rest = ["water 3", "fire 3", "plant 3", "water 4", "fire 4", "plant 4", "water 2", "fire 2"]
    hands = [hand_0.split(", "), hand_1.split(", ")]
    for hand in hands:
        while len(hand) < size:
            hand.append(rest.pop())
    return deal(game, *(", ".join(hand) for hand in hands))


def told(state: State, holder: int, slot: int) -> list[str]:
    """What a holder knows about an open card."""
    words = sees(state, holder)[f"own_slot_{slot}"]
    assert words[0] == "open"
    return words[1:]


def gems(state: State) -> list[int]:
    return state.record.gems.tolist()[: state.game.num_players]


def slots(state: State, seat: int) -> list[str]:
    """Where the cards of a seat lie."""
    seen = sees(state, seat)
    places = []
    for slot in range(1, state.game.options.hand_size + 1):
        places += [
            word for word in seen[f"own_slot_{slot}"] if word in ("hidden", "open", "played")
        ]
    return places


def duel(kind: str, first: str, second: str, game: GemDuel = TWO) -> State:
    """player_0 challenges with its first card, and player_1 answers with its first one."""
    state = two(first, second, game)
    play(state, f"challenge player_1 by {kind}")
    play(state, next(name for name in legal(state) if name.startswith("tell")))
    return play(state, "play slot 1", "play slot 1")


# Cards and hands.


def test_the_deck_is_49_cards():
    """13 of each basic element, 5 light and 5 shadow."""
    start = TWO.start(0, explicit_chance=True)
    counts = Counter({TWO.chance_name(n): round(49 * p) for n, p in start.chance_outcomes()})
    by_element: Counter[str] = Counter()
    for card, count in counts.items():
        by_element[card.split()[0]] += count
    assert by_element == {"water": 13, "fire": 13, "plant": 13, "light": 5, "shadow": 5}
    for element in ELEMENTS[:3]:
        copies = [counts[f"{element} {power}"] for power in range(1, 6)]
        assert copies == [2, 3, 3, 3, 2]
    assert all(counts[f"{element} {n}"] == 1 for element in ELEMENTS[3:] for n in range(1, 6))


@pytest.mark.parametrize(
    ("game", "places"),
    [
        (TWO, ["hidden"] * 3 + ["open"] * 2),
        (THREE, ["hidden"] * 2 + ["open"] * 2),
        (FOUR, ["hidden"] * 2 + ["open"] * 2),
        (FIVE, ["hidden"] * 2 + ["open"] * 2),
        (GemDuel(hand_size=3, open_cards=3), ["open"] * 3),
        (GemDuel(num_players=3, hand_size=6, open_cards=0), ["hidden"] * 6),
        (GemDuel(hand_size=1), ["open"]),
    ],
    ids=["two", "three", "four", "five", "all open", "all hidden", "one card"],
)
def test_hands_at_the_start(game, places):
    state = game.start(1)
    assert all(slots(state, seat) == places for seat in range(game.num_players))
    assert state.player == 0, "seat 0 begins"


def test_hidden_cards_are_seen_by_their_holder_and_open_ones_by_the_others():
    state = deal(
        THREE,
        "water 1, fire 2, plant 3, light 4",
        "water 2, fire 3, plant 4, shadow 5",
        "water 3, fire 4, plant 5, light 1",
    )
    anything = [*ELEMENTS, *(f"power {n}" for n in range(1, 6))]
    seen = sees(state, 1)
    assert seen["own_slot_1"] == ["hidden", "water", "power 2"]
    assert seen["own_slot_4"] == ["open", *anything]
    # Rival 1 sits next clockwise: player_2; rival 2 is player_0.
    assert seen["rival_1_slot_1"] == seen["rival_2_slot_2"] == ["hidden"]
    nothing_told = [f"maybe {word}" for word in anything]
    assert seen["rival_1_slot_4"] == ["open", "light", "power 1", *nothing_told]
    assert seen["rival_2_slot_4"] == ["open", "light", "power 4", *nothing_told]
    # Two open cards of its own, two hidden ones of each rival, and the deck.
    assert sum(seen["unseen"].values()) == 2 + 2 * 2 + seen["deck"] == 6 + 37
    assert "water 2" in seen["unseen"]
    assert "light 4" not in seen["unseen"]
    assert seen["unseen"]["shadow 5"] == 1


# Asking.


def test_the_asked_player_chooses_element_or_power_of_a_basic_card():
    state = two("fire 1, fire 1, plant 1, water 5, plant 2", "water 1")
    play(state, "ask player_1 about slot 4")
    assert state.player == 1
    assert sees(state, 0)["asked"] == sees(state, 1)["asked"] == ["slot 4"]
    assert legal(state) == ["tell element", "tell power"]
    by_element, by_power = play(state.clone(), "tell element"), play(state.clone(), "tell power")
    assert told(by_element, 0, 4) == ["water", *(f"power {n}" for n in range(1, 6)), "told element"]
    assert told(by_power, 0, 4) == ["water", "fire", "plant", "power 5", "told power"]
    assert by_element.player == by_power.player == 1, "the turn passes"


@pytest.mark.parametrize("card", ["light 2", "shadow 5"])
def test_of_light_and_shadow_only_that_they_are_special_is_told(card):
    state = two(f"fire 1, fire 1, plant 1, {card}, plant 2", "water 1")
    play(state, "ask player_1 about slot 4")
    assert (state.player, legal(state)) == (1, ["tell special"]), "asked all the same"
    play(state, "tell special")
    powers = [f"power {n}" for n in range(1, 6)]
    assert told(state, 0, 4) == ["light", "shadow", *powers, "told special"]
    assert told(state, 0, 5) == ["water", "fire", "plant", *powers]


def test_what_has_been_told_is_not_told_again():
    state = two("fire 1, fire 1, plant 1, water 5, plant 2", "water 1")
    play(state, "ask player_1 about slot 4", "tell power")
    play(state, "ask player_0 about slot 4", legal_first(state, "ask player_0 about slot 4"))
    play(state, "ask player_1 about slot 4")
    assert (state.player, legal(state)) == (1, ["tell element"]), "asked all the same"
    play(state, "tell element")
    assert told(state, 0, 4) == ["water", "power 5", "told element", "told power"]


def legal_first(state: State, move: str) -> str:
    """The first thing that may happen after a move."""
    return legal(play(state.clone(), move))[0]


def test_other_open_cards_of_the_element_are_pointed_out_and_the_rest_is_not():
    game = GemDuel(hand_size=4, open_cards=3)
    state = two("water 1, water 2, plant 2, water 4", "fire 1", game)
    play(state, "ask player_1 about slot 2", "tell element")
    powers = [f"power {n}" for n in range(1, 6)]
    assert told(state, 0, 4) == ["water", *powers, "told element"]
    assert told(state, 0, 3) == ["fire", "plant", "light", "shadow", *powers]
    # The others hear what the holder hears.
    assert sees(state, 1)["rival_1_slot_4"][3:] == [
        "told element",
        "maybe water",
        *(f"maybe {word}" for word in powers),
    ]
    # Hidden cards are not pointed out.
    assert sees(state, 0)["own_slot_1"] == ["hidden", "water", "power 1"]


def test_a_clue_about_power_points_out_light_and_shadow_too():
    """The card that was asked about is basic, though: of a special one "special" would have been told."""
    game = GemDuel(hand_size=4, open_cards=3)
    state = two("water 1, plant 2, light 2, shadow 3", "fire 1", game)
    play(state, "ask player_1 about slot 2", "tell power")
    assert told(state, 0, 2) == ["water", "fire", "plant", "power 2", "told power"]
    assert told(state, 0, 3) == [*ELEMENTS, "power 2", "told power"]
    assert told(state, 0, 4) == [*ELEMENTS, "power 1", "power 3", "power 4", "power 5"]


def test_with_the_option_it_leaves_them_out():
    """A card that is not pointed out is then special, or of another power."""
    game = GemDuel(hand_size=4, open_cards=3, clue_marks_specials=False)
    state = two("water 1, plant 2, light 2, fire 2", "fire 1", game)
    play(state, "ask player_1 about slot 2", "tell power")
    assert told(state, 0, 4) == ["water", "fire", "plant", "power 2", "told power"]
    assert told(state, 0, 3) == [*ELEMENTS, "power 1", "power 3", "power 4", "power 5"]
    drawn = {sees(state.resample(0, seed), 1)["rival_1_slot_3"][1] + " "
             + sees(state.resample(0, seed), 1)["rival_1_slot_3"][2].split()[1]
             for seed in range(600)}  # fmt: skip
    assert {"light 2", "shadow 2"} <= drawn
    assert not {"water 2", "fire 2", "plant 2"} & drawn
    play(state, "ask player_0 about slot 4", legal_first(state, "ask player_0 about slot 4"))
    play(state, "ask player_1 about slot 3", "tell special")
    every_power = [f"power {n}" for n in range(1, 6)]
    assert told(state, 0, 3) == ["light", "shadow", *every_power, "told special"]


def test_special_points_out_all_light_and_shadow_cards():
    game = GemDuel(hand_size=4, open_cards=3)
    state = two("water 1, light 2, shadow 4, fire 2", "fire 1", game)
    play(state, "ask player_1 about slot 3", "tell special")
    powers = [f"power {n}" for n in range(1, 6)]
    assert told(state, 0, 2) == told(state, 0, 3) == ["light", "shadow", *powers, "told special"]
    assert told(state, 0, 4) == ["water", "fire", "plant", *powers]


def test_only_cards_about_which_something_is_left_to_tell_can_be_asked_about():
    game = GemDuel(hand_size=3, open_cards=2)
    state = two("water 1, light 2, fire 3", "fire 1, plant 2, plant 3", game)
    assert asked(state) == {2, 3}, "the hidden card is known"
    play(state, "ask player_1 about slot 2", "tell special")
    play(state, "ask player_0 about slot 2", "tell element")
    assert asked(state) == {3}, "light and shadow are complete with that"
    play(state, "ask player_1 about slot 3", "tell element")
    assert asked(state) == {2, 3}, "the power of player_1's plants is left"
    play(state, "ask player_0 about slot 3", "tell power")
    assert asked(state) == {3}
    play(
        state, "ask player_1 about slot 3", "tell power", "ask player_0 about slot 2", "tell power"
    )
    assert state.player == 0
    assert legal(state) == ["challenge player_1 by element", "challenge player_1 by power"]


def asked(state: State) -> set[int]:
    """The slots that the player to move may ask about."""
    return {int(name[-1]) for name in legal(state) if name.startswith("ask")}


def test_what_follows_only_by_deduction_may_still_be_told():
    """Not water, fire or special: so it is plant, but nobody has said so."""
    game = GemDuel(hand_size=4, open_cards=4)
    state = two("water 1, fire 2, light 3, plant 4", "plant 1, fire 3, plant 2, water 2", game)
    for slot, what in ((1, "element"), (2, "element"), (3, "special")):
        play(state, f"ask player_1 about slot {slot}", f"tell {what}")
        play(state, "challenge player_0 by power")
        state = one_sided(state)
    assert told(state, 0, 4) == ["plant", *(f"power {n}" for n in (1, 2, 3, 4, 5))]
    assert 4 in asked(state)
    play(state, "ask player_1 about slot 4")
    assert legal(state) == ["tell element", "tell power"]


def one_sided(state: State) -> State:
    """Go back to before player_1's challenge and let player_1 ask instead."""
    other = state.game.start(0, explicit_chance=True)
    for action in state.history()[:-1]:
        other.apply(action)
    question = next(name for name in legal(other) if name.startswith("ask"))
    return play(other, question, legal_first(other, question))


def test_any_rival_can_be_asked_and_the_turn_passes_clockwise():
    state = deal(
        THREE,
        *["water 1, fire 2, plant 3, water 4"],
        *["plant 1, plant 2, fire 3, fire 4"],
        *["water 2, fire 1, plant 4, plant 5"],
    )
    questions = [f"ask player_{rival} about slot {slot}" for rival in (1, 2) for slot in (3, 4)]
    assert [name for name in legal(state) if name.startswith("ask")] == questions
    turns = []
    for question in (
        "ask player_2 about slot 3",
        "ask player_0 about slot 3",
        "ask player_0 about slot 4",
    ):
        turns.append(state.player)
        play(state, question)
        assert state.player == int(question[11])
        play(state, "tell power")
    assert [*turns, state.player] == [0, 1, 2, 0]


def test_a_question_tells_the_one_who_asks_nothing_but_the_answer():
    """One position for a basic and a special card, until the answer."""
    basic = two("fire 1, fire 1, plant 1, water 5, plant 2", "water 1")
    special = two("fire 1, fire 1, plant 1, light 5, plant 2", "water 1")
    for move in ("", "ask player_1 about slot 4"):
        if move:
            play(basic, move)
            play(special, move)
        # They differ in what is left in the deck, which player_0 does not know either.
        assert basic.resample(0, 1).observation(0).tobytes() == basic.observation(0).tobytes()
        assert basic.observation(0).tobytes() == special.observation(0).tobytes()
        assert (basic.player, basic.render(0)) == (special.player, special.render(0))
        assert basic.information_state(0) == special.information_state(0)


# Challenging.


def test_a_challenge_names_a_rival_and_a_type_and_gives_a_clue_first():
    state = two("water 1", "fire 1, fire 2, fire 3, plant 4, shadow 5")
    assert "challenge player_1 by power" in legal(state)
    play(state, "challenge player_1 by power")
    assert state.player == 0, "the challenger picks card and property"
    assert legal(state) == [
        "tell element of slot 4",
        "tell power of slot 4",
        "tell special of slot 5",
    ]
    assert sees(state, 1)["duel"] == ["power"]
    play(state, "tell special of slot 5")
    powers = [f"power {n}" for n in range(1, 6)]
    assert told(state, 1, 5) == ["light", "shadow", *powers, "told special"]
    assert told(state, 1, 4) == ["water", "fire", "plant", *powers]
    assert state.player == 0, "and then chooses a card"
    assert legal(state) == [f"play slot {n}" for n in range(1, 6)]


def test_a_clue_is_never_something_already_told():
    state = two("water 1", "fire 1, fire 2, fire 3, plant 4, plant 5")
    play(state, "challenge player_1 by element", "tell element of slot 4")
    again = play(state, "play slot 1", "play slot 1")
    while again.is_chance:
        again.apply(again.sample_chance())
    assert again.player == 1
    play(again, "challenge player_0 by element")
    play(again, legal(again)[0], "play slot 1", "play slot 1")
    while again.is_chance:
        again.apply(again.sample_chance())
    play(again, "challenge player_1 by element")
    clues = [name for name in legal(again) if name.endswith(("slot 4", "slot 5"))]
    assert clues == ["tell power of slot 4", "tell power of slot 5"]


@pytest.mark.parametrize("open_cards", [0, 1])
def test_no_clue_when_the_rival_has_nothing_left_to_learn(open_cards):
    game = GemDuel(hand_size=3, open_cards=open_cards)
    state = two("water 1, fire 2, water 3", "fire 1, plant 2, shadow 3", game)
    if open_cards:
        play(state, "ask player_1 about slot 3", "tell element")
        play(state, "ask player_0 about slot 3", "tell special")
    play(state, "challenge player_1 by element")
    assert (state.player, legal(state)) == (0, ["play slot 1", "play slot 2", "play slot 3"])


def test_the_challenger_commits_first_and_nobody_else_learns_what():
    state = two(
        "water 1, fire 2, plant 3, light 4, fire 5", "fire 1, fire 2, fire 3, plant 4, shadow 5"
    )
    play(state, "challenge player_1 by power", "tell special of slot 5")
    committed = [play(state.clone(), f"play slot {n}") for n in range(1, 6)]
    for look in (
        lambda state: state.observation(1).tobytes(),
        lambda state: state.legal_mask().tobytes(),
        lambda state: state.render(1),
        lambda state: state.information_state(1),
        lambda state: TWO.picture(state.record, 1).tobytes(),
    ):
        assert len({look(state) for state in committed}) == 1
    assert [sees(state, 0)[f"own_slot_{n}"][-1] for n, state in enumerate(committed, 1)] == [
        "committed"
    ] * 5
    assert all(state.player == 1 for state in committed)
    drawn = Counter(int(committed[0].resample(1, seed).record.committed) for seed in range(1000))
    # Binomial(1000, 1/5): five standard deviations are 63.
    assert all(abs(drawn[slot] - 200) < 63 for slot in range(5))
    assert all(committed[3].resample(0, seed).record.committed == 3 for seed in range(20))


@pytest.mark.parametrize(
    ("first", "second", "winner"),
    [
        # Water beats fire, fire beats plant, plant beats water, whatever the power.
        ("water 1", "fire 5", 0),
        ("fire 1", "plant 5", 0),
        ("plant 1", "water 5", 0),
        ("fire 5", "water 1", 1),
        ("plant 5", "fire 1", 1),
        ("water 5", "plant 1", 1),
        # Light beats everything else, shadow loses to everything else.
        ("light 1", "water 5", 0),
        ("light 1", "fire 5", 0),
        ("light 1", "plant 5", 0),
        ("light 1", "shadow 5", 0),
        ("plant 5", "light 1", 1),
        ("shadow 5", "water 1", 1),
        ("shadow 5", "fire 1", 1),
        ("shadow 5", "plant 1", 1),
        ("shadow 5", "light 1", 1),
        ("fire 1", "shadow 5", 0),
        # The same element ties.
        ("water 1", "water 5", None),
        ("light 1", "light 5", None),
        ("shadow 5", "shadow 1", None),
    ],
)
def test_element_duels(first, second, winner):
    state = duel("element", first, second)
    assert gems(state) == [winner == 0, winner == 1]
    assert sees(state, 0)["stake"] == (2 if winner is None else 0)


@pytest.mark.parametrize(
    ("first", "second", "winner"),
    [
        ("fire 2", "water 1", 0),
        ("fire 1", "plant 2", 1),
        ("shadow 5", "light 4", 0),
        ("shadow 3", "light 4", 1),
        ("plant 1", "light 2", 1),
        ("shadow 2", "water 1", 0),
        ("water 3", "fire 3", None),
        ("light 4", "shadow 4", None),
        ("light 4", "plant 4", None),
    ],
)
def test_power_duels(first, second, winner):
    """The higher power wins, and elements do not count; light and shadow have a power too."""
    state = duel("power", first, second)
    assert gems(state) == [winner == 0, winner == 1]


# Ties.


def tie_after_tie(ties: int) -> State:
    """player_0 and player_1 tie with the power of their first cards."""
    state = two(
        "water 1, water 2, water 3, water 4, water 5", "fire 1, fire 2, fire 3, fire 4, fire 5"
    )
    play(state, "challenge player_1 by power", "tell element of slot 4")
    for slot in range(1, ties + 1):
        play(state, f"play slot {slot}", f"play slot {slot}")
    return state


@pytest.mark.parametrize("ties", [0, 1, 2, 3])
def test_the_winner_of_a_round_takes_as_many_gems_as_there_were_rounds(ties):
    """The stake of the last round, not the sum."""
    state = tie_after_tie(ties)
    assert sees(state, 0)["stake"] == sees(state, 1)["stake"] == ties + 1
    assert state.player == 0, "the challenger commits first again"
    play(state, "play slot 5", f"play slot {ties + 1}")
    assert gems(state) == [ties + 1, 0]
    assert sum(sees(state, 0)["discard"].values()) == 2 * (ties + 1)


def test_a_tie_goes_on_with_the_remaining_cards_and_the_same_type():
    state = tie_after_tie(2)
    assert sees(state, 0)["duel"] == ["power"]
    assert legal(state) == ["play slot 3", "play slot 4", "play slot 5"]
    assert sees(state, 1)["rival_1_slot_2"] == ["played", "water", "power 2"]
    assert sees(state, 0)["rival_1_slot_2"] == ["played", "fire", "power 2"]
    assert sees(state, 0)["discard"] == {}, "they lie on the table until the duel is over"
    play(state, "play slot 5")
    assert (state.player, legal(state)) == (1, ["play slot 3", "play slot 4", "play slot 5"])


def test_an_open_card_that_was_played_is_known_to_its_holder():
    state = two(
        "water 1, water 2, plant 1, water 4, water 5", "fire 1, fire 2, fire 3, plant 5, fire 4"
    )
    play(state, "challenge player_1 by power", "tell power of slot 4", "play slot 5", "play slot 4")
    assert sees(state, 1)["own_slot_4"] == ["played", "plant", "power 5"]
    assert sees(state, 0)["own_slot_5"] == ["played", "water", "power 5"]


def test_when_the_last_cards_tie_too_everybody_shares_the_victory():
    state = tie_after_tie(5)
    assert state.is_over
    assert state.returns() == [0, 0]
    assert gems(state) == [0, 0]
    assert str(state).startswith("Gem Duel - everybody shares the victory")
    # Challenge, clue and five rounds: the shortest game that there is.
    assert TWO.facts.min_decisions == 12 == 1 + 1 + 2 * 5


def test_three_players_share_a_victory_too():
    state = deal(
        THREE,
        "water 1, water 2, water 3, water 4",
        "fire 1, fire 2, fire 3, fire 4",
        *["plant 1, plant 2, plant 3, plant 4"],
    )
    play(state, "challenge player_1 by power", "tell power of slot 3")
    for slot in range(1, 5):
        play(state, f"play slot {slot}", f"play slot {slot}")
    assert (state.is_over, state.returns()) == (True, [0, 0, 0])


# Drawing back.


def test_winner_and_loser_draw_back_the_winner_first_and_open():
    state = deal(
        THREE,
        "water 1, water 2, water 3, water 4",
        "plant 1, plant 2, plant 3, plant 4",
        "fire 1, fire 2, fire 3, light 5",
    )
    play(state, "challenge player_2 by power", "tell power of slot 3")
    play(state, "play slot 1", "play slot 1", "play slot 3", "play slot 4")
    assert gems(state) == [0, 0, 2]
    assert state.is_chance
    play(state, "fire 5", "plant 5")
    assert slots(state, 2) == ["open", "hidden", "open", "open"]
    assert sees(state, 0)["rival_2_slot_1"][:3] == ["open", "fire", "power 5"]
    assert sees(state, 0)["rival_2_slot_4"][:3] == ["open", "plant", "power 5"]
    assert "told power" not in sees(state, 0)["rival_2_slot_4"], "nothing was told about a new card"
    play(state, "water 5", "shadow 5")
    assert slots(state, 0) == ["hidden", "hidden", "hidden", "open"]
    assert sees(state, 0)["own_slot_1"] == ["hidden", "water", "power 5"]
    assert sees(state, 0)["own_slot_3"] == ["hidden", "shadow", "power 5"]
    assert sees(state, 1)["rival_2_slot_1"] == ["hidden"]
    assert sees(state, 1)["discard"] == {"water 1": 1, "water 3": 1, "fire 1": 1, "light 5": 1}
    assert slots(state, 1) == ["hidden", "hidden", "open", "open"], "player_1 had no part in it"
    assert state.player == 1, "the turn goes on from the challenger"


def test_a_new_card_in_the_same_slot_has_been_told_nothing():
    state = two(
        "water 1, water 2, plant 1, water 4, water 5", "fire 1, fire 2, fire 3, plant 5, fire 4"
    )
    play(state, "ask player_1 about slot 5", "tell power")
    play(state, "challenge player_0 by power", "tell element of slot 5")
    play(state, "play slot 1", "play slot 5", "plant 2", "plant 3")
    assert gems(state) == [1, 0]
    assert told(state, 0, 5) == [*ELEMENTS, *(f"power {n}" for n in range(1, 6))]


SMALL = GemDuel(hand_size=2, open_cards=1, powers=((1, 1), (1, 1), (1, 1), (), ()), target=5)


def test_when_the_deck_is_empty_the_discard_is_shuffled_into_a_new_one():
    """Six cards, four in hands: the first duel empties the deck, the second one needs the discard."""
    state = two("water 1, water 2", "fire 1, fire 2", SMALL)
    play(state, "challenge player_1 by power", "tell power of slot 2", "play slot 2", "play slot 1")
    assert sorted(legal(state)) == ["plant 1", "plant 2"]
    play(state, "plant 1", "plant 2")
    assert sees(state, 0)["deck"] == 0
    assert sees(state, 0)["discard"] == {"water 2": 1, "fire 1": 1}
    play(state, "challenge player_0 by power", "tell element of slot 2")
    play(state, "play slot 2", "play slot 1")
    assert gems(state) == [1, 1]
    # The duel is won, its cards lie in the discard, and all of that is the new deck.
    assert sorted(legal(state)) == ["fire 1", "fire 2", "water 1", "water 2"]
    assert sees(state, 0)["discard"] == {}
    play(state, "fire 1", "water 1")
    seen = sees(state, 0)
    assert seen["own_slot_1"] == ["hidden", "water", "power 1", "new"]
    assert "new" not in seen["own_slot_2"]
    assert seen["rival_1_slot_2"][-1] == "new"
    assert seen["rival_1_slot_1"] == ["hidden"], "from the old deck"
    # Old cards: plant 1 is player_0's own open one, and plant 2 was drawn by player_1.
    assert seen["unseen"] == {"fire 2": 1, "water 2": 1, "plant 1": 1, "plant 2": 1}
    assert seen["unseen_new"] == {"fire 2": 1, "water 2": 1}
    for seed in range(50):
        other = state.resample(0, seed)
        cards = [SMALL.chance_name(int(other.record.card[place])) for place in ((0, 1), (1, 0))]
        assert sorted(cards) == ["plant 1", "plant 2"]
    assert {
        SMALL.chance_name(int(state.resample(0, seed).record.card[0, 1])) for seed in range(50)
    } == {"plant 1", "plant 2"}


def test_each_deck_is_a_source_of_chance_of_its_own():
    state = two("water 1, water 2", "fire 1, fire 2", SMALL)
    assert state.record.draws.tolist() == [4, 0]
    play(state, "challenge player_1 by power", "tell power of slot 2", "play slot 2", "play slot 1")
    play(state, "plant 1", "plant 2")
    play(state, "challenge player_0 by power", "tell element of slot 2")
    play(state, "play slot 2", "play slot 1", "fire 1")
    assert state.record.draws.tolist() == [6, 1]


def test_only_five_players_can_empty_the_usual_deck_and_by_one_card():
    assert [game.may_reshuffle for game in (TWO, THREE, FOUR, FIVE)] == [False] * 3 + [True]
    # 20 cards in hands and two for each of the 3 * 5 gems that five players can own without winning.
    assert 5 * 4 + 2 * 3 * 5 == 49 + 1


@pytest.mark.parametrize(("cards", "reshuffles"), [(21, True), (22, False)])
def test_whether_the_deck_can_run_out(cards, reshuffles):
    """Two players with five cards each, and two cards for each of 2 * 3 gems."""
    game = GemDuel(target=4, powers=((11,), (cards - 11,), (), (), ()))
    assert game.may_reshuffle == reshuffles
    assert ("unseen_new" in game.describe(game.start(1).observation(0))) == reshuffles


# The end.


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_first_to_reach_the_target_wins_at_once(players):
    game = GemDuel(num_players=players, target=1)
    hands = ["water 1, water 2, water 3, water 4", "fire 1, fire 2, fire 3, fire 4",
             "plant 1, plant 2, plant 3, plant 4", "water 5, plant 2, plant 3, plant 4",
             "fire 5, water 2, water 3, water 4"]  # fmt: skip
    if players == 2:
        hands = [f"{hand}, shadow {n}" for n, hand in enumerate(hands, 1)]
    state = deal(game, *hands[:players])
    play(
        state, "challenge player_1 by element", legal_first(state, "challenge player_1 by element")
    )
    play(state, "play slot 1", "play slot 1")
    assert state.is_over
    assert gems(state) == [1] + [0] * (players - 1)
    assert state.returns() == pytest.approx([1] + [-1 / (players - 1)] * (players - 1))
    assert len(slots(state, 0)) == game.options.hand_size - 1, "nobody draws after that"
    assert str(state).startswith("Gem Duel - player_0 wins")


def test_the_challenged_player_can_win_too():
    state = duel("element", "fire 1", "water 1", GemDuel(target=1))
    assert state.returns() == [-1, 1]


def test_a_stake_above_what_is_needed_wins_as_well():
    game = GemDuel(target=2)
    state = two("water 1, water 2, water 5", "fire 1, fire 2, fire 3", game)
    play(state, "challenge player_1 by power", legal_first(state, "challenge player_1 by power"))
    for moves in (
        ("play slot 1", "play slot 1"),
        ("play slot 2", "play slot 2"),
        ("play slot 3", "play slot 3"),
    ):
        play(state, *moves)
    assert (gems(state), state.returns()) == ([3, 0], [1, -1])
    assert sees(state, 0)["own_gems"] == sees(state, 1)["rival_1_gems"] == 2


@pytest.mark.parametrize("game", EVERY, ids=EVERY_ID)
def test_cards_and_gems_add_up_at_every_step(game):
    """Deck, hands, table and discard are all the cards; hands are full outside a duel; a duel of k rounds gives k gems."""
    moves = np.random.default_rng(3)
    total = sum(map(sum, game.powers))
    for seed in range(8):
        state = game.start(seed, explicit_chance=True)
        before, rounds = 0, 0
        while not state.is_over:
            record = state.record
            in_slots = int((record.place != 0).sum())
            assert record.deck.sum() + record.discard.sum() + in_slots == total
            assert record.deck.sum() == record.deck_size
            counted = record.deck.astype(int) + record.discard
            for card, place in zip(record.card.ravel(), record.place.ravel(), strict=True):
                counted[card] += place != 0
            assert (counted == record.copies).all()
            if state.player >= 0 and not record.duel_round:
                assert in_slots == game.num_players * game.options.hand_size
            if record.duel_round:
                rounds = int(record.duel_round)
            elif rounds:
                assert int(record.gems.sum()) - before == rounds
                before, rounds = int(record.gems.sum()), 0
            action = (
                state.sample_chance() if state.is_chance else moves.choice(state.legal_actions())
            )
            state.apply(action)
        assert int(state.record.gems.sum()) - before in (rounds, 0)


@pytest.mark.parametrize(
    ("game", "fewest", "most"),
    [
        # 2 * (2 * 2 + 12) things to tell by questions, 12 duels, and one through the whole hand.
        (TWO, 12, 2 * 32 + 3 * 12 + 11),
        (THREE, 10, 2 * 42 + 3 * 15 + 9),
        (FOUR, 10, 2 * 48 + 3 * 16 + 9),
        (FIVE, 10, 2 * 50 + 3 * 15 + 9),
        (GemDuel(target=1), 4, 2 * 8 + 0 + 11),
        (GemDuel(hand_size=6, open_cards=0, target=50), 13, 2 * 196 + 3 * 98 + 13),
    ],
    ids=["two", "three", "four", "five", "one gem", "fifty gems"],
)
def test_bounds_on_the_length(game, fewest, most):
    assert (game.facts.min_decisions, game.facts.max_decisions) == (fewest, most)


@pytest.mark.parametrize("game", EVERY, ids=EVERY_ID)
def test_even_players_who_ask_whatever_they_can_come_to_an_end(game):
    lengths = []
    for seed in range(10):
        moves = np.random.default_rng(seed)
        state = game.start(seed)
        lengths.append(0)
        while not state.is_over:
            questions = [a for a in state.legal_actions() if state.action_name(a).startswith("ask")]
            state.apply(moves.choice(questions or state.legal_actions()))
            lengths[-1] += 1
    assert game.facts.min_decisions <= min(lengths) <= max(lengths) <= game.facts.max_decisions
