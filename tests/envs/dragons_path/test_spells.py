"""The advanced game of Dragon's Path: the draft, each spell by itself, and the best of three."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from duelgym.envs import dragons_path_v0
from duelgym.envs.core import State
from duelgym.envs.core.observation import offsets
from duelgym.envs.dragons_path import DragonsPath, rules
from duelgym.envs.dragons_path.names import SPELLS
from support.dragons_path import (
    ADVANCED,
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

COSTS = {
    "Titan's Emberforge": "fire earth",
    "Cinderstorm Prophecy": "fire wind",
    "Scalding Deluge": "fire water",
    "Molten Hellstrike": "fire thunder",
    "Skyshard Shift": "earth wind",
    "Primordial Maelstrom": "water earth",
    "Runebolt Invocation": "earth thunder",
    "Tempest of Omens": "water wind",
    "Stormveil Reversal": "wind thunder",
    "Mindstorm Dominion": "water thunder",
}
CASTABLE = [spell for spell in COSTS if spell != "Stormveil Reversal"]


def spell_table(
    spell: str, game: DragonsPath = ADVANCED, *, more: str = "", **places: str
) -> State:
    """Seat 0 holds a spell and its cost, and ``more`` cards."""
    return table(game, hand=f"{COSTS[spell]} {more}", spells=(spell,), **places)


def paid(spell: str) -> dict[str, str]:
    """What the cost of seat 0 moves."""
    one, other = COSTS[spell].split()
    return {"hand 0": f"-{one} -{other}", "discard 0": f"+{one} +{other}"}


def deal(*spells: str) -> State:
    """The draft after these were dealt, two to each player."""
    return play(ADVANCED.start(0, explicit_chance=True), *spells)


# The draft.


def test_two_of_ten_spells_are_dealt_to_each_player():
    state = ADVANCED.start(0, explicit_chance=True)
    assert legal(state) == list(SPELLS)
    play(state, "Skyshard Shift", "Scalding Deluge", "Tempest of Omens")
    assert sorted(legal(state)) == sorted(
        set(SPELLS) - {"Skyshard Shift", "Scalding Deluge", "Tempest of Omens"}
    )
    play(state, "Mindstorm Dominion")
    assert sees(state, 0)["own_dealt"] == ["Scalding Deluge", "Skyshard Shift"]
    assert sees(state, 1)["own_dealt"] == ["Tempest of Omens", "Mindstorm Dominion"]
    assert legal(state) == ["keep Scalding Deluge", "keep Skyshard Shift"]


def test_each_keeps_one_and_gives_the_other_away_and_all_see_them():
    state = deal("Skyshard Shift", "Scalding Deluge", "Tempest of Omens", "Mindstorm Dominion")
    play(state, "keep Skyshard Shift")
    assert (state.player, legal(state)) == (1, ["keep Tempest of Omens", "keep Mindstorm Dominion"])
    assert sees(state, 0)["own_kept"] == ["Skyshard Shift"]
    play(state, "keep Mindstorm Dominion")
    assert sees(state, 0)["own_spells"] == ["Skyshard Shift", "Tempest of Omens"]
    assert sees(state, 1)["own_spells"] == ["Scalding Deluge", "Mindstorm Dominion"]
    for seat in range(2):
        assert sees(state, seat)["own_spells"] == sees(state, 1 - seat)["rival_spells"]
        assert sees(state, seat)["own_dealt"] == sees(state, seat)["own_kept"] == []


def test_the_hands_are_drawn_after_the_draft():
    state = deal(*SPELLS[:4])
    assert sees(state, 0)["own_hand_size"] == 0
    play(state, f"keep {SPELLS[0]}", f"keep {SPELLS[2]}", *["fire"] * 5, *["wind"] * 5)
    assert (state.player, question(state)) == (0, "play or pass")
    assert (hand(state, 0), hand(state, 1)) == (words([5, 0, 0, 0, 0]), words([0, 0, 0, 5, 0]))


def test_the_second_to_choose_knows_neither_the_spells_nor_the_choice_of_the_first():
    views, logs = set(), set()
    for spells in (SPELLS[:2], SPELLS[4:6]):
        for kept in spells:
            state = play(deal(*spells, *SPELLS[2:4]), f"keep {kept}")
            views.add((state.observation(1).tobytes(), state.render(1)))
            logs.add(state.information_state(1))
    assert len(views) == len(logs) == 1


def test_the_secret_spells_and_choice_are_redrawn():
    state = play(deal(*SPELLS[:4]), f"keep {SPELLS[0]}")
    found: Counter[tuple[str, ...]] = Counter()
    for seed in range(2000):
        rival = sees(state.resample(1, seed), 0)
        assert set(rival["own_kept"]) < set(rival["own_dealt"])
        found[(*rival["own_dealt"], *rival["own_kept"])] += 1
    others = [spell for spell in SPELLS if spell not in SPELLS[2:4]]
    assert len(found) == len(others) * (len(others) - 1)  # pairs, and which of the two is kept
    # Binomial(2000, 1/56): five standard deviations are 30.
    assert all(abs(count - 2000 / 56) < 30 for count in found.values())
    assert all(sees(state.resample(0, n), 0)["own_kept"] == [SPELLS[0]] for n in range(20))


# Casting.


@pytest.mark.parametrize("spell", CASTABLE)
def test_a_spell_needs_its_two_elements_in_hand(spell):
    assert f"cast {spell}" in legal(spell_table(spell))
    for card in COSTS[spell].split():
        state = table(ADVANCED, hand=f"{card} {card}", spells=(spell,))
        assert f"cast {spell}" not in legal(state)


@pytest.mark.parametrize("spell", CASTABLE)
def test_only_own_spells_can_be_cast(spell):
    for rivals in ((spell,), ()):
        state = table(ADVANCED, hand=COSTS[spell], rival_spells=rivals)
        assert not any(move.startswith("cast") for move in legal(state))


@pytest.mark.parametrize("spell", CASTABLE)
def test_casting_discards_the_cost_and_uses_the_spell_up(spell):
    state = spell_table(spell, more="fire", rival_hand="fire water")
    after = play(state.clone(), f"cast {spell}")
    assert moved(state, after) == paid(spell)
    assert sees(after, 0)["own_spells"] == []
    assert sees(after, 0)["own_spells_used"] == sees(after, 1)["rival_spells_used"] == [spell]
    assert sees(after, 0)["spell"] == [spell]


@pytest.mark.parametrize("spell", CASTABLE)
def test_the_same_two_elements_cancel_a_spell_and_nothing_resolves(spell):
    state = spell_table(
        spell, more="fire", rival_hand=f"{COSTS[spell]} fire", path="fire", rival_path="water"
    )
    after = play(state.clone(), f"cast {spell}")
    assert (after.player, question(after)) == (1, "cancel the spell")
    assert legal(after) == ["refuse", "cancel the spell"]
    play(after, "cancel the spell")
    assert moved(state, after) == {
        **paid(spell),
        "hand 1": paid(spell)["hand 0"],
        "discard 1": paid(spell)["discard 0"],
    }
    assert turn(after) == (1, 2)
    assert known(after, 1) == ""
    assert sees(after, 0)["own_spells_used"] == [spell]


def test_normal_reactions_do_not_help_against_a_spell():
    state = spell_table("Scalding Deluge", rival_hand="wind thunder")
    assert legal(play(state, "cast Scalding Deluge")) == ["refuse"]


def test_the_opponent_is_asked_from_two_cards_on():
    views = set()
    for held in ("fire water", "wind thunder"):
        state = play(spell_table("Scalding Deluge", rival_hand=held), "cast Scalding Deluge")
        views.add((state.player, state.observation(0).tobytes(), state.render(0)))
    assert len(views) == 1
    assert play(spell_table("Scalding Deluge", rival_hand="fire"), "cast Scalding Deluge").is_chance


# Titan's Emberforge.


def test_titans_emberforge_plays_the_top_two_without_effects():
    state = spell_table("Titan's Emberforge", rival_path="fire")
    after = play(state.clone(), "cast Titan's Emberforge", "fire", "wind")
    assert moved(state, after) == {
        **paid("Titan's Emberforge"),
        "deck 0": "-fire -wind",
        "path 0": "+fire +wind",
    }
    assert turn(after) == (1, 2)


@pytest.mark.parametrize("deck", ["", "water"])
def test_titans_emberforge_with_too_small_a_deck_plays_what_there_is(deck):
    state = spell_table("Titan's Emberforge", deck=deck)
    after = play(state.clone(), "cast Titan's Emberforge", *deck.split())
    there = {"deck 0": "-water", "path 0": "+water"} if deck else {}
    assert moved(state, after) == {**paid("Titan's Emberforge"), **there}
    assert turn(after) == (1, 2)


def test_victory_is_checked_after_a_spell():
    state = spell_table("Titan's Emberforge", path="fire water earth")
    play(state, "cast Titan's Emberforge", "wind", "thunder")
    assert state.record.tokens.tolist() == [1, 0]


# Cinderstorm Prophecy.


def test_cinderstorm_reveals_applies_an_effect_and_discards():
    state = spell_table("Cinderstorm Prophecy", rival_path="water")
    after = play(state.clone(), "cast Cinderstorm Prophecy", "fire")
    assert moved(state, after) == {
        **paid("Cinderstorm Prophecy"),
        "deck 0": "-fire",
        "revealed": "+fire",
    }
    assert (question(after), legal(after)) == (
        "use the revealed card",
        ["fire A: remove", "fire B: search"],
    )
    assert sees(after, 1)["revealed"] == ["fire"]
    play(after, "fire A: remove", "water")
    assert moved(state, after) == {
        "hand 0": "-fire -wind",
        "deck 0": "-fire",
        "discard 0": "+fire +fire +wind",
        "path 1": "-water",
        "discard 1": "+water",
    }
    assert (question(after), legal(after)) == ("reveal another", ["stop", "reveal another"])
    assert turn(play(after, "stop")) == (1, 2)


def test_cinderstorm_goes_on_up_to_three_times():
    state = spell_table("Cinderstorm Prophecy", more="wind")
    after = play(state.clone(), "cast Cinderstorm Prophecy", "wind", "wind A: make discard")
    assert sees(after, 0)["reveals_left"] == 2
    play(after, "reveal another", "thunder")
    assert legal(after) == ["thunder A: draw"], "reactions are no effects to apply"
    play(after, "thunder A: draw", "active player", "water")
    play(after, "reveal another", "earth", "earth A: play another", "wind")
    assert moved(state, after) == {
        "hand 0": "+water -fire -wind -wind",
        "deck 0": "-water -earth -wind -thunder",
        "discard 0": "+fire +earth +wind +wind +thunder",
        "path 0": "+wind",
    }
    assert turn(after) == (1, 2), "there is no fourth"


def test_the_revealed_card_lies_nowhere_until_its_effect_is_done():
    """Earth B cannot fetch it and Fire B cannot find it."""
    state = spell_table("Cinderstorm Prophecy", deck="fire water", discard="thunder")
    play(state, "cast Cinderstorm Prophecy", "fire", "fire B: search")
    assert legal(state) == ["water"]
    state = table(ADVANCED, hand="fire wind", spells=("Cinderstorm Prophecy",))
    play(state, "cast Cinderstorm Prophecy", "earth", "earth B: return")
    assert legal(state) == ["fire", "wind"]


def test_cinderstorm_ends_with_the_deck_and_does_nothing_with_an_empty_one():
    state = spell_table("Cinderstorm Prophecy", deck="")
    after = play(state.clone(), "cast Cinderstorm Prophecy")
    assert moved(state, after) == paid("Cinderstorm Prophecy")
    state = spell_table("Cinderstorm Prophecy", deck="wind")
    play(state, "cast Cinderstorm Prophecy", "wind", "wind A: make discard")
    assert turn(state) == (1, 2)


def test_a_failed_draw_in_a_cinderstorm_ends_the_match():
    state = spell_table("Cinderstorm Prophecy", deck="thunder")
    play(state, "cast Cinderstorm Prophecy", "thunder", "thunder A: draw", "active player")
    assert state.record.tokens.tolist() == [0, 1]
    assert state.record.revealed == rules.NO_CARD


# Scalding Deluge.


def test_scalding_deluge_puts_nine_cards_into_the_discard_pile():
    state = spell_table("Scalding Deluge", rival_hand="wind")
    cards = ["fire"] * 5 + ["thunder"] * 4
    after = play(state.clone(), "cast Scalding Deluge", *cards)
    assert moved(state, after) == {
        **paid("Scalding Deluge"),
        "deck 1": " ".join(f"-{card}" for card in cards),
        "discard 1": " ".join(f"+{card}" for card in cards),
    }
    assert turn(after) == (1, 2)


def test_scalding_deluge_is_no_draw_so_a_small_deck_costs_nothing_yet():
    state = spell_table("Scalding Deluge", rival_deck="wind wind")
    play(state, "cast Scalding Deluge", "wind", "wind")
    assert state.record.match_ending[0] == rules.DECK_OUT, "but the next turn begins with a draw"
    assert state.record.tokens.tolist() == [1, 0]


# Molten Hellstrike.


def test_molten_hellstrike_removes_three_and_then_the_opponents_top_card_is_played():
    state = spell_table("Molten Hellstrike", rival_path="water water earth wind")
    after = play(state.clone(), "cast Molten Hellstrike")
    assert legal(after) == ["water", "earth", "wind", "stop"]
    play(after, "water", "wind", "water", "thunder")
    assert moved(state, after) == {
        **paid("Molten Hellstrike"),
        "path 1": "+thunder -water -water -wind",
        "discard 1": "+water +water +wind",
        "deck 1": "-thunder",
    }
    assert turn(after) == (1, 2)


def test_molten_hellstrike_may_stop_before_three():
    state = spell_table("Molten Hellstrike", rival_path="water earth")
    after = play(state.clone(), "cast Molten Hellstrike", "water", "stop", "fire")
    assert moved(state, after) == {
        **paid("Molten Hellstrike"),
        "path 1": "+fire -water",
        "discard 1": "+water",
        "deck 1": "-fire",
    }


@pytest.mark.parametrize("deck", ["", "wind"])
def test_molten_hellstrike_without_a_target_or_a_deck(deck):
    state = spell_table("Molten Hellstrike", rival_deck=deck)
    play(state, "cast Molten Hellstrike", *deck.split())
    assert state.record.match_ending[0] == rules.DECK_OUT
    assert state.record.match_winner[0] == 0


# Skyshard Shift.


def test_skyshard_shift_switches_two_cards_and_draws_two():
    state = spell_table("Skyshard Shift", path="fire water", rival_path="thunder wind")
    after = play(state.clone(), "cast Skyshard Shift")
    assert (question(after), legal(after)) == ("switch", ["fire", "water"])
    play(after, "fire")
    assert (question(after), legal(after)) == ("switch for", ["wind", "thunder"])
    play(after, "thunder", "earth", "earth")
    assert moved(state, after) == {
        "hand 0": "+earth -wind",
        "discard 0": "+earth +wind",
        "deck 0": "-earth -earth",
        "path 0": "-fire",
        "foreign in path 0": "+thunder",
        "path 1": "-thunder",
        "foreign in path 1": "+fire",
    }
    assert sees(after, 0)["own_path"] == {"water": 1, "thunder": 1}
    assert sees(after, 0)["own_path_foreign"] == {"thunder": 1}
    assert sees(after, 1)["own_path_foreign"] == {"fire": 1}
    assert turn(after) == (1, 2)


@pytest.mark.parametrize("there", ["path", "rival_path"])
def test_skyshard_shift_with_an_empty_path_only_draws(there):
    places: dict[str, Any] = {there: "fire"}
    state = spell_table("Skyshard Shift", **places)
    after = play(state.clone(), "cast Skyshard Shift", "fire", "fire")
    assert moved(state, after) == {
        "hand 0": "+fire +fire -earth -wind",
        "discard 0": "+earth +wind",
        "deck 0": "-fire -fire",
    }


def test_skyshard_shift_with_too_small_a_deck_loses():
    state = spell_table("Skyshard Shift", deck="fire")
    play(state, "cast Skyshard Shift", "fire")
    assert state.record.match_winner[0] == 1


def test_foreign_cards_go_to_their_owners_discard_pile():
    state = table(ADVANCED, hand="fire", rival_path="water", rival_foreign="earth")
    after = play(state.clone(), "fire A: remove")
    assert legal(after) == ["water", "foreign earth"]
    play(after, "foreign earth")
    assert moved(state, after) == {
        "hand 0": "-fire",
        "path 0": "+fire",
        "foreign in path 1": "-earth",
        "discard 0": "+earth",
    }


def test_foreign_cards_count_for_the_path_that_they_lie_in():
    state = table(ADVANCED, hand="fire", path="fire fire", foreign="fire")
    play(state, "fire B: search", "water")
    assert state.record.match_ending[0] == rules.FOUR_ALIKE
    state = table(ADVANCED, hand="fire", path="water earth wind", foreign="thunder")
    play(state, "fire B: search", "water")
    assert state.record.match_ending[0] == rules.FIVE_DIFFERENT


def test_water_b_gives_a_foreign_card_back_and_takes_from_the_own_discard_pile():
    state = table(ADVANCED, hand="water", foreign="thunder", discard="fire", rival_discard="earth")
    after = play(state.clone(), "water B: exchange", "active player")
    assert legal(after) == ["water", "foreign thunder"]
    play(after, "foreign thunder")
    assert sees(after, 0)["chosen_card"] == ["thunder"]
    assert sees(after, 1)["chosen_foreign"] == ["yes"]
    assert legal(after) == ["fire"]
    play(after, "fire")
    assert moved(state, after) == {
        "hand 0": "-water",
        "path 0": "+fire +water",
        "foreign in path 0": "-thunder",
        "discard 0": "-fire",
        "discard 1": "+thunder",
    }


def test_a_foreign_card_can_be_switched_home():
    state = spell_table("Skyshard Shift", path="fire", foreign="thunder", rival_path="wind")
    after = play(state.clone(), "cast Skyshard Shift", "foreign thunder", "wind", "fire", "fire")
    changes = moved(state, after)
    assert changes["foreign in path 0"] == "+wind -thunder"
    assert changes["path 1"] == "+thunder -wind"
    assert "foreign in path 1" not in changes


# Primordial Maelstrom.


def test_primordial_maelstrom_shuffles_up_to_two_cards_into_their_owners_deck():
    state = spell_table("Primordial Maelstrom", rival_path="fire wind", rival_foreign="thunder")
    after = play(state.clone(), "cast Primordial Maelstrom")
    assert legal(after) == ["fire", "wind", "stop", "foreign thunder"]
    play(after, "foreign thunder")
    assert legal(after) == ["fire", "wind", "stop"]
    play(after, "wind")
    assert moved(state, after) == {
        **paid("Primordial Maelstrom"),
        "path 1": "-wind",
        "deck 1": "+wind",
        "foreign in path 1": "-thunder",
        "deck 0": "+thunder",
    }
    assert sees(after, 1)["own_deck_known"] == sees(after, 0)["rival_deck_known"] == {"wind": 1}
    assert sees(after, 0)["own_deck_known"] == sees(after, 1)["rival_deck_known"] == {"thunder": 1}
    assert turn(after) == (1, 2)


def test_primordial_maelstrom_may_stop_and_may_have_no_target():
    state = spell_table("Primordial Maelstrom", rival_path="fire")
    after = play(state.clone(), "cast Primordial Maelstrom", "stop")
    assert moved(state, after) == paid("Primordial Maelstrom")
    state = spell_table("Primordial Maelstrom")
    after = play(state.clone(), "cast Primordial Maelstrom")
    assert moved(state, after) == paid("Primordial Maelstrom")
    assert turn(after) == (1, 2)


def test_cards_that_a_maelstrom_shuffled_in_are_known_jointly_until_drawn():
    state = spell_table("Primordial Maelstrom", rival_path="fire wind", rival_hand="fire water")
    play(state, "cast Primordial Maelstrom", "refuse", "fire", "wind")
    assert sees(state, 0)["rival_deck_sure"] == 2
    play(state, "earth")
    assert sees(state, 0)["rival_deck_known"] == {"fire": 1, "wind": 1}
    assert sees(state, 0)["rival_deck_sure"] == 1, "one of them may have been drawn"
    for seed in range(50):
        deck = sees(state.resample(0, seed), 1)["own_deck"]
        assert deck.get("fire", 0) + deck.get("wind", 0) >= 1
    play(state, "pass", "fire", "pass", "earth")
    assert sees(state, 0)["rival_deck_known"] == {}
    assert sees(state, 0)["rival_deck_sure"] == 0


def test_resampling_leaves_a_maelstroms_card_in_the_deck():
    """The rival has one earth in its whole deck and hand, and it was shuffled in."""
    state = spell_table(
        "Primordial Maelstrom",
        rival_path="earth wind",
        rival_hand="fire fire",
        rival_deck="water water",
    )
    play(state, "cast Primordial Maelstrom", "refuse", "earth", "stop")
    hands = {hand(state.resample(0, seed), 1) for seed in range(60)}
    assert hands == {"fire fire", "fire water", "water water"}
    play(state, "water")
    hands = {hand(state.resample(0, seed), 1) for seed in range(300)}
    assert "fire fire earth" in hands, "now it may have been drawn"


def test_a_maelstroms_card_that_is_played_can_only_have_been_drawn():
    """The rival's only earth was shuffled in: so it is the card drawn, and the wind is in the deck."""
    state = spell_table(
        "Primordial Maelstrom", rival_path="earth wind", rival_hand="fire", rival_deck="water water"
    )
    play(state, "cast Primordial Maelstrom", "earth", "wind", "earth", "earth B: return")
    assert sees(state, 0)["rival_deck_known"] == {"wind": 1}
    assert sees(state, 0)["rival_deck_sure"] == 1


def test_a_maelstroms_card_that_is_turned_up_is_no_longer_in_the_deck():
    state = table(
        ADVANCED,
        hand="water earth",
        rival_hand="fire thunder",
        rival_foreign="earth wind",
        spells=("Primordial Maelstrom",),
        rival_spells=("Molten Hellstrike",),
    )
    play(state, "cast Primordial Maelstrom", "refuse", "foreign earth", "foreign wind", "water")
    assert sees(state, 1)["rival_deck_sure"] == 2
    play(state, "cast Molten Hellstrike", "earth")
    assert sees(state, 1)["rival_deck_known"] == {"wind": 1}
    assert sees(state, 1)["rival_deck_sure"] == 1


@pytest.mark.parametrize(
    ("drawn", "left"), [("water", {"earth": 1, "wind": 1}), ("earth", {"wind": 1})]
)
def test_who_sees_the_hand_knows_which_of_the_maelstroms_cards_are_still_in_the_deck(drawn, left):
    state = table(
        ADVANCED,
        hand="water water earth wind",
        rival_hand="fire",
        rival_path="earth wind",
        rival_deck="water water",
        spells=("Primordial Maelstrom", "Tempest of Omens"),
    )
    play(state, "cast Primordial Maelstrom", "earth", "wind", drawn, "pass", "fire")
    assert sees(state, 0)["rival_deck_sure"] == 1
    play(state, "cast Tempest of Omens", "refuse")
    assert sees(state, 0)["rival_deck_known"] == left
    assert sees(state, 0)["rival_deck_sure"] == len(left)


def test_a_maelstrom_shuffles_so_a_card_searched_to_the_top_is_lost():
    game = DragonsPath("advanced", fire_search_to="deck_top")
    state = table(
        game,
        hand="water earth",
        rival_hand="fire",
        rival_path="wind",
        rival_deck="thunder water",
        spells=("Primordial Maelstrom",),
    )
    play(state, "pass", "water", "fire B: search", "refuse", "thunder")
    assert sees(state, 1)["own_top"] == ["thunder"]
    play(state, "fire", "cast Primordial Maelstrom", "wind", "stop")
    assert sees(state, 1)["own_top"] == sees(state, 0)["rival_top_searched"] == []
    assert legal(state) == ["wind", "thunder"]


# Runebolt Invocation.


def test_runebolt_invocation_plays_a_card_of_the_deck_with_an_effect():
    state = spell_table(
        "Runebolt Invocation", deck="fire wind", rival_hand="wind", rival_path="water"
    )
    after = play(state.clone(), "cast Runebolt Invocation")
    assert legal(after) == ["fire A: remove", "fire B: search", "wind A: make discard"]
    play(after, "fire A: remove")
    assert question(after) == "remove", "there is no response"
    play(after, "water")
    assert moved(state, after) == {
        **paid("Runebolt Invocation"),
        "deck 0": "-fire",
        "path 0": "+fire",
        "path 1": "-water",
        "discard 1": "+water",
    }
    assert turn(after) == (1, 2)


def test_runebolt_invocation_with_an_empty_deck_does_nothing():
    state = spell_table("Runebolt Invocation", deck="")
    after = play(state.clone(), "cast Runebolt Invocation")
    assert moved(state, after) == paid("Runebolt Invocation")
    assert turn(after) == (1, 2)


def test_runebolt_invocation_shuffles_at_last_so_a_card_searched_to_the_top_is_lost():
    game = DragonsPath("advanced", fire_search_to="deck_top")
    state = spell_table("Runebolt Invocation", game, deck="fire wind water")
    play(state, "cast Runebolt Invocation", "fire B: search", "wind")
    assert sees(state, 0)["own_top"] == []
    play(state, "fire", "pass")
    assert legal(state) == ["water", "wind"]


# Tempest of Omens.


def test_tempest_of_omens_shows_the_hand_and_discards_two_of_it():
    state = spell_table("Tempest of Omens", rival_hand="fire water wind wind")
    after = play(state.clone(), "cast Tempest of Omens")
    assert known(after, 1) == "", "not before the opponent has refused"
    play(after, "refuse")
    assert known(after, 1) == "fire water wind wind"
    assert (after.player, legal(after)) == (0, ["fire", "water", "wind", "stop"])
    play(after, "wind", "water")
    assert moved(state, after) == {
        **paid("Tempest of Omens"),
        "hand 1": "-water -wind",
        "discard 1": "+water +wind",
    }
    assert known(after, 1) == "fire wind", "what was seen stays known"
    play(after, "thunder")
    assert (hand(after, 1), known(after, 1)) == ("fire wind thunder", "fire wind")
    for seed in range(30):
        assert {"fire", "wind"} <= set(hand(after.resample(0, seed), 1).split())


def test_of_three_earths_seen_one_is_played_returned_and_another_played():
    state = table(
        ADVANCED,
        hand="earth earth earth",
        rival_hand="water wind thunder",
        rival_spells=("Tempest of Omens",),
    )
    play(state, "pass", "thunder", "cast Tempest of Omens", "refuse", "stop")
    assert known(state, 0) == "earth earth earth"
    play(state, "fire", "earth A: play another", "respond with thunder", "earth")
    assert hand(state, 0) == "fire earth earth"
    assert known(state, 0) == "earth earth"


def test_tempest_of_omens_may_stop_and_may_meet_an_empty_hand():
    state = spell_table("Tempest of Omens", rival_hand="fire water")
    after = play(state.clone(), "cast Tempest of Omens", "refuse", "stop")
    assert moved(state, after) == paid("Tempest of Omens")
    assert known(after, 1) == "fire water"
    state = spell_table("Tempest of Omens")
    after = play(state.clone(), "cast Tempest of Omens")
    assert moved(state, after) == paid("Tempest of Omens")


def test_the_caster_of_a_tempest_logs_the_hand_that_it_sees():
    for held in ({"fire water", "wind wind"}, {"fire", "wind"}):
        logs = set()
        for cards in held:
            state = play(spell_table("Tempest of Omens", rival_hand=cards), "cast Tempest of Omens")
            play(state, *["refuse"] * (len(cards.split()) - 1))
            logs.add(state.information_state(0))
        assert len(logs) == 2


# Stormveil Reversal.


def stormveil(more: str = "", **places: Any) -> State:
    """Seat 1 holds Stormveil Reversal and what it costs, and seat 0 plays a fire."""
    return table(
        ADVANCED,
        hand=f"fire {more}",
        rival_hand="thunder wind",
        rival_spells=("Stormveil Reversal",),
        **places,
    )


def test_stormveil_cancels_removes_the_card_and_draws():
    state = stormveil(rival_path="water")
    after = play(state.clone(), "fire A: remove")
    assert legal(after) == [
        "respond with wind",
        "respond with thunder",
        "refuse",
        "cast Stormveil Reversal",
    ]
    play(after, "cast Stormveil Reversal", "earth")
    assert moved(state, after) == {
        "hand 0": "-fire",
        "discard 0": "+fire",
        "hand 1": "+earth -wind -thunder",
        "discard 1": "+wind +thunder",
        "deck 1": "-earth",
    }
    assert known(after, 1) == ""
    assert sees(after, 0)["rival_spells_used"] == ["Stormveil Reversal"]
    assert turn(after) == (1, 2)


def test_a_cancelled_stormveil_draws_nothing_and_the_effect_resolves():
    state = stormveil(more="thunder wind", rival_path="water")
    after = play(state.clone(), "fire A: remove", "cast Stormveil Reversal")
    assert (after.player, question(after)) == (0, "cancel the spell")
    assert legal(after) == ["refuse", "cancel the spell"]
    play(after, "cancel the spell")
    assert (after.player, question(after)) == (0, "remove"), "the response is used up"
    play(after, "water")
    assert moved(state, after) == {
        "hand 0": "-fire -wind -thunder",
        "discard 0": "+wind +thunder",
        "path 0": "+fire",
        "hand 1": "-wind -thunder",
        "discard 1": "+water +wind +thunder",
        "path 1": "-water",
    }
    assert sees(after, 0)["rival_spells_used"] == ["Stormveil Reversal"]


def test_stormveil_is_never_cast_in_the_main_phase_nor_against_a_spell():
    state = table(ADVANCED, hand="thunder wind", spells=("Stormveil Reversal",))
    assert "cast Stormveil Reversal" not in legal(state)
    state = table(
        ADVANCED,
        hand="fire water",
        rival_hand="thunder wind",
        spells=("Scalding Deluge",),
        rival_spells=("Stormveil Reversal",),
    )
    assert legal(play(state, "cast Scalding Deluge")) == ["refuse"]


def test_stormveil_with_an_empty_deck_loses():
    state = play(stormveil(rival_deck=""), "fire B: search", "cast Stormveil Reversal")
    assert state.record.match_winner[0] == 0


def test_stormveil_takes_away_a_card_that_would_win():
    state = stormveil(path="fire fire fire")
    play(state, "fire B: search", "cast Stormveil Reversal", "earth")
    assert state.record.tokens.tolist() == [0, 0]


# Mindstorm Dominion.


def mindstorm(more: str = "", rival_hand: str = "fire earth", **places: Any) -> State:
    """Seat 0 has cast it, and the turn of seat 1 is about to begin with a draw."""
    state = spell_table("Mindstorm Dominion", more=more, rival_hand=rival_hand, **places)
    play(state, "cast Mindstorm Dominion")
    return play(state, "refuse") if len(rival_hand.split()) > 1 else state


def test_the_caster_of_a_mindstorm_sees_the_hand_and_decides_in_the_next_turn():
    state = mindstorm()
    assert known(state, 1) == "", "not before the turn begins"
    play(state, "water")
    assert (state.player, turn(state)) == (0, (1, 2))
    assert known(state, 1) == hand(state, 1) == "fire water earth"
    caster, victim = sees(state, 0), sees(state, 1)
    assert (caster["mindstorm"], victim["mindstorm"]) == (["by observer"], ["by rival"])
    assert (caster["decides"], caster["decides_for"]) == (["observer"], ["rival"])
    assert (victim["decides"], victim["decides_for"]) == (["rival"], ["observer"])
    assert "fire A: remove" in legal(state)
    after = play(state.clone(), "fire B: search")
    assert (after.player, question(after)) == (0, "search"), "seat 0 has no card for a response"
    play(after, "thunder")
    assert moved(state, after) == {
        "hand 1": "+thunder -fire",
        "path 1": "+fire",
        "deck 1": "-thunder",
    }
    assert known(after, 1) == hand(after, 1) == "water earth thunder"


def test_the_text_shows_a_hand_to_the_caster_of_a_mindstorm_when_the_turn_has_begun():
    state = mindstorm(more="fire wind")
    assert "hand     2 cards, known of them: -" in state.render(0)
    play(state, "water")
    assert "hand     fire 1, water 1, earth 1 (known to the opponent" in state.render(0)
    assert "Mindstorm: player_0 (you) decides for player_1" in state.render(0)
    assert state.render(0).endswith("player_0 (you) decides for player_1: play or pass")
    assert "known of them" in state.render(1), "the caster's own hand stays hidden"


def test_the_turn_after_a_mindstorm_is_the_victims_again_and_the_hand_stays_known():
    state = play(mindstorm(more="fire"), "water", "pass", "wind")
    assert (state.player, turn(state)) == (0, (0, 3))
    assert sees(state, 0)["mindstorm"] == []
    play(state, "pass", "wind")
    assert (state.player, turn(state)) == (1, (1, 4))
    assert hand(state, 1) == "fire water earth wind"
    assert known(state, 1) == "fire water earth"
    for seed in range(30):
        held = Counter(hand(state.resample(0, seed), 1).split())
        assert held >= Counter(["fire", "water", "earth"])


def test_in_a_mindstorm_the_victims_discards_are_the_casters_choice_and_the_casters_its_own():
    state = play(mindstorm(more="fire", rival_hand="water earth"), "wind")
    play(state, "water A: draw and discard")
    assert (state.player, question(state), sees(state, 0)["decides_for"]) == (
        0,
        "respond",
        ["observer"],
    )
    play(state, "refuse")
    victim = play(state.clone(), "active player", "fire", "fire", "fire")
    assert (victim.player, question(victim)) == (0, "discard")
    assert sees(victim, 0)["decides_for"] == ["rival"]
    assert legal(victim) == ["fire", "earth", "wind"]
    assert known(victim, 1) == hand(victim, 1), "the victim's draws are seen"
    caster = play(state.clone(), "other player", "wind", "wind", "wind")
    assert (caster.player, question(caster)) == (0, "discard")
    assert sees(caster, 0)["decides_for"] == ["observer"]
    assert legal(caster) == ["fire", "wind"]
    assert known(caster, 0) == ""


def test_a_wind_played_in_a_mindstorm_makes_the_caster_discard_a_card_of_its_choice():
    state = play(mindstorm(more="fire", rival_hand="wind earth"), "wind")
    play(state, "wind A: make discard", "refuse")
    assert (state.player, sees(state, 0)["decides_for"], legal(state)) == (
        0,
        ["observer"],
        ["fire"],
    )


def test_the_victims_spells_stay_out_of_a_mindstorm():
    state = table(
        ADVANCED,
        hand="water thunder",
        rival_hand="fire water",
        spells=("Mindstorm Dominion",),
        rival_spells=("Scalding Deluge",),
    )
    play(state, "cast Mindstorm Dominion", "refuse", "fire")
    assert "cast Scalding Deluge" not in legal(state)
    play(state, "pass", "fire", "pass", "fire")
    assert (state.player, "cast Scalding Deluge" in legal(state)) == (1, True)


def test_the_caster_of_a_mindstorm_may_respond_with_stormveil_and_decides_whether_to_cancel_it():
    state = table(
        ADVANCED,
        hand="water thunder thunder wind",
        rival_hand="fire thunder wind",
        rival_path="fire fire fire",
        spells=("Mindstorm Dominion", "Stormveil Reversal"),
    )
    play(state, "cast Mindstorm Dominion", "refuse", "earth", "fire A: remove")
    assert (state.player, legal(state)[-1]) == (0, "cast Stormveil Reversal")
    play(state, "cast Stormveil Reversal")
    assert (state.player, question(state)) == (0, "cancel the spell")
    assert sees(state, 0)["decides_for"] == ["rival"]
    assert legal(state) == ["refuse", "cancel the spell"]
    play(state, "refuse", "fire")
    assert words(state.record.path[1, 1]) == "fire fire fire"
    assert turn(state) == (0, 3)


def test_victory_and_an_empty_deck_stay_the_victims_in_a_mindstorm():
    state = play(mindstorm(rival_path="fire fire fire fire"), "water", "pass")
    assert state.record.tokens.tolist() == [0, 1]
    assert mindstorm(rival_deck="").record.tokens.tolist() == [1, 0]


def test_a_mindstorm_is_lost_with_the_match():
    state = spell_table("Mindstorm Dominion", path="fire fire fire fire")
    play(state, "cast Mindstorm Dominion")
    assert state.record.tokens.tolist() == [1, 0]
    play(state, *["fire"] * 5, *["wind"] * 5)
    assert (state.player, turn(state)) == (1, (1, 1)), "the loser begins, and decides"
    assert sees(state, 0)["mindstorm"] == sees(state, 1)["mindstorm"] == []
    play(state, "pass", "water")
    assert state.player == 0
    play(state, "pass", "water")
    assert state.player == 1


def test_a_card_searched_to_the_top_in_a_mindstorm_is_known_to_both():
    game = DragonsPath("advanced", fire_search_to="deck_top")
    state = spell_table("Mindstorm Dominion", game, rival_hand="fire")
    play(state, "cast Mindstorm Dominion", "water", "fire B: search", "thunder")
    assert sees(state, 0)["rival_top"] == sees(state, 1)["own_top"] == ["thunder"]
    assert sees(state, 1)["own_top_known"] == ["yes"]
    play(state, "fire", "pass")
    assert legal(state) == ["thunder"]
    assert known(play(state, "thunder"), 1) == "water thunder"


def test_aec_asks_the_caster_in_a_mindstorm():
    """Random play: the caster is the agent to move, and sees the hand that it plays from."""
    env = dragons_path_v0.env(variant="advanced")
    controls = offsets(ADVANCED.sections)["mindstorm"].start
    moves = np.random.default_rng(1)
    borrowed = 0
    for seed in range(60):
        env.reset(seed=seed)
        for agent in env.agent_iter():
            observation, _, over, _, _ = env.last()
            assert observation is not None
            if over:
                env.step(None)
                continue
            if observation["observation"][controls]:
                seen = ADVANCED.describe(observation["observation"])
                assert (seen["decides"], seen["mindstorm"]) == (["observer"], ["by observer"])
                borrowed += seen["decides_for"] == ["rival"]
                victim = 1 - env.possible_agents.index(agent)
                assert seen["rival_hand_known"] == sees(env.snapshot(), victim)["own_hand"]
                assert not env.observe(env.possible_agents[victim])["action_mask"].any()
            env.step(moves.choice(np.flatnonzero(observation["action_mask"])))
    assert borrowed > 8


def test_vector_rows_name_the_caster_as_the_player_in_a_mindstorm():
    games = ADVANCED.vector(256)
    games.reset(3)
    borrowed = 0
    for step in range(150):
        for row in np.flatnonzero(games._states["controller"] == 1 - games._states["turn"]):
            seen = ADVANCED.describe(games.observations[row])
            caster = int(games._states["controller"][row])
            assert games.players[row] == caster
            assert seen["mindstorm"] == ["by observer"]
            borrowed += seen["decides_for"] == ["rival"]
        games.step(games.random_actions(3, step))
        for rewards in games.rewards[games.terminated]:
            assert sorted(rewards.tolist()) == [-1, 1]
    assert borrowed > 50


# Best of three.


def won(game: DragonsPath, first_winner: int) -> State:
    """The first match is over: won by the seat whose path was complete, or by deck-out."""
    state = table(game, path="fire fire fire fire", rival_path="water water water water")
    if first_winner == 0:
        return play(state, "pass")
    state = table(game, rival_path="water water water water")
    return play(state, "pass", "fire", "pass")


@pytest.mark.parametrize("winner", [0, 1])
@pytest.mark.parametrize("next_first", ["loser", "alternate"])
def test_the_next_match_begins_with_fresh_cards_and_the_loser_or_by_turns(winner, next_first):
    state = won(DragonsPath("advanced", next_first=next_first), winner)
    assert not state.is_over
    assert state.record.tokens.tolist() == [1 - winner, winner]
    assert sees(state, winner)["own_tokens"] == sees(state, 1 - winner)["rival_tokens"] == 1
    assert words(state.record.deck[0]) == words(state.record.deck[1]) == words([5] * 5)
    play(state, *["fire"] * 5, *["wind"] * 5)
    first = 1 - winner if next_first == "loser" else 1
    assert (state.player, turn(state)) == (first, (first, 1))
    assert sees(state, first)["own_first"] == ["yes"]
    assert sees(state, 1 - first)["own_first"] == []
    assert not state.is_chance, "no draw in the first turn of any match"


def test_two_tokens_win_the_game_and_only_then_is_it_paid():
    state = won(ADVANCED, 0)
    play(state, *["earth"] * 3, "fire", "fire", *["wind"] * 5)
    play(state, "pass", "fire", "earth A: play another", "refuse", "earth", "fire", "pass")
    assert not state.is_over
    play(state, "earth", "earth A: play another", "refuse", "earth")
    assert state.is_over
    assert state.returns() == [1, -1]
    assert state.record.match_winner.tolist() == [0, 0, rules.NOBODY]
    assert str(state).startswith(
        "Dragon's Path - player_0 wins, 2 to 0, the last match by four alike"
    )


def test_one_match_each_makes_a_third():
    state = won(ADVANCED, 0)
    play(state, *["wind"] * 5, *["earth"] * 3, "fire", "fire")
    play(state, "earth A: play another", "refuse", "earth", "fire", "pass")
    play(state, "earth", "earth A: play another", "refuse", "earth")
    assert (state.record.match, state.record.tokens.tolist()) == (2, [1, 1])
    assert not state.is_over
    play(state, *["fire"] * 10)
    assert turn(state) == (0, 1), "the loser of the second match begins the third"


def test_the_fastest_game_takes_sixteen_decisions():
    state = deal("Titan's Emberforge", "Scalding Deluge", "Skyshard Shift", "Tempest of Omens")
    play(state, "keep Titan's Emberforge", "keep Skyshard Shift")
    play(state, "fire", "earth", "earth", "earth", "wind", *["wind"] * 5)
    play(state, "cast Titan's Emberforge", "refuse", "earth", "earth", "fire", "pass", "fire")
    play(state, "earth A: play another", "refuse", "earth")
    assert state.record.tokens.tolist() == [1, 0]
    play(state, *["earth"] * 3, "fire", "fire", *["wind"] * 5, "pass", "water")
    play(state, "earth A: play another", "refuse", "earth", "fire", "pass", "earth")
    play(state, "earth A: play another", "refuse", "earth")
    assert state.returns() == [1, -1]
    cards = 4 + 2 * 10 + 2 + 2 + 3
    assert ADVANCED.facts.min_decisions == len(state.history()) - cards == 16


def test_a_used_spell_never_comes_back():
    state = spell_table("Titan's Emberforge", path="fire water earth")
    play(state, "cast Titan's Emberforge", "wind", "thunder")
    assert state.record.match == 1
    play(state, *["wind"] * 5, *["fire"] * 5)
    assert sees(state, 0)["own_spells_used"] == ["Titan's Emberforge"]
    assert sees(state, 0)["own_spells"] == []


def test_decks_of_different_matches_are_shuffled_anew_and_alike_for_all_lines_of_play():
    """The opening hands of the second match do not depend on how the first one was played."""
    hands = []
    for policy in range(4):
        moves = np.random.default_rng(policy)
        state = ADVANCED.start(5)
        while state.record.match == 0:
            state.apply(moves.choice(state.legal_actions()))
        hands.append((hand(state, 0), hand(state, 1)))
    assert len(set(hands)) == 1


# The draft's codes.


def test_both_choices_are_logged_once_they_are_revealed():
    logs = []
    for first in SPELLS[:2]:
        for second in SPELLS[2:4]:
            state = play(deal(*SPELLS[:4]), f"keep {first}", f"keep {second}")
            logs.append((state.information_state(0), state.information_state(1)))
    assert len({log for log, _ in logs}) == len({log for _, log in logs}) == 4
