"""The rules of Delights & Dragons one by one, in named cards."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from duelgym.envs.core import State
from duelgym.envs.delights_and_dragons import DelightsAndDragons
from support.delights import CARDS, attack, battle, begin, end_turn, hand, health, legal, play, sees
from support.habits import gather, uniform

# Set-up.


def test_both_players_start_with_20_health_and_3_cards(variant):
    state = variant.start(seed=1)
    for seat in range(2):
        seen = sees(state, seat)
        assert seen["health"] == {"own": 20, "rival": 20}
        assert seen["hand_size"] == {"own": 3, "rival": 3}
        assert seen["deck_size"] == {"own": 17, "rival": 17}
        assert sum(seen["own_hand"].values()) == 3
    assert state.player == 0


def test_the_opening_hands_are_dealt_by_chance_each_copy_alike():
    state = DelightsAndDragons().start(seed=1, explicit_chance=True)
    deck = DelightsAndDragons().card_set.decks["delights"]
    chances = {state.outcome_name(n): probability for n, probability in state.chance_outcomes()}
    assert chances == {name: pytest.approx(copies / 20) for name, copies in deck.items()}
    for card in ("Queen Praline", "Lucky Charm", "Lucky Charm"):
        assert int(state.record.source) == 0
        state.apply(card)
    assert hand(state, 0) == {"Queen Praline": 1, "Lucky Charm": 2}
    assert int(state.record.source) == 1
    assert len(state.chance_outcomes()) == 13, "seat 1 has a deck of its own"


def test_options_of_the_set_up():
    state = DelightsAndDragons(health=7, opening_hand=5).start(seed=1)
    seen = sees(state, 1)
    assert seen["health"] == {"own": 7, "rival": 7}
    assert seen["hand_size"] == {"own": 5, "rival": 5}


# The attack phase: cards.


def test_a_turn_may_begin_with_any_card_in_hand_or_with_nothing():
    state = begin([["Hero", "Page", "Sword"], []])
    assert legal(state) == ["play Hero", "play Page", "end phase"], "nobody can hold the sword yet"
    play(state, "play Page")
    assert legal(state) == ["play Sword", "end phase"]


def test_one_character_a_turn():
    state = play(begin([["Hero", "Page", "Sword"], []]), "play Page")
    assert "play Hero" not in legal(state)
    end_turn(play(state, "play Sword"))
    end_turn(state)
    assert "play Hero" in legal(state)


def test_one_item_a_turn():
    state = play(begin([["Hero", "Sword", "Ring"], []]), "play Hero", "play Sword")
    assert state.is_chance, "neither a character nor an item may follow, and nothing can attack"
    end_turn(end_turn(state))
    assert "play Ring" in legal(state)


def test_an_item_may_be_played_before_a_character():
    state = end_turn(end_turn(battle(["Hero"], []), draw="Page"))
    assert {"play Button", "play Page"} <= set(legal(state))
    play(state, "play Button", "play Page")
    assert sees(state, 0)["own_defense"] == {"slot 1": 5, "slot 2": 1}


def test_an_item_adds_to_attack_and_defense():
    state = play(begin([["Hero", "Ring"], []]), "play Hero")
    assert (sees(state, 0)["own_attack"], sees(state, 0)["own_defense"]) == (
        {"slot 1": 8},
        {"slot 1": 4},
    )
    play(state, "play Ring")
    for seat, side in enumerate(("own", "rival")):
        seen = sees(state, seat)
        assert seen[f"{side}_attack"] == {"slot 1": 9}
        assert seen[f"{side}_defense"] == {"slot 1": 5}
        assert seen[f"{side}_items"] == {"Ring 1": "slot 1"}


def test_a_character_can_hold_any_number_of_items():
    state = battle(["Page"], ["Page"], own_items=[("Sword", 1)] * 3 + [("Shield", 1)])
    assert sees(state, 0)["own_attack"] == {"slot 1": 9}
    assert sees(state, 0)["own_defense"] == {"slot 1": 5}
    assert set(sees(state, 0)["own_items"].values()) == {"slot 1"}


def test_the_holder_is_chosen_if_there_are_several():
    state = battle(["Hero", "Page"], [])
    play(state, "play Button")
    assert legal(state) == ["on slot 1", "on slot 2"]
    assert sees(state, 0)["item"] == ["Button"]
    assert sees(state, 1)["decision"] == ["holder of an item"]
    play(state, "on slot 2")
    assert sees(state, 0)["own_defense"] == {"slot 1": 4, "slot 2": 2}
    assert sees(state, 0)["item"] == []


def test_an_item_goes_to_the_only_character_without_a_question():
    state = play(battle(["Page"], ["Page"]), "play Button")
    assert sees(state, 0)["own_items"] == {"Button 1": "slot 1"}


def test_characters_take_the_first_free_slot_and_stay_there():
    state = end_turn(battle(["Page", "Guard", "Page"], ["Hero"]))
    assert sees(attack(state, 1, 1), 1)["rival_characters"] == {"slot 2": "Guard", "slot 3": "Page"}
    end_turn(end_turn(end_turn(state), draw="Queen"))
    expected = {"slot 1": "Queen", "slot 2": "Guard", "slot 3": "Page"}
    assert sees(play(state, "play Queen"), 0)["own_characters"] == expected


def test_sixteen_characters_can_be_in_play():
    state = battle(["Hero", "Guard", "Page", "Queen"] * 4, [])
    assert len(sees(state, 0)["own_characters"]) == 16
    assert sum(name.startswith("attack with") for name in legal(state)) == 16
    assert legal(play(state, "play Button"))[-1] == "on slot 16"


# The attack phase: who attacks whom.


def test_a_character_cannot_attack_on_the_turn_it_was_played():
    state = play(begin([["Hero", "Ring"], []]), "play Hero")
    assert sees(state, 0)["own_ready"] == []
    assert not [name for name in legal(state) if name.startswith("attack")]
    end_turn(end_turn(state))
    assert sees(state, 0)["own_ready"] == ["slot 1"]
    assert "attack with slot 1" in legal(state)


def test_a_character_can_be_attacked_at_once():
    state = end_turn(play(begin([["Hero"], ["Guard"]]), "play Hero"))
    end_turn(play(state, "play Guard"))
    assert sees(attack(state, 1), 0)["rival_characters"] == {}


def test_each_character_attacks_once_a_turn():
    state = battle(["Hero", "Guard"], ["Queen", "Queen"])
    attack(state, 1, 1)
    assert sees(state, 0)["own_ready"] == ["slot 2"]
    assert "attack with slot 1" not in legal(state)
    attack(state, 2, 1)
    assert not [name for name in legal(state) if name.startswith("attack")]
    end_turn(end_turn(state))
    assert sees(state, 0)["own_ready"] == ["slot 1", "slot 2"]


def test_attacks_and_cards_in_any_order():
    state = end_turn(end_turn(battle(["Hero", "Guard"], ["Queen"]), draw="Page"))
    play(attack(state, 2), "play Page", "play Button", "on slot 1")
    assert not state.is_chance
    attack(state, 1)
    assert state.is_chance, "nothing is left to do, and the draw phase has come by itself"


def test_the_player_may_end_the_phase_at_any_time():
    state = battle(["Hero", "Guard"], ["Queen"])
    assert "end phase" in legal(state)
    assert "end phase" in legal(attack(state, 1))
    end_turn(state)
    assert state.player == 1


def test_the_target_is_any_character_of_the_opponent():
    state = play(battle(["Hero"], ["Guard", "Page", "Queen"]), "attack with slot 1")
    assert legal(state) == ["target slot 1", "target slot 2", "target slot 3"]
    seen = sees(state, 0)
    assert (seen["decision"], seen["attacker"]) == (["target"], ["slot 1"])
    assert seen["target_destroyed"] == ["slot 1", "slot 2"]
    assert seen["target_damage"] == {"slot 1": 2, "slot 2": 7}


def test_a_single_target_is_attacked_without_a_question():
    assert health(attack(battle(["Hero"], ["Page"]), 1)) == [20, 13]


def test_without_characters_the_attack_hits_health_in_full():
    assert health(attack(battle(["Hero"], []), 1)) == [20, 12]
    assert health(attack(battle(["Hero"], [], own_items=[("Sword", 1)]), 1)) == [20, 9]
    assert health(attack(battle(["Page"], []), 1)) == [20, 20]


def test_as_soon_as_the_last_character_is_gone_health_is_hit():
    state = attack(battle(["Hero", "Guard"], ["Guard"]), 1)
    assert health(state) == [20, 18]
    assert health(attack(state, 2)) == [20, 13]


# An attack: every row of its table, with and without items.


def outcome(state: State, target: int = 1) -> tuple[str, int]:
    """What became of seat 1's slot, and the health it has cost."""
    lost = 20 - health(state)[1]
    seen = sees(state, 0)
    if f"slot {target}" not in seen["rival_characters"]:
        return "destroyed", lost
    marks = seen["rival_marks"].get(f"slot {target}", 0)
    if f"slot {target}" in seen["rival_legendary"]:
        return f"marked {marks}", lost
    return ("fresh", "injured")[marks], lost


ITEMS = pytest.mark.parametrize(
    ("own_items", "rival_items", "change"),
    [
        ([], [], 0),
        ([("Sword", 1)], [], 3),
        ([], [("Shield", 1)], -4),
        ([("Sword", 1)], [("Ring", 1)], 2),
        ([("Ring", 1), ("Ring", 1)], [], 2),
    ],
    ids=["no items", "sword", "against a shield", "sword against a ring", "two rings"],
)
"""Items on both sides and what they change in attack less defense."""


@ITEMS
@pytest.mark.parametrize("attacker", ["Hero", "Guard", "Page"])
@pytest.mark.parametrize("target", ["Hero", "Guard", "Page"])
def test_a_fresh_character(attacker, target, own_items, rival_items, change):
    numbers = {card["name"]: card for card in CARDS["characters"]}
    excess = numbers[attacker]["attack"] - numbers[target]["defense"] + change
    state = attack(battle([attacker], [target], own_items, rival_items), 1)
    assert outcome(state) == (("destroyed", excess) if excess > 0 else ("injured", 0))
    assert health(state)[0] == 20


def test_8_attack_against_6_defense_destroys_and_does_2_damage():
    assert outcome(attack(battle(["Hero"], ["Guard"]), 1)) == ("destroyed", 2)


def test_equal_attack_and_defense_injure():
    state = battle(["Guard"], ["Guard"], own_items=[("Ring", 1)])
    assert outcome(attack(state, 1)) == ("injured", 0)


@ITEMS
@pytest.mark.parametrize("attacker", ["Hero", "Guard", "Page"])
def test_an_injured_character(attacker, own_items, rival_items, change):
    numbers = {card["name"]: card for card in CARDS["characters"]}
    excess = numbers[attacker]["attack"] - 6 + change
    state = battle([attacker, "Page"], ["Guard"], own_items, rival_items)
    assert outcome(attack(state, 2)) == ("injured", 0)
    assert outcome(attack(state, 1)) == ("destroyed", max(0, excess))


@ITEMS
@pytest.mark.parametrize("attacker", ["Hero", "Guard", "Page"])
@pytest.mark.parametrize("marks", [0, 1, 2])
def test_a_legendary_character(attacker, marks, own_items, rival_items, change):
    numbers = {card["name"]: card for card in CARDS["characters"]}
    excess = numbers[attacker]["attack"] - 6 + change
    state = battle([attacker, "Page", "Page"], ["Queen"], own_items, rival_items)
    for number in range(marks):
        assert outcome(attack(state, 2 + number)) == (f"marked {number + 1}", 0)
    destroyed = ("destroyed", max(0, excess))
    assert outcome(attack(state, 1)) == (destroyed if marks == 2 else (f"marked {marks + 1}", 0))


def test_what_an_attack_would_destroy_is_observed():
    state = battle(["Hero", "Guard", "Page"], ["Guard", "Queen", "Page"])
    assert sees(state, 0)["own_destroys"] == {"slot 1": 2, "slot 2": 1}
    assert sees(state, 0)["rival_destroys"] == {"slot 1": 2, "slot 2": 1}
    attack(state, 3, 1)
    seen = sees(state, 0)
    assert seen["own_destroys"] == {"slot 1": 2, "slot 2": 2, "slot 3": 1}, "the guard is injured"
    assert sees(state, 1)["rival_destroys"] == seen["own_destroys"]


def test_the_attacker_is_never_hurt():
    state = attack(battle(["Page"], ["Hero"]), 1)
    assert sees(state, 0)["own_marks"] == {}
    assert health(state) == [20, 20]


def test_injuries_and_marks_do_not_heal():
    state = battle(["Page", "Page"], ["Guard", "Queen"])
    attack(attack(state, 1, 1), 2, 2)
    for _ in range(6):
        end_turn(state)
    assert sees(state, 0)["rival_marks"] == {"slot 1": 1, "slot 2": 1}
    attack(attack(state, 1, 2), 2, 2)
    assert sees(state, 0)["rival_characters"] == {"slot 1": "Guard"}, (
        "the third attack on the queen"
    )


def test_injured_and_marked_characters_attack_as_usual():
    state = battle(["Page", "Page"], ["Guard", "Queen"])
    attack(attack(state, 1, 1), 2, 2)
    end_turn(state)
    assert health(attack(state, 1, 1)) == [16, 20]
    assert health(attack(state, 2)) == [14, 20]


def test_an_item_does_not_heal():
    state = battle(["Page"], ["Guard"], rival_items=[])
    end_turn(attack(state, 1))
    end_turn(play(state, "play Button"))
    assert sees(state, 0)["rival_defense"] == {"slot 1": 7}
    assert outcome(attack(state, 1)) == ("destroyed", 0)


def test_a_destroyed_character_and_its_items_go_to_the_discard_of_their_player():
    state = battle(["Hero"], ["Page", "Guard"], rival_items=[("Ring", 1), ("Sword", 2)])
    attack(state, 1, 1)
    expected = {"Page": 1, "Ring": 1}
    assert sees(state, 0)["rival_discard"] == sees(state, 1)["own_discard"] == expected
    assert sees(state, 0)["own_discard"] == {}
    assert sees(state, 0)["rival_items"] == {"Sword 1": "slot 2"}


def test_a_new_character_does_not_inherit_anything():
    state = battle(["Page", "Page"], ["Guard"], rival_items=[("Shield", 1)])
    attack(attack(state, 1), 2)
    end_turn(end_turn(end_turn(state), draw="Guard"))
    seen = sees(play(state, "play Guard"), 0)
    assert seen["rival_characters"] == {"slot 1": "Guard"}
    assert (seen["rival_defense"], seen["rival_marks"]) == ({"slot 1": 6}, {})


# The end.


def test_health_of_0_ends_the_game_at_once():
    state = attack(battle(["Hero", "Hero"], [], health=8), 1)
    assert state.is_over
    assert state.returns() == [1, -1]
    assert str(state).startswith("Delights & Dragons - player_0 wins")


def test_health_below_0_by_destroying_a_character():
    state = battle(["Hero"], ["Page"], health=6)
    assert attack(state, 1).returns() == [1, -1]
    assert health(state) == [6, -1]
    assert sees(state, 1)["health"] == {"own": 0, "rival": 6}


def test_seat_1_can_win_too():
    state = end_turn(battle([], ["Hero"], health=5))
    assert attack(state, 1).returns() == [-1, 1]


def test_one_health_left_is_enough():
    assert not attack(battle(["Hero"], [], health=9), 1).is_over


# The draw phase.


def test_the_turn_ends_with_a_card_from_the_own_deck():
    state = begin([["Hero"], []])
    play(state, "end phase")
    assert (state.is_chance, int(state.record.source)) == (True, 0)
    play(state, "Queen")
    assert hand(state, 0) == {"Hero": 1, "Queen": 1}
    assert state.player == 1
    assert sees(state, 1)["hand_size"] == {"own": 1, "rival": 2}
    play(state, "end phase")
    assert int(state.record.source) == 1


# Running out.

FIVE = {
    **CARDS,
    "decks": {
        "five": {"Hero": 1, "Page": 1, "Guard": 1, "Sword": 1, "Button": 1},
        "strong": {"Hero": 3, "Sword": 2},
    },
}


def run_out() -> State:
    """Seat 1's deck is empty, its guard and shield are in the discard and a draw is due."""
    hands = [
        ["Hero", "Hero", "Sword", "Sword", "Hero"],
        ["Guard", "Button", "Sword", "Page", "Hero"],
    ]
    state = begin(hands, card_set=FIVE, decks=("strong", "five"))
    play(state, "play Hero", "end phase", "play Guard", "play Button", "attack with slot 1")
    assert sees(state, 0)["rival_discard"] == {"Guard": 1, "Button": 1}
    return play(state, "end phase", "end phase")


def test_an_empty_deck_is_a_choice_to_reshuffle_or_forfeit():
    state = run_out()
    assert state.player == 1
    assert legal(state) == ["reshuffle", "forfeit"]
    assert sees(state, 1)["decision"] == ["deck has run out"]


def test_forfeit():
    assert play(run_out(), "forfeit").returns() == [1, -1]


def test_reshuffle_makes_the_discard_the_deck_and_draws_from_it():
    state = play(run_out(), "reshuffle")
    assert legal(state) == ["Guard", "Button"]
    assert [probability for _, probability in state.chance_outcomes()] == [0.5, 0.5]
    assert int(state.record.source) == 3, "the first reshuffle of seat 1 is a source of its own"
    play(state, "Guard")
    seen = sees(state, 1)
    assert seen["own_hand"] == {"Hero": 1, "Guard": 1, "Page": 1, "Sword": 1}
    assert (seen["own_deck"], seen["own_discard"]) == ({"Button": 1}, {})
    assert state.player == 0


def test_with_an_empty_discard_nothing_is_drawn():
    hands = [["Hero", "Hero", "Sword", "Sword", "Hero"]] * 2
    state = play(begin(hands, card_set=FIVE, decks="strong"), "end phase")
    assert state.player == 1, "no decision and no draw between the turns"
    assert sees(state, 1)["hand_size"] == {"own": 5, "rival": 5}


def test_a_turn_without_hand_and_characters_begins_with_the_draw():
    """Everything that seat 1 has lies in its discard, as the single-card deck has run out too."""
    hands = [
        ["Hero", "Hero", "Hero", "Sword", "Sword"],
        ["Page", "Guard", "Hero", "Sword", "Button"],
    ]
    state = begin(hands, card_set=FIVE, decks=("strong", "five"), health=200)
    for _ in range(40):
        if state.player == 1 and not sees(state, 1)["own_hand"]:
            break
        names = legal(state)
        wanted = ["reshuffle", "play Sword", "play Button", "on slot 1", "target slot 1"]
        wanted += ["play Page", "play Guard", "play Hero", *names[:1]] if state.player == 1 else []
        state.apply(next((name for name in wanted if name in names), names[0]))
    assert legal(state) == ["reshuffle", "forfeit"]


# The limit of turns.


@pytest.mark.parametrize("turns", [1, 2, 7])
def test_the_game_is_cut_off_after_the_limit_of_turns(turns):
    state = begin([[], []], max_turns=turns)
    for turn in range(turns):
        assert sees(state, 0)["turn_number"] == turn + 1
        assert not state.is_over
        end_turn(state)
    assert state.is_truncated
    assert state.returns() == [0, 0]
    assert str(state).startswith(f"Delights & Dragons - cut off after {turns} turn")


def test_the_limit_is_100_turns_of_both_players():
    state = DelightsAndDragons().start(1)
    decisions = 0
    while not state.is_over:
        choice = "reshuffle" if "reshuffle" in legal(state) else "end phase"
        state.apply(choice)
        decisions += 1
    assert (state.is_truncated, decisions, int(state.record.turn_number)) == (True, 100, 100)


def test_a_win_in_the_last_turn_counts():
    state = attack(battle(["Hero"], [], health=8, max_turns=3), 1)
    assert (state.is_truncated, state.returns()) == (False, [1, -1])


# Who is asked.


def test_a_player_with_cards_is_asked_though_none_of_them_can_be_played():
    """Whether the hand has a character is not for the others to know."""
    assert legal(begin([["Button"], []])) == ["end phase"]
    state = end_turn(end_turn(battle(["Page"], [])))
    play(state, "attack with slot 1", "play Button")
    assert legal(state) == ["end phase"]


def test_nobody_is_asked_when_all_see_that_nothing_is_left():
    state = play(begin([["Hero"], []]), "play Hero")
    assert state.is_chance, "the hand is empty, and the hero has just come"


# Every card is in exactly one place, and what is kept twice agrees.


def check(state: State) -> None:
    """A position is consistent in itself."""
    record, game = state.record, state.game
    assert isinstance(game, DelightsAndDragons)
    waiting = bool({"holder of an item", "target"} & set(sees(state, 0)["decision"]))
    assert (record.chosen >= 0) == waiting
    for seat in range(2):
        deck = record.decks[record.deck[seat]][: record.deck_sizes[record.deck[seat]]]
        place = record.place[seat][: len(deck)]
        for size, where in ((record.deck_size, 0), (record.hand_size, 1), (record.discard_size, 2)):
            assert size[seat] == np.count_nonzero(place == where)
        drawable = np.bincount(deck[place == 0], minlength=record.pile.shape[1])
        assert (drawable <= record.pile[seat]).all()
        assert record.deck_size[seat] > 0 or not record.pile[seat].any()
        assert np.count_nonzero(place == 3) == (record.phase == 2 and record.turn == seat)
        occupied = 0
        for slot in range(game.num_slots):
            cards = deck[place == 4 + slot]
            characters = cards[cards < len(game.characters)]
            if record.character[seat, slot] < 0:
                assert len(cards) == record.slot_attack[seat, slot] == record.marks[seat, slot] == 0
                continue
            occupied += 1
            assert characters.tolist() == [record.character[seat, slot]]
            assert record.slot_attack[seat, slot] == record.attack[cards].sum()
            assert record.slot_defense[seat, slot] == record.defense[cards].sum()
            assert record.marks[seat, slot] < 2 + record.legendary[characters[0]]
        assert occupied == record.in_play[seat]
        # Copies of a card cannot be told apart.
        for card in set(deck.tolist()):
            assert (np.diff(place[deck == card]) >= 0).all()
        seen = sees(state, seat)
        everywhere = Counter(seen["own_hand"]) + Counter(seen["own_deck"])
        everywhere += Counter(seen["own_discard"]) + Counter(seen["own_characters"].values())
        everywhere += Counter(item.rpartition(" ")[0] for item in seen["own_items"])
        if record.turn == seat:
            everywhere += Counter(seen["item"])
        assert everywhere == list(game.decklists.values())[record.deck[seat]]


@pytest.mark.parametrize("habit", [uniform, gather], ids=["uniform", "gather"])
def test_every_card_is_in_exactly_one_place(variant, habit):
    moves = np.random.default_rng(1)
    reshuffled = 0
    for seed in range(2):
        state = variant.start(seed, explicit_chance=True)
        while not state.is_over:
            state.apply(state.sample_chance() if state.is_chance else habit(state, moves))
            check(state)
            if state.player == 0:
                check(state.resample(0, seed))
        reshuffled += int(state.record.shuffles.sum())
    assert (reshuffled > 0) == (habit is gather)
