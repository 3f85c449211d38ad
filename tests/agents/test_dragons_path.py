"""The scripted players of Dragon's Path: what they choose in named situations, and how they score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from duelgym.agents import make_agent
from duelgym.envs.core import State
from duelgym.envs.dragons_path import DragonsPath
from support.dragons_path import ADVANCED, BASIC, play, table

ALL = pytest.mark.parametrize("name", ["racer", "warden", "mage"])
KEEPS_REACTIONS = pytest.mark.parametrize("name", ["warden", "mage"])


def choices(name: str, state: State, times: int = 50) -> set[str]:
    """What an agent does there, in so many tries."""
    agent = make_agent(name, state.game)
    agent.begin(state.game, np.arange(times, dtype=np.uint64))
    actions = np.zeros(times, np.int64)
    observations = np.tile(state.observation(), (times, 1))
    masks = np.tile(state.legal_mask(), (times, 1))
    agent.choose(observations, masks, np.arange(times), actions)
    return {state.action_name(action) for action in actions.tolist()}


def carry_on(name: str, state: State, *forced: str) -> State:
    """The agent decides until the turn is over; chance and the opponent do what is in ``forced``."""
    moves, turn, mover = iter(forced), state.record.turn_number, state.player
    while state.record.turn_number == turn and not state.is_over:
        if state.player == mover:
            (move,) = choices(name, state, times=1)
        else:
            move = next(moves)
        state.apply(move)
    return state


def showing(state: State) -> State:
    """The same position with both hands known to the opponent."""
    states = state._states.copy()
    states[0].known_in_hand[:] = states[0].hand
    return State(state.game, states, explicit_chance=True)


def elements(moves: set[str]) -> set[str]:
    """Of the cards that are played by these moves."""
    return {move.split()[0] for move in moves}


# The race.


@ALL
def test_the_card_that_completes_four_alike_is_played(name: str):
    state = table(hand="fire water thunder wind", path="wind wind wind fire")
    assert elements(choices(name, state)) == {"wind"}


@ALL
def test_the_card_that_completes_five_different_is_played(name: str):
    state = table(hand="fire water wind thunder", path="fire water earth wind")
    assert elements(choices(name, state)) == {"thunder"}


@ALL
def test_two_missing_cards_are_played_at_once_with_an_earth(name: str):
    state = table(hand="earth water fire", path="fire wind thunder")
    assert choices(name, state) == {"earth A: play another"}
    play(state, "earth A: play another")
    assert carry_on(name, state).returns() == [1, -1]


@ALL
def test_the_card_that_is_missing_is_searched_for(name: str):
    state = table(hand="fire water", path="thunder thunder thunder")
    play(state, "fire B: search")
    assert choices(name, state) == {"thunder"}


@ALL
def test_the_card_that_is_missing_is_fetched_from_the_discard_pile(name: str):
    state = table(hand="earth", path="wind wind wind", discard="wind fire water", deck="fire fire")
    assert choices(name, state) == {"earth B: return"}
    play(state, "earth B: return")
    assert choices(name, state) == {"wind"}


@ALL
def test_the_card_that_is_missing_is_the_last_to_be_discarded(name: str):
    state = table(
        hand="wind", rival_hand="wind water thunder", rival_path="thunder thunder thunder"
    )
    play(state, "wind A: make discard", "refuse")
    assert "thunder" not in choices(name, state)


@ALL
def test_a_deck_without_the_card_makes_another_victory_the_nearest(name: str):
    # The last two fires lie in the discard pile, which nothing in this hand can fetch.
    state = table(
        hand="thunder wind wind",
        path="fire fire wind wind",
        discard="fire fire fire",
        deck="water thunder earth water",
    )
    assert elements(choices(name, state)) == {"wind"}


# In the opponent's way.


@ALL
def test_a_victory_of_the_opponent_that_is_one_card_away_is_stopped_by_fire(name: str):
    state = table(hand="fire water thunder", rival_path="wind wind wind", rival_hand="wind wind")
    assert choices(name, state) == {"fire A: remove"}


@ALL
@pytest.mark.parametrize(
    ("rival_path", "removed"),
    [
        ("wind wind wind fire", {"wind"}),
        ("fire fire water earth wind", {"water", "earth", "wind"}),
    ],
)
def test_fire_removes_the_card_that_matters_most_for_the_opponent(
    name: str, rival_path: str, removed: set[str]
):
    state = table(hand="fire", rival_path=rival_path, rival_hand="earth wind")
    play(state, "fire A: remove", "refuse")
    found = choices(name, state)
    assert found
    assert found <= removed


@ALL
def test_water_takes_a_card_out_of_the_opponents_path_and_brings_back_a_worse_one(name: str):
    state = table(hand="water", rival_path="wind wind wind fire", rival_discard="wind fire earth")
    play(state, "water B: exchange")
    assert choices(name, state) == {"other player"}
    play(state, "other player")
    assert choices(name, state) == {"wind"}
    play(state, "wind")
    assert choices(name, state) == {"fire"}


@ALL
@pytest.mark.parametrize(("card", "rival_deck"), [("water", "fire fire"), ("thunder", "")])
def test_an_opponent_who_cannot_draw_is_made_to(name: str, card: str, rival_deck: str):
    state = table(hand=f"{card} earth", rival_deck=rival_deck, rival_path="wind wind wind")
    assert carry_on(name, state, "fire", "fire").returns() == [1, -1]


@ALL
def test_nobody_draws_from_a_deck_that_is_too_small_for_it(name: str):
    state = table(hand="water", deck="fire fire", path="earth earth", discard="wind")
    play(state, "water A: draw and discard")
    assert choices(name, state) == {"other player"}


# Reactions.


@ALL
def test_thunder_takes_back_the_card_that_wins(name: str):
    state = table(hand="fire earth", path="fire fire fire", rival_hand="thunder wind earth")
    play(state, "fire B: search")
    assert choices(name, state) == {"respond with thunder"}


@ALL
def test_wind_stops_the_second_card_that_wins(name: str):
    state = table(
        hand="earth thunder", path="fire water earth wind", rival_hand="thunder wind fire"
    )
    play(state, "earth A: play another")
    assert choices(name, state) == {"respond with wind"}


@ALL
def test_wind_guards_a_victory_that_is_one_card_away(name: str):
    state = table(hand="fire earth", rival_path="earth earth earth", rival_hand="wind earth water")
    play(state, "fire A: remove")
    assert choices(name, state) == {"respond with wind"}


SMALL_EFFECTS = ("thunder A: draw", "fire B: search")


def small_effect(effect: str) -> State:
    """Seat 1 may respond to it."""
    state = table(
        hand=f"{effect.split()[0]} water fire",
        path="water",
        rival_path="fire earth",
        rival_hand="wind fire earth water",
    )
    return play(state, effect)


@KEEPS_REACTIONS
@pytest.mark.parametrize("effect", SMALL_EFFECTS)
def test_the_last_wind_is_not_spent_on_something_small(name: str, effect: str):
    assert choices(name, small_effect(effect)) == {"refuse"}


@pytest.mark.parametrize("effect", SMALL_EFFECTS)
def test_racer_spends_it(effect: str):
    assert choices("racer", small_effect(effect)) == {"respond with wind"}


@KEEPS_REACTIONS
def test_the_winning_card_is_played_in_the_way_that_a_known_reaction_does_not_stop(name: str):
    places: dict[str, Any] = {"hand": "earth thunder", "path": "fire water earth wind"}
    against_thunder = table(**places, rival_hand="thunder", rival_deck="thunder thunder")
    assert choices(name, against_thunder) == {"earth A: play another"}
    against_wind = table(**places, rival_hand="wind", rival_deck="wind wind")
    assert elements(choices(name, against_wind)) == {"thunder"}


def test_racer_does_not_care():
    state = table(
        hand="earth thunder",
        path="fire water earth wind",
        rival_hand="thunder",
        rival_deck="thunder thunder",
    )
    assert elements(choices("racer", state)) == {"earth", "thunder"}


# Spells.


def with_spell(spell: str, **places: Any) -> State:
    return table(ADVANCED, spells=(spell,), **places)


@ALL
def test_the_better_spell_is_kept(name: str):
    state = play(
        ADVANCED.start(0, explicit_chance=True),
        "Mindstorm Dominion",
        "Stormveil Reversal",
        "Scalding Deluge",
        "Tempest of Omens",
    )
    assert choices(name, state) == {"keep Stormveil Reversal"}
    play(state, "keep Stormveil Reversal")
    assert choices(name, state) == {"keep Scalding Deluge"}


@ALL
def test_runebolt_brings_the_card_that_wins(name: str):
    state = with_spell("Runebolt Invocation", hand="earth thunder", path="fire fire fire")
    assert choices(name, state) == {"cast Runebolt Invocation"}
    play(state, "cast Runebolt Invocation")
    assert elements(choices(name, state)) == {"fire"}


@ALL
def test_maelstrom_takes_a_near_victory_away(name: str):
    state = showing(
        with_spell(
            "Primordial Maelstrom",
            hand="earth water",
            rival_path="wind wind wind",
            rival_hand="wind",
        )
    )
    assert choices(name, state) == {"cast Primordial Maelstrom"}
    play(state, "cast Primordial Maelstrom")
    assert choices(name, state) == {"wind"}
    play(state, "wind")
    assert choices(name, state) == {"wind"}


@ALL
def test_hellstrike_clears_the_path_of_what_counts(name: str):
    state = with_spell(
        "Molten Hellstrike", hand="fire thunder", rival_path="wind wind wind", rival_hand="wind"
    )
    play(state, "cast Molten Hellstrike")
    for _ in range(3):
        assert choices(name, state) == {"wind"}
        play(state, "wind")


@ALL
def test_deluge_takes_the_last_cards_of_a_deck(name: str):
    state = with_spell(
        "Scalding Deluge",
        hand="fire water earth",
        rival_deck="fire fire water water wind wind earth earth earth",
    )
    assert choices(name, state) == {"cast Scalding Deluge"}


@ALL
def test_skyshard_takes_the_card_that_is_missing(name: str):
    state = with_spell(
        "Skyshard Shift", hand="earth wind", path="fire fire fire water", rival_path="earth fire"
    )
    assert choices(name, state) == {"cast Skyshard Shift"}
    play(state, "cast Skyshard Shift")
    assert choices(name, state) == {"water"}
    play(state, "water")
    assert choices(name, state) == {"fire"}


@ALL
def test_tempest_discards_the_card_that_would_win(name: str):
    state = with_spell(
        "Tempest of Omens",
        hand="water wind",
        rival_path="fire fire fire",
        rival_hand="fire earth wind",
    )
    play(state, "cast Tempest of Omens", "refuse")
    assert choices(name, state) == {"fire"}


@ALL
def test_cinderstorm_uses_the_revealed_card_against_a_near_victory_and_goes_on(name: str):
    state = with_spell(
        "Cinderstorm Prophecy", hand="fire wind", rival_path="water water water", rival_hand="water"
    )
    play(state, "cast Cinderstorm Prophecy", "fire")
    assert choices(name, state) == {"fire A: remove"}
    play(state, "fire A: remove", "water")
    assert choices(name, state) == {"reveal another"}


@ALL
def test_stormveil_removes_the_card_that_wins(name: str):
    state = table(
        ADVANCED,
        hand="fire",
        path="fire fire fire",
        rival_hand="thunder wind",
        rival_spells=("Stormveil Reversal",),
    )
    play(state, "fire A: remove")
    found = choices(name, state)
    assert found <= {"cast Stormveil Reversal", "respond with thunder"}
    assert "refuse" not in found


@ALL
def test_a_spell_that_would_win_is_cancelled(name: str):
    state = with_spell(
        "Runebolt Invocation",
        hand="earth thunder",
        path="fire fire fire",
        rival_hand="earth thunder fire",
    )
    play(state, "cast Runebolt Invocation")
    assert choices(name, state) == {"cancel the spell"}


@ALL
def test_a_spell_that_does_little_is_let_through(name: str):
    state = with_spell(
        "Scalding Deluge", hand="fire water", rival_hand="fire water", rival_path="fire water"
    )
    play(state, "cast Scalding Deluge")
    assert choices(name, state) == {"refuse"}


@ALL
def test_a_stormveil_against_a_winning_effect_is_cancelled_and_another_is_not(name: str):
    places: dict[str, Any] = {
        "path": "fire water earth wind",
        "rival_hand": "thunder wind",
        "rival_spells": ("Stormveil Reversal",),
    }
    # Cancelling takes a Thunder and a Wind, so that only the first hand has one left to play.
    for hand, answer in (
        ("earth thunder thunder wind", "cancel the spell"),
        ("earth fire thunder wind", "refuse"),
    ):
        state = table(ADVANCED, hand=hand, **places)
        play(state, "earth A: play another", "cast Stormveil Reversal")
        assert choices(name, state) == {answer}


def test_only_mage_saves_a_spell_that_decides_nothing():
    state = with_spell(
        "Titan's Emberforge",
        hand="fire earth",
        path="fire wind earth",
        rival_path="earth earth",
        rival_hand="earth",
    )
    assert choices("warden", state) == {"cast Titan's Emberforge"}
    assert choices("mage", state) == {"fire B: search"}


def test_only_mage_does_not_cast_what_is_sure_to_be_cancelled():
    state = with_spell(
        "Runebolt Invocation",
        hand="earth thunder",
        path="fire fire fire",
        rival_hand="earth thunder",
    )
    state = showing(state)
    assert choices("warden", state) == {"cast Runebolt Invocation"}
    assert "cast Runebolt Invocation" not in choices("mage", state)


# The turn that a Mindstorm borrows.


def borrowed(rival_hand: str, drawn: str, **places: Any) -> State:
    """Seat 0 is to play for seat 1, which has drawn a card."""
    state = with_spell("Mindstorm Dominion", hand="water thunder", rival_hand=rival_hand, **places)
    return play(
        state, "cast Mindstorm Dominion", *["refuse"] * (len(rival_hand.split()) > 1), drawn
    )


@ALL
def test_a_mindstorm_does_not_let_the_victim_win(name: str):
    state = borrowed("fire water", "earth", rival_path="fire fire fire")
    assert "fire" not in elements(choices(name, state))


@ALL
def test_a_mindstorm_makes_the_victim_draw_from_too_small_a_deck(name: str):
    state = borrowed("water fire", "fire", rival_deck="fire wind", rival_path="fire fire fire")
    assert choices(name, state) == {"water A: draw and discard"}
    play(state, "water A: draw and discard")
    assert choices(name, state) == {"active player"}


@ALL
def test_a_mindstorm_makes_the_victim_discard_what_it_needs_most(name: str):
    state = borrowed("water fire", "water", rival_path="fire fire fire earth", rival_discard="wind")
    play(state, "water A: draw and discard", "active player", "earth", "earth", "thunder")
    assert choices(name, state) == {"fire"}


# Secrecy.


@ALL
@pytest.mark.parametrize("game", [BASIC, ADVANCED], ids=["basic", "advanced"])
def test_the_choice_does_not_depend_on_what_the_seat_cannot_see(name: str, game: DragonsPath):
    hidden = 0
    state = game.start(seed=5)
    while not state.is_over and hidden < 40:
        seat = state.player
        if len(state.legal_actions()) > 1:
            found = choices(name, state, times=5)
            other = state.resample(seat, seed=hidden)
            assert choices(name, other, times=5) == found
            hidden += 1
        state.apply(sorted(choices(name, state, times=1))[0])
    assert hidden >= 15


# Strength.


@ALL
@pytest.mark.parametrize("game", [BASIC, ADVANCED], ids=["basic", "advanced"])
def test_beats_random_play(
    name: str, game: DragonsPath, win_rate: Callable[..., tuple[float, float]]
):
    low, _ = win_rate(game, make_agent(name, game), make_agent("random", game), pairs=300, seed=1)
    assert low > 0.95


@pytest.mark.parametrize(
    ("game", "stronger", "weaker"),
    [
        (BASIC, "warden", "racer"),
        (ADVANCED, "warden", "racer"),
        (ADVANCED, "mage", "racer"),
        (ADVANCED, "mage", "warden"),
    ],
    ids=["basic-warden-racer", "warden-racer", "mage-racer", "mage-warden"],
)
def test_the_better_idea_wins(
    game: DragonsPath, stronger: str, weaker: str, win_rate: Callable[..., tuple[float, float]]
):
    agents = make_agent(stronger, game), make_agent(weaker, game)
    low, _ = win_rate(game, *agents, pairs=1500, seed=1)
    assert low > 1 / 2
