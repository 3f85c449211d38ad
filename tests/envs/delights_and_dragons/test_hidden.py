"""What players know of each other's hands, by counting, and how hidden cards are redrawn."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from duelgym.envs.core import State
from duelgym.envs.delights_and_dragons import DelightsAndDragons, rules
from support.delights import CARDS, attack, begin, end_turn, hand, legal, play, sees
from support.habits import Habit, gather, uniform

SMALL: dict[str, Any] = {
    **CARDS,
    "decks": {
        "pages": {"Page": 3, "Hero": 1, "Guard": 1, "Ring": 1},
        "twins": {"Page": 2, "Guard": 2, "Ring": 1, "Button": 1},
        "other": {"Page": 2, "Hero": 2, "Ring": 2},
        "large": {"Page": 3, "Hero": 1, "Guard": 1, "Ring": 2},
    },
}
"""Decks that share cards; the last is of another size."""


def rivals_hand(state: State, seat: int) -> frozenset[tuple[str, int]]:
    """The cards in the other player's hand and how many there are of each."""
    record, rival = state.record, 1 - seat
    cards = record.decks[record.deck[rival]][record.place[rival] == rules.HAND].tolist()
    return frozenset(Counter(map(state.outcome_name, cards)).items())


def redrawn_hands(state: State, seat: int, times: int = 200) -> Counter[frozenset]:
    """The opponent's hand in redrawn worlds."""
    return Counter(rivals_hand(state.resample(seat, seed), seat) for seed in range(times))


# Open decklists.


def test_at_first_the_hand_may_be_any_cards_of_the_deck():
    state = DelightsAndDragons().start(1)
    drawn: Counter[str] = Counter()
    for seed in range(3000):
        drawn.update(hand(state.resample(0, seed), 1))
    deck = state.game.card_set.decks["delights"]  # pyright: ignore[reportAttributeAccessIssue]
    assert set(drawn) == set(deck)
    for name, copies in deck.items():
        # Binomial for a single copy, a little less for two: five standard deviations are below 120.
        assert abs(drawn[name] - 3000 * 3 * copies / 20) < 120, name
    assert sees(state, 0)["rival_unknown"] == deck
    assert sees(state, 0)["rival_known"] == {}


def test_a_hand_is_known_once_its_deck_has_run_out():
    hands = [["Page", "Hero", "Guard", "Ring", "Page"], ["Page", "Guard", "Ring", "Button", "Page"]]
    state = begin(hands, card_set=SMALL, decks=("pages", "twins"))
    play(state, "end phase", "Page", "play Page")
    assert sees(state, 0)["rival_known"] == {}
    play(state, "end phase", "Guard")
    known = {"Page": 1, "Guard": 2, "Ring": 1, "Button": 1}
    assert sees(state, 0)["rival_known"] == hand(state, 1) == known
    assert sees(state, 1)["own_known"] == known
    assert sees(state, 0)["rival_unknown"] == {}
    assert sees(state, 1)["rival_known"] == hand(state, 0), "seat 0's deck has run out as well"
    assert set(redrawn_hands(state, 0)) == {rivals_hand(state, 0)}


def reshuffled(*draws: str, **options: Any) -> State:
    """Seat 1 held two pages, a guard and a button when it reshuffled a guard and a ring."""
    hands = [
        ["Page", "Hero", "Guard", "Ring", "Page"],
        ["Page", "Guard", "Ring", "Button", "Guard"],
    ]
    state = begin(hands, card_set=SMALL, decks=("pages", "twins"), **options)
    end_turn(play(state, "play Hero"), draw="Page")
    end_turn(play(state, "play Guard", "play Ring"), draw="Page")
    attack(state, 1)
    assert sees(state, 0)["rival_discard"] == {"Guard": 1, "Ring": 1}
    return play(state, "end phase", "end phase", "reshuffle", *draws)


def test_cards_held_at_a_reshuffle_are_kept_apart_from_those_drawn_since():
    for drawn in ("Guard", "Ring"):
        state = reshuffled(drawn)
        assert sees(state, 0)["rival_known"] == {"Page": 2, "Guard": 1, "Button": 1}
        assert sees(state, 0)["rival_unknown"] == {"Guard": 1, "Ring": 1}
        assert sees(state, 1)["own_known"] == {"Page": 2, "Guard": 1, "Button": 1}
        counts = redrawn_hands(state, 0, 1000)
        with_ring = frozenset({"Page": 2, "Guard": 1, "Button": 1, "Ring": 1}.items())
        with_guard = frozenset({"Page": 2, "Guard": 2, "Button": 1}.items())
        assert set(counts) == {with_ring, with_guard}
        assert abs(counts[with_ring] - 500) < 5 * 16, "Binomial(1000, 1/2)"


def test_a_card_played_may_be_the_one_that_was_known_or_one_drawn_since():
    """After the guard is played the last unknown card may still be the other guard."""
    for drawn in ("Guard", "Ring"):
        state = play(reshuffled(drawn), "end phase", "play Guard")
        assert sees(state, 0)["rival_known"] == {"Page": 2, "Button": 1}
        assert sees(state, 0)["rival_unknown"] == {"Guard": 1, "Ring": 1}
        assert len(redrawn_hands(state, 0)) == 2


def test_an_item_that_waits_for_its_holder_is_no_secret():
    hands = [["Page", "Page", "Hero"], ["Page", "Guard", "Ring"]]
    state = begin(hands, card_set=SMALL, decks=("pages", "twins"))
    end_turn(play(state, "play Page"), draw="Ring")
    end_turn(play(state, "play Page"), draw="Button")
    play(state, "play Page", "play Ring")
    assert legal(state) == ["on slot 1", "on slot 2"]
    for seed in range(50):
        world = state.resample(1, seed)
        assert sees(world, 1)["item"] == ["Ring"]
        assert "Ring" not in hand(world, 0)


# Closed decklists.


def closed(hands: list[list[str]]) -> State:
    return begin(hands, card_set=SMALL, decks=("pages", "twins"), open_decklists=False)


def test_the_opponent_may_have_any_deck_of_as_many_cards():
    state = closed([["Page"], ["Page"]])
    for seat in range(2):
        assert sees(state, seat)["rival_decks"] == ["pages", "twins", "other"]
        assert sees(state, seat)["own_decks"] == ["pages", "twins", "other"]
        assert "rival_unknown" not in sees(state, seat)
    decks = Counter(int(state.resample(0, seed).record.deck[1]) for seed in range(900))
    assert set(decks) == {0, 1, 2}
    assert all(abs(count - 300) < 5 * 15 for count in decks.values()), "Binomial(900, 1/3)"
    hands = redrawn_hands(state, 0)
    assert hands.keys() == {
        frozenset({(name, 1)}) for name in ("Page", "Hero", "Guard", "Ring", "Button")
    }


def test_cards_that_are_shown_rule_decks_out():
    state = end_turn(closed([["Page"], ["Guard"]]), draw="Page")
    play(state, "play Guard")
    assert sees(state, 0)["rival_decks"] == ["pages", "twins"], "the other has no guard"
    assert sees(state, 1)["own_decks"] == ["pages", "twins"]
    assert sees(state, 0)["own_decks"] == ["pages", "twins", "other"]
    end_turn(end_turn(state, draw="Guard"), draw="Hero")
    play(state, "play Guard")
    assert sees(state, 0)["rival_decks"] == ["twins"], "only the twins have two"
    assert {int(state.resample(0, seed).record.deck[1]) for seed in range(20)} == {1}


def test_more_cards_than_can_have_been_drawn_rule_decks_out():
    """With a single card drawn of those that were reshuffled, the second shown must have been held."""
    decks = {
        "doubles": {"Hero": 1, "Guard": 2, "Shield": 2},
        "singles": {"Hero": 1, "Guard": 1, "Shield": 1, "Page": 1, "Sword": 1},
    }
    hands = [
        ["Hero", "Guard", "Shield", "Page", "Sword"],
        ["Hero", "Guard", "Guard", "Shield", "Shield"],
    ]
    state = begin(
        hands,
        card_set={**CARDS, "decks": decks},
        decks=("singles", "doubles"),
        open_decklists=False,
    )
    play(state, "play Hero", "end phase", "play Guard", "play Shield")
    play(attack(state, 1), "end phase", "play Hero", "end phase")
    play(attack(state, 1, 1), "end phase", "end phase", "reshuffle", "Guard", "end phase")
    assert sees(state, 0)["rival_shuffled"] == {"Guard": 1, "Shield": 1}
    assert sees(play(state, "play Guard"), 0)["rival_decks"] == ["doubles", "singles"]
    play(state, "play Shield", "on slot 1")
    assert sees(state, 0)["rival_decks"] == ["doubles"]


def test_the_own_deck_is_never_exchanged():
    state = closed([["Page"], ["Page"]])
    assert {
        int(state.resample(seat, n).record.deck[seat]) for seat, n in product([0, 1], range(9))
    } == {0, 1}
    for seat in range(2):
        deck = sees(state, seat)["own_deck"]
        assert all(sees(state.resample(seat, n), seat)["own_deck"] == deck for n in range(9))


def test_what_a_deck_was_reshuffled_from_is_open():
    state = reshuffled("Ring", open_decklists=False)
    assert sees(state, 0)["rival_shuffled"] == {"Guard": 1, "Ring": 1}
    assert sees(state, 1)["own_shuffled"] == {"Guard": 1, "Ring": 1}
    assert sees(state, 0)["own_shuffled"] == {}
    for seed in range(50):
        left = sees(state.resample(0, seed), 1)["own_deck"]
        assert left in ({"Guard": 1}, {"Ring": 1}), "no card that was held can be in the deck"


# Both: redrawn hands are exactly those that are possible.


class Worlds:
    """Every world that a seat cannot tell from the real one, found by playing all of them."""

    def __init__(self, game: DelightsAndDragons, state: State, seat: int) -> None:
        self.seat = seat
        decks = list(game.options.decks)
        self.worlds: list[State] = []
        for name in game.decklists if not game.options.open_decklists else [decks[1 - seat]]:
            decks[1 - seat] = name
            options = {**vars(game.options), "decks": tuple(decks)}
            world = DelightsAndDragons(**options).start(0, explicit_chance=True)
            if (
                world.record.deck_sizes[world.record.deck]
                == state.record.deck_sizes[state.record.deck]
            ).all():
                self.worlds.append(world)

    def follow(self, state: State, action: int) -> None:
        """Make a move, or let a card be drawn, in every world in which that is possible."""
        hidden = state.is_chance and int(state.record.source) % 2 != self.seat
        followed = {}
        for world in self.worlds:
            for choice in world.legal_actions() if hidden else [action]:
                if choice in world.legal_actions():
                    other = world.clone()
                    other.apply(choice)
                    followed[other.record.tobytes()] = other
        self.worlds = list(followed.values())

    def hands(self) -> set[Any]:
        return {
            (int(world.record.deck[1 - self.seat]), rivals_hand(world, self.seat))
            for world in self.worlds
        }


def patient(state: State, moves: np.random.Generator) -> int:
    """Like random play, but never giving up."""
    names = legal(state)
    return (
        state.legal_actions()[names.index("reshuffle")]
        if "reshuffle" in names
        else uniform(state, moves)
    )


@pytest.mark.parametrize("habit", [patient, gather], ids=["patient", "gather"])
@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
def test_redrawn_hands_are_those_that_are_possible(is_open: bool, habit: Habit):
    game = DelightsAndDragons(
        card_set=SMALL, decks=("pages", "twins"), opening_hand=2, max_turns=20, health=60,
        open_decklists=is_open,
    )  # fmt: skip
    moves = np.random.default_rng(3)
    partly = 0
    for seed, seat in product(range(3), range(2)):
        state = game.start(seed, explicit_chance=True)
        worlds = Worlds(game, state, seat)
        while not state.is_over:
            action = state.sample_chance() if state.is_chance else habit(state, moves)
            worlds.follow(state, action)
            state.apply(action)
            possible = worlds.hands()
            drawn = set()
            for number in range(12 if len(possible) > 4 else 60):
                world = state.resample(seat, number)
                drawn.add((int(world.record.deck[1 - seat]), rivals_hand(world, seat)))
            assert drawn <= possible
            if len(possible) <= 4:
                assert drawn == possible
                partly += state.record.shuffles[1 - seat] > 0 and len(possible) > 1
    assert partly > 20, "there was something left to guess after reshuffles"


# The checks of all games, where decks have been reshuffled.


def test_nothing_hidden_shows_after_reshuffles(variant):
    moves = np.random.default_rng(2)
    checked = 0
    for seed in range(2):
        state = variant.start(seed, explicit_chance=True)
        while not state.is_over:
            state.apply(state.sample_chance() if state.is_chance else gather(state, moves))
            if not state.record.shuffles.any():
                continue
            for seat in range(2):
                worlds = [state, *(state.resample(seat, number) for number in (1, 2))]
                checked += len({world.record.tobytes() for world in worlds}) > 2
                for world in worlds[1:]:
                    assert world.observation(seat).tobytes() == state.observation(seat).tobytes()
                    assert world.render(seat) == state.render(seat)
                    if state.player == seat:
                        assert world.legal_actions() == state.legal_actions()
                assert len({world.resample(seat, 5).record.tobytes() for world in worlds}) == 1
    assert checked > 20
