"""The rules of Dragon Deck one by one, in named cards."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from duelgym.envs.core import OptionError, State
from duelgym.envs.dragon_deck import DragonDeck

BEATS = {"fire": "forest", "forest": "water", "water": "fire"}
STANDARD = DragonDeck()


def deck(values: int = 8) -> list[str]:
    return [f"{kind} {value}" for kind in BEATS for value in range(1, values + 1)]


def begin(game: DragonDeck = STANDARD) -> State:
    return game.start(seed=0, explicit_chance=True)


def sees(state: State, seat: int) -> dict:
    return state.game.describe(state.observation(seat))


def legal(state: State) -> list[str]:
    return [state.action_name(action) for action in state.legal_actions()]


def play(state: State, *moves: str) -> State:
    """Cards that are turned up, ``keep``, ``refuse``, and cards that are played, in order."""
    for move in moves:
        state.apply(move)
    return state


def drafted(hand_0: list[str], hand_1: list[str], game: DragonDeck = STANDARD) -> State:
    """After a draft that gave the seats these cards, filled up with others."""
    rest = [card for card in deck(game.options.values_per_type) if card not in hand_0 + hand_1]
    size = game.num_cards // 2
    hands = [[*hand_0, *rest], [*hand_1, *rest[size - len(hand_0) :]]]
    cards = [iter(hand[:size]) for hand in hands]
    state = begin(game)
    for draft_round in range(game.options.values_per_type):
        active = draft_round % 2
        play(state, next(cards[active]), "keep", next(cards[1 - active]), next(cards[1 - active]))
    assert set(hand_0) <= set(sees(state, 0)["own_hand"])
    assert set(hand_1) <= set(sees(state, 1)["own_hand"])
    return state


def won(state: State) -> list[int]:
    return state.record.victory_cards.tolist()


# The deck.


def test_the_deck_is_three_types_with_the_values_1_to_8():
    cards = [STANDARD.chance_name(outcome) for outcome in range(24)]
    assert sorted(cards) == sorted(deck())
    assert STANDARD.num_cards == 24


@pytest.mark.parametrize("values", [2, 4, 6, 8])
def test_smaller_decks(values):
    game = DragonDeck(values_per_type=values)
    assert sorted(map(game.chance_name, range(game.num_cards))) == sorted(deck(values))


def test_any_undrawn_card_is_as_likely_as_the_others():
    state = begin()
    undrawn = set(deck())
    for move in ("fire 8", "keep", "water 1", "forest 3", "fire 1", "refuse", "fire 2", "refuse"):
        if state.is_chance:
            outcomes = {state.outcome_name(n): chance for n, chance in state.chance_outcomes()}
            assert outcomes == pytest.approx(dict.fromkeys(undrawn, 1 / len(undrawn)))
            undrawn.remove(move)
        state.apply(move)


def test_the_same_seed_turns_up_the_same_cards_however_they_are_taken():
    """So players who exchange seats meet the same deals."""

    def turned_up(seed: int, policy: int) -> list[int]:
        moves = np.random.default_rng(policy)
        state = STANDARD.start(seed, explicit_chance=True)
        cards = []
        while state.is_chance or sees(state, 0)["unseen"]:
            if state.is_chance:
                cards.append(state.sample_chance())
                state.apply(cards[-1])
            else:
                state.apply(int(moves.integers(2)))
        return cards

    orders = [[turned_up(seed, policy) for policy in range(5)] for seed in range(5)]
    for same_seed in orders:
        assert all(order == same_seed[0] for order in same_seed)
    assert len({tuple(same_seed[0]) for same_seed in orders}) == 5


# Recruiting.


def test_keep_a():
    state = play(begin(), "fire 8")
    assert (state.player, legal(state)) == (0, ["keep", "refuse"])
    play(state, "keep")
    assert sees(state, 0)["own_hand"] == ["fire 8"]
    play(state, "water 1", "forest 3")
    assert sees(state, 0)["own_hand"] == ["fire 8"]
    assert sees(state, 0)["rival_hand"] == ["forest 3", "water 1"]
    assert state.is_chance, "B and C go to the opponent without a question"


def test_refuse_a_and_keep_b():
    state = play(begin(), "fire 8", "refuse")
    assert sees(state, 1)["own_hand"] == ["fire 8"]
    play(state, "water 1")
    assert (state.player, legal(state)) == (0, ["keep", "refuse"])
    assert sees(state, 0)["turned_up"] == ["water 1"]
    play(state, "keep", "forest 3")
    assert sees(state, 0)["own_hand"] == ["water 1"]
    assert sees(state, 0)["rival_hand"] == ["fire 8", "forest 3"]


def test_refuse_a_and_b_and_have_to_take_c():
    state = play(begin(), "fire 8", "refuse", "water 1", "refuse")
    assert state.is_chance
    play(state, "forest 3")
    assert sees(state, 0)["own_hand"] == ["forest 3"]
    assert sees(state, 0)["rival_hand"] == ["fire 8", "water 1"]
    assert state.is_chance, "nobody is asked about C"


def test_the_second_round_is_the_opponents():
    state = play(begin(), "fire 8", "keep", "water 1", "forest 3", "fire 1")
    assert (state.player, legal(state)) == (1, ["keep", "refuse"])
    play(state, "refuse", "fire 2", "refuse", "fire 3")
    assert sees(state, 1)["own_hand"] == ["fire 3", "forest 3", "water 1"]
    assert sees(state, 1)["rival_hand"] == ["fire 1", "fire 2", "fire 8"]


@pytest.mark.parametrize("values", [2, 4, 6, 8])
@pytest.mark.parametrize("taken", ["A", "B", "C"])
def test_the_seats_alternate_and_end_with_half_the_deck_each(values, taken):
    state = begin(DragonDeck(values_per_type=values))
    active = []
    cards = iter(deck(values))
    for _ in range(values):
        play(state, next(cards))
        active.append(state.player)
        play(state, "keep" if taken == "A" else "refuse", next(cards))
        if taken != "A":
            assert state.player == active[-1]
            play(state, "keep" if taken == "B" else "refuse")
        play(state, next(cards))
    assert active == [0, 1] * (values // 2)
    hands = sees(state, 0)["own_hand"], sees(state, 0)["rival_hand"]
    assert [len(hand) for hand in hands] == [3 * values // 2] * 2
    assert sorted(hands[0] + hands[1]) == sorted(deck(values))
    assert state.player == 0, "then seat 0 commits to the first battle"


def test_places_are_disjoint_and_make_up_the_deck_at_every_step(dragon_deck):
    """Both hands, undrawn cards, the card turned up, and what the battles took."""
    moves = np.random.default_rng(1)
    cards = sorted(deck(dragon_deck.options.values_per_type))
    for seed in range(20):
        state = dragon_deck.start(seed, explicit_chance=True)
        discarded: list[str] = []
        while not state.is_over:
            one, two = sees(state, 0), sees(state, 1)
            assert (one["own_hand"], one["rival_hand"]) == (two["rival_hand"], two["own_hand"])
            assert (one["unseen"], one["turned_up"]) == (two["unseen"], two["turned_up"])
            hands = one["own_hand"] + one["rival_hand"]
            assert sorted(hands + one["unseen"] + one["turned_up"] + discarded) == cards
            if one["unseen"] or one["turned_up"]:
                assert discarded == []
            if state.player == 1 and one["own_committed"]:
                discarded += one["own_committed"]
                action = int(moves.choice(state.legal_actions()))
                discarded.append(state.action_name(action))
            else:
                action = int(moves.choice(state.legal_actions()))
            state.apply(action)


# Battles.


def test_seat_0_commits_first_in_every_battle():
    state = drafted(["fire 8", "water 8"], ["forest 8", "forest 7"])
    assert state.player == 0
    assert "fire 8" in legal(state)
    assert len(legal(state)) == 12
    play(state, "fire 8")
    assert state.player == 1
    assert len(legal(state)) == 12
    play(state, "forest 8")
    assert state.player == 0
    play(state, "water 8")
    assert state.player == 1


@pytest.mark.parametrize(
    ("first", "second", "winner"),
    [
        # Fire beats forest, forest beats water, water beats fire, whatever the values.
        ("fire 2", "forest 8", 0),
        ("forest 2", "water 8", 0),
        ("water 2", "fire 8", 0),
        ("forest 8", "fire 2", 1),
        ("water 8", "forest 2", 1),
        ("fire 8", "water 2", 1),
        # Same type: the higher value wins.
        ("fire 5", "fire 4", 0),
        ("forest 4", "forest 5", 1),
        ("water 8", "water 7", 0),
        ("fire 2", "fire 8", 1),
    ],
)
def test_who_wins_a_battle(first, second, winner):
    state = play(drafted([first], [second]), first, second)
    assert won(state) == [1 - winner, winner]


def test_every_pair_of_cards_as_the_rule_says_and_flipped_when_exchanged():
    cards = deck()
    np.random.default_rng(1).shuffle(cards)
    one, other = sorted(cards[:12]), sorted(cards[12:])
    straight, exchanged = drafted(one, other), drafted(other, one)
    for first, second in itertools.product(one, other):
        (kind, value), (rival, rival_value) = first.split(), second.split()
        wins = int(value) > int(rival_value) if kind == rival else BEATS[kind] == rival
        prize = 2 if (value if wins else rival_value) == "1" else 1
        expected = [prize, 0] if wins else [0, prize]
        assert won(play(straight.clone(), first, second)) == expected
        assert won(play(exchanged.clone(), second, first)) == expected[::-1]


@pytest.mark.parametrize("first", ["fire 1", "forest 1", "water 1"])
def test_a_dragon_of_value_1_wins_two_victory_cards(first):
    second = f"{BEATS[first.split()[0]]} 8"
    assert won(play(drafted([first], [second]), first, second)) == [2, 0]
    assert won(play(drafted([second], [first]), second, first)) == [0, 2]


def test_value_1_loses_to_its_own_type_and_is_then_worth_one():
    for rival in range(2, 9):
        cards = "fire 1", f"fire {rival}"
        assert won(play(drafted([cards[0]], [cards[1]]), *cards)) == [0, 1]


def test_value_1_beaten_by_type_is_worth_one():
    assert won(play(drafted(["fire 1"], ["water 8"]), "fire 1", "water 8")) == [0, 1]


def test_between_two_of_value_1_the_winner_gets_two():
    assert won(play(drafted(["fire 1"], ["forest 1"]), "fire 1", "forest 1")) == [2, 0]


def test_both_dragons_leave_the_game():
    state = play(drafted(["fire 8"], ["forest 8"]), "fire 8")
    assert "fire 8" in sees(state, 1)["rival_hand"], "a committed card still counts as in hand"
    play(state, "forest 8")
    assert len(sees(state, 0)["own_hand"]) == len(sees(state, 0)["rival_hand"]) == 11
    assert "fire 8" not in sees(state, 0)["own_hand"]
    assert "forest 8" not in sees(state, 0)["rival_hand"]
    assert "fire 8" not in legal(state)
    play(state, legal(state)[0])
    assert "forest 8" not in legal(state)


# The end.


def test_the_first_to_reach_the_target_wins_at_once():
    game = DragonDeck(target=2)
    state = drafted(["fire 8", "forest 7"], ["forest 8", "water 7"], game)
    play(state, "fire 8", "forest 8")
    assert (won(state), state.is_over) == ([1, 0], False)
    play(state, "forest 7", "water 7")
    assert (won(state), state.is_over) == ([2, 0], True)
    assert state.returns() == [1, -1]
    assert len(sees(state, 0)["own_hand"]) == 10


def test_seat_1_wins_too():
    state = drafted(["forest 8"], ["fire 8"], DragonDeck(target=1))
    assert play(state, "forest 8", "fire 8").returns() == [-1, 1]


def test_overshoot_is_ignored():
    state = drafted(["fire 8", "fire 1"], ["forest 8", "forest 7"], DragonDeck(target=2))
    play(state, "fire 8", "forest 8", "fire 1", "forest 7")
    assert won(state) == [3, 0]
    assert state.returns() == [1, -1]
    assert sees(state, 0)["own_victory_cards"] == sees(state, 1)["rival_victory_cards"] == 2


def test_three_battles_can_be_enough():
    first, second = ["fire 1", "forest 1", "water 1"], ["forest 8", "water 8", "fire 8"]
    state = drafted(first, second)
    for battle, cards in enumerate(zip(first, second, strict=True)):
        assert won(state) == [2 * battle, 0]
        assert not state.is_over
        play(state, *cards)
    assert won(state) == [6, 0]
    assert state.returns() == [1, -1]


def test_eleven_battles_can_be_needed():
    lost = [("water 2", "forest 7"), ("water 3", "forest 8"), ("water 4", "water 5"),
            ("forest 1", "fire 7"), ("fire 1", "fire 8")]  # fmt: skip
    gained = [*((f"fire {n}", f"forest {n}") for n in range(2, 7)), ("water 8", "water 7")]
    first, second = zip(*lost, *gained, strict=True)
    state = drafted(list(first), list(second))
    for battle, cards in enumerate([*lost, *gained]):
        assert won(state) == [max(0, battle - 5), min(5, battle)]
        assert not state.is_over
        play(state, *cards)
    assert won(state) == [6, 5]
    assert state.returns() == [1, -1]


@pytest.mark.parametrize(
    ("values", "fewest", "most"), [(8, 3, 11), (6, 3, 9), (4, 2, 5), (2, 1, 3)]
)
def test_battles_in_every_rollout(values, fewest, most):
    """A game ends between the 3rd and the 11th battle with the default numbers."""
    game = DragonDeck(values_per_type=values)
    env = game.vector(512)
    env.reset(1)
    battles: Counter[int] = Counter()
    for step in range(300):
        env.step(env.random_actions(1, step))
        for last in env.final_observations[env.terminated, 0]:
            left = game.describe(last)
            assert len(left["own_hand"]) == len(left["rival_hand"])
            battles[3 * values // 2 - len(left["own_hand"])] += 1
    assert battles.total() > 3000
    assert fewest <= min(battles)
    assert max(battles) <= most
    assert len(battles) >= 3


def test_returns_are_plus_and_minus_one(dragon_deck):
    winners = Counter()
    env = dragon_deck.vector(256)
    env.reset(1)
    for step in range(150):
        env.step(env.random_actions(1, step))
        for rewards in env.rewards[env.terminated].tolist():
            assert sorted(rewards) == [-1, 1]
            winners[rewards.index(1)] += 1
    assert min(winners[0], winners[1]) > 0.3 * winners.total() > 100


# Hidden and public.


def test_the_second_committer_learns_nothing_from_the_first():
    state = drafted(["fire 8", "water 1"], ["forest 8"])
    views = set()
    for card in sees(state, 0)["own_hand"]:
        after = play(state.clone(), card)
        assert sees(after, 1)["rival_committed"] == ["yes"]
        assert sees(after, 1)["own_committed"] == []
        assert sees(after, 0)["own_committed"] == [card]
        views.add(
            (
                after.observation(1).tobytes(),
                after.legal_mask().tobytes(),
                after.information_state(1),
                after.render(1),
                after.player,
            )
        )
    assert len(views) == 1


def test_both_cards_are_remembered_once_revealed():
    state = drafted(["fire 8", "fire 7"], ["forest 8", "forest 7"])
    logs = {
        play(state.clone(), first, second).information_state(seat)
        for seat in range(2)
        for first in ("fire 8", "fire 7")
        for second in ("forest 8", "forest 7")
    }
    # Seat 0 has logged its own choice before, seat 1 only that there was one.
    assert len(logs) == 8


def test_a_hidden_choice_is_redrawn_from_the_whole_hand():
    state = play(drafted(["fire 8"], ["forest 8"]), "fire 8")
    drawn = Counter(sees(state.resample(1, seed), 0)["own_committed"][0] for seed in range(2400))
    assert set(drawn) == set(sees(state, 0)["own_hand"])
    # Binomial(2400, 1/12): five standard deviations are 68.
    assert all(abs(count - 200) < 68 for count in drawn.values())


def test_the_one_who_chose_keeps_the_choice_when_redrawn():
    state = play(drafted(["fire 8"], ["forest 8"]), "fire 8")
    assert all(sees(state.resample(0, n), 0)["own_committed"] == ["fire 8"] for n in range(50))


def test_the_order_of_undrawn_cards_is_redrawn():
    state = STANDARD.start(1)
    futures = {int(state.resample(seat, n).record.seed) for seat in range(2) for n in range(20)}
    assert len(futures) == 20
    assert int(state.record.seed) not in futures


def test_what_the_observation_says_in_the_draft():
    state = play(begin(), "fire 8", "keep", "water 1", "forest 3", "fire 1", "refuse", "fire 2")
    expected = {
        "own_hand": ["forest 3", "water 1"],
        "rival_hand": ["fire 1", "fire 8"],
        "unseen": [card for card in deck() if card not in ("fire 1", "fire 2", "fire 8", "forest 3", "water 1")],
        "turned_up": ["fire 2"],
        "own_committed": [],
        "rival_committed": [],
        "own_turn_to_recruit": ["yes"],
        "rival_turn_to_recruit": [],
        "pile_b": ["yes"],
        "rounds": 1,
        "own_victory_cards": 0,
        "rival_victory_cards": 0,
        "own_hand_beats": {"water 1": 2},
        "rival_hand_beats": {"fire 1": 1, "fire 8": 1},
    }  # fmt: skip
    assert sees(state, 1) == expected
    assert sees(state, 0) == {
        **expected,
        "own_hand": expected["rival_hand"],
        "rival_hand": expected["own_hand"],
        "own_turn_to_recruit": [],
        "rival_turn_to_recruit": ["yes"],
        "own_hand_beats": expected["rival_hand_beats"],
        "rival_hand_beats": expected["own_hand_beats"],
    }


def test_what_the_observation_says_in_a_battle():
    game = DragonDeck("small")
    hand_0 = ["fire 1", "fire 2", "fire 3", "forest 1", "forest 2", "water 1"]
    hand_1 = ["fire 4", "forest 3", "forest 4", "water 2", "water 3", "water 4"]
    state = play(
        drafted(hand_0, hand_1, game), "fire 1", "forest 4", "water 1", "water 2", "fire 3"
    )
    expected = {
        "own_hand": ["fire 2", "fire 3", "forest 1", "forest 2"],
        "rival_hand": ["fire 4", "forest 3", "water 3", "water 4"],
        "unseen": [],
        "turned_up": [],
        "own_committed": ["fire 3"],
        "rival_committed": [],
        "own_turn_to_recruit": [],
        "rival_turn_to_recruit": [],
        "pile_b": [],
        "rounds": 4,
        "own_victory_cards": 2,
        "rival_victory_cards": 1,
        "own_hand_beats": {"fire 2": 1, "fire 3": 1, "forest 1": 2, "forest 2": 2},
        "rival_hand_beats": {"fire 4": 4, "forest 3": 2, "water 3": 2, "water 4": 2},
    }
    assert sees(state, 0) == expected
    assert sees(state, 1) == {
        **expected,
        "own_hand": expected["rival_hand"],
        "rival_hand": expected["own_hand"],
        "own_committed": [],
        "rival_committed": ["yes"],
        "own_victory_cards": 1,
        "rival_victory_cards": 2,
        "own_hand_beats": expected["rival_hand_beats"],
        "rival_hand_beats": expected["own_hand_beats"],
    }


@pytest.mark.parametrize(
    ("variant", "cards", "target"),
    [("standard", 24, 6), ("medium", 18, 5), ("small", 12, 3), ("tiny", 6, 2)],
)
def test_sizes(variant, cards, target):
    game = DragonDeck(variant)
    assert game.num_actions == 2 + cards
    assert game.options.target == target
    # Seven sections of cards, four flags, the rounds of the draft, both players' victory cards.
    assert game.observation_size == 7 * cards + 4 + cards // 3 + 2 * target


# Symmetry.


def test_exchanging_the_types_in_a_cycle_changes_no_result(dragon_deck):
    """Fire becomes forest, forest water and water fire, in a whole game record."""

    def cycled(name: str) -> str:
        kind, _, value = name.partition(" ")
        return f"{BEATS[kind]} {value}" if kind in BEATS else name

    moves = np.random.default_rng(2)
    for seed in range(30):
        state = dragon_deck.start(seed, explicit_chance=True)
        twin = begin(dragon_deck)
        while not state.is_over:
            action = (
                state.sample_chance() if state.is_chance else moves.choice(state.legal_actions())
            )
            named = state.outcome_name if state.is_chance else state.action_name
            expected = {cycled(named(legal)) for legal in state.legal_actions()}
            named_twin = twin.outcome_name if twin.is_chance else twin.action_name
            assert {named_twin(legal) for legal in twin.legal_actions()} == expected
            twin.apply(cycled(named(action)))
            state.apply(action)
            assert twin.player == state.player
            assert won(twin) == won(state)
        assert twin.returns() == state.returns()


# Options.


@pytest.mark.parametrize(("values", "target"), [(8, 6), (6, 5), (4, 3), (2, 2)])
def test_default_targets(values, target):
    assert DragonDeck(values_per_type=values).options.target == target


@pytest.mark.parametrize("values", [2, 4, 6, 8])
def test_targets_that_could_leave_no_winner_are_refused(values):
    """With 2 * target - 1 > 3 * values / 2 the cards could run out first."""
    for target in range(1, 12):
        if 2 * target - 1 > 3 * values // 2:
            with pytest.raises(OptionError, match=f"target is a whole number from 1 to .*{target}"):
                DragonDeck(values_per_type=values, target=target)
        else:
            assert DragonDeck(values_per_type=values, target=target).options.target == target


@pytest.mark.parametrize("values", [0, 1, 3, 5, 7, 9, 10, -2, 8.0, "8", None, True, [8]], ids=repr)
def test_impossible_values_per_type(values):
    with pytest.raises(OptionError) as caught:
        DragonDeck(values_per_type=values)
    assert str(caught.value) == f"dragon_deck: values_per_type is 2, 4, 6 or 8, not {values!r}"


@pytest.mark.parametrize("target", [0, -1, 7, 2.0, 2.5, "2", True, [2]], ids=repr)
def test_impossible_targets(target):
    with pytest.raises(OptionError) as caught:
        DragonDeck(target=target)
    assert str(caught.value) == (
        "dragon_deck: target is a whole number from 1 to 6 with values_per_type=8 (with more, "
        f"12 battles might not find a winner), not {target!r}"
    )


@pytest.mark.parametrize("kind", [np.int8, np.int64])
def test_whole_numbers_of_numpy_are_options(kind):
    game = DragonDeck(values_per_type=kind(4), target=kind(2))
    assert game == DragonDeck(values_per_type=4, target=2)
    assert repr(game) == "dragon_deck_v0(values_per_type=4, target=2)"


# For people.


def test_the_table_in_words():
    state = play(begin(DragonDeck("tiny")), "fire 2", "keep", "water 1", "forest 1", "forest 2")
    assert str(state) == (
        "Dragon Deck - draft, round 2 of 2\n"
        "  player_0       ☆☆\n"
        "    hand    fire 2 | forest - | water -\n"
        "  player_1       ☆☆\n"
        "    hand    fire - | forest 1 | water 1\n"
        "  undrawn   fire 1 | forest - | water 2\n"
        "  player_1 to keep or refuse forest 2 from pile A"
    )


def test_the_table_shows_a_commitment_and_a_seat_only_its_own():
    state = play(drafted(["fire 8"], ["forest 8"]), "fire 8")
    assert "player_0 committed fire 8 face down" in str(state)
    assert "player_0 (you) committed fire 8 face down" in state.render(0)
    assert "player_0 committed a card face down" in state.render(1)


def test_the_table_names_the_winner():
    state = drafted(["fire 8"], ["forest 8"], DragonDeck(target=1))
    assert str(play(state, "fire 8", "forest 8")).startswith("Dragon Deck - player_0 wins")
