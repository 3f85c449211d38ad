"""The scripted players of Dragon Deck: what they choose in named situations, and how they score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from duelgym.agents import make_agent
from duelgym.agents.dragon_deck.matrix import chance_to_win
from duelgym.envs.core import State
from duelgym.envs.dragon_deck import DragonDeck

BOTH = pytest.mark.parametrize("name", ["greedy", "matrix"])
STANDARD = DragonDeck()
SMALL = DragonDeck("small")
FIRST_VICTORY_CARD_WINS = DragonDeck("small", target=1)


def drafting(*moves: str, game: DragonDeck = STANDARD) -> State:
    """After these cards were turned up, kept and refused."""
    state = game.start(seed=0, explicit_chance=True)
    for move in moves:
        state.apply(move)
    return state


def battling(hand: list[str], rival_hand: list[str], game: DragonDeck = SMALL) -> State:
    """Before the first battle, seat 0 to choose, after a draft that gave the seats these hands."""
    cards = iter(hand), iter(rival_hand)
    state = game.start(seed=0, explicit_chance=True)
    for draft_round in range(game.options.values_per_type):
        active, other = cards[draft_round % 2], cards[1 - draft_round % 2]
        for move in (next(active), "keep", next(other), next(other)):
            state.apply(move)
    return state


def fight(state: State, *pairs: tuple[str, str]) -> State:
    """After battles between these cards."""
    for pair in pairs:
        for card in pair:
            state.apply(card)
    return state


def choice(name: str, state: State, seed: int = 0) -> str:
    """What an agent does there."""
    agent = make_agent(name, state.game)
    agent.start(state.game, seed)
    observation = {"observation": state.observation(), "action_mask": state.legal_mask()}
    return state.action_name(agent.act(observation))


def choices(name: str, state: State, times: int = 2000) -> dict[str, float]:
    """How often an agent does what there, as shares of ``times``."""
    agent = make_agent(name, state.game)
    agent.begin(state.game, np.arange(times, dtype=np.uint64))
    actions = np.zeros(times, np.int64)
    observations = np.tile(state.observation(), (times, 1))
    masks = np.tile(state.legal_mask(), (times, 1))
    agent.choose(observations, masks, np.arange(times), actions)
    counts = Counter(state.action_name(action) for action in actions.tolist())
    return {card: count / times for card, count in counts.items()}


def of_type(kind: str, *values: int) -> list[str]:
    return [f"{kind} {value}" for value in values]


# The draft. Against all 23 others value 2 wins 9 of its battles and loses 14 with a victory card
# more for the value-1 dragon that beats it: -6. Value 8 gets 15 against 9: 6. Value 1 wins 8
# battles for two each and loses 15 battles for 16: 0, as much as value 5.


@BOTH
@pytest.mark.parametrize("kind", ["fire", "forest", "water"])
def test_the_first_card_is_kept_if_it_is_a_six_or_better(name: str, kind: str):
    kept = [value for value in range(1, 9) if choice(name, drafting(f"{kind} {value}")) == "keep"]
    assert kept == [6, 7, 8]


@BOTH
def test_after_refusing_the_second_card_is_kept_if_it_beats_the_average_of_the_rest(name: str):
    # With fire 5 (worth 0) and the second card gone, the rest is worth nearly 0 on average.
    assert choice(name, drafting("fire 5", "refuse", "forest 6")) == "keep"
    assert choice(name, drafting("fire 5", "refuse", "forest 1")) == "keep"
    assert choice(name, drafting("fire 5", "refuse", "forest 4")) == "refuse"
    # Without fire 2 (worth -6) the rest is a little better than 0.
    assert choice(name, drafting("fire 2", "refuse", "forest 5")) == "refuse"


@BOTH
def test_in_the_last_round_of_the_draft_only_the_cards_that_are_left_count(name: str):
    early = ["fire 8", "keep", "fire 7", "fire 6", "fire 4", "keep", "fire 5", "fire 3"]
    early += [
        "forest 8",
        "keep",
        "forest 7",
        "forest 6",
        "forest 5",
        "keep",
        "forest 4",
        "forest 3",
    ]
    bad = ["fire 1", "keep", "fire 2", "forest 1", "forest 2", "keep", "water 1", "water 2"]
    # Left are water 3 to 8. Then, of the last three, the middle one: after it comes better.
    before = [*early, *bad, "water 4", "keep", "water 3", "water 5"]
    assert choice(name, drafting(*before, "water 6")) == "refuse"
    assert choice(name, drafting(*before, "water 8")) == "keep"
    assert choice(name, drafting(*before, "water 6", "refuse", "water 7")) == "refuse"
    assert choice(name, drafting(*before, "water 6", "refuse", "water 8")) == "keep"


# Battles.


@BOTH
def test_a_card_that_wins_the_match_for_certain_is_played(name: str):
    state = battling(
        [*of_type("fire", 4), *of_type("water", 1, 2, 3, 4), *of_type("fire", 1)],
        [*of_type("forest", 1, 2, 3, 4), *of_type("fire", 2, 3)],
        FIRST_VICTORY_CARD_WINS,
    )
    assert choices(name, state) == {"fire 4": 1}


@BOTH
def test_a_card_that_loses_to_the_whole_hand_of_the_opponent_is_not_played(name: str):
    # Forest 1 does. Fire 1 beats the three forest dragons, the water dragons the three of fire.
    state = battling(
        [*of_type("fire", 1), *of_type("forest", 1), *of_type("water", 1, 2, 3, 4)],
        [*of_type("forest", 2, 3, 4), *of_type("fire", 2, 3, 4)],
        FIRST_VICTORY_CARD_WINS,
    )
    assert "forest 1" not in choices(name, state)


def test_greedy_plays_for_the_double_prize():
    state = battling(
        [*of_type("fire", 1, 2, 3, 4), *of_type("water", 3, 4)],
        [*of_type("forest", 1, 2, 3, 4), *of_type("water", 1, 2)],
    )
    assert choices("greedy", state) == {"fire 1": 1}


def test_greedy_does_not_count_more_than_the_match_needs_and_tosses_between_equals():
    state = battling(
        [*of_type("fire", 1, 2, 3, 4), *of_type("water", 3, 4)],
        [*of_type("forest", 1, 2, 3, 4), *of_type("water", 1, 2)],
        FIRST_VICTORY_CARD_WINS,
    )
    found = choices("greedy", state)
    assert set(found) == {"fire 1", "fire 2", "fire 3", "fire 4"}
    assert all(share == pytest.approx(1 / 4, abs=0.04) for share in found.values())


def test_matrix_mixes_evenly_where_each_type_can_be_matched():
    # Fire wins unless water meets it, forest unless fire does, water unless forest does.
    state = battling(
        ["fire 2", "forest 2", "water 2"],
        ["fire 1", "forest 1", "water 1"],
        DragonDeck("tiny", target=1),
    )
    found = choices("matrix", state)
    assert set(found) == {"fire 2", "forest 2", "water 2"}
    assert all(share == pytest.approx(1 / 3, abs=0.04) for share in found.values())


def test_matrix_mixes_by_types_not_by_how_many_cards_there_are():
    # Fire beats the four forest dragons and loses to water; water 3 and 4 the other way round.
    state = battling(
        [*of_type("fire", 1, 2, 3, 4), *of_type("water", 3, 4)],
        [*of_type("forest", 1, 2, 3, 4), *of_type("water", 1, 2)],
        FIRST_VICTORY_CARD_WINS,
    )
    fire = sum(share for card, share in choices("matrix", state).items() if "fire" in card)
    assert fire == pytest.approx(1 / 2, abs=0.04)


def test_matrix_mixes_by_what_the_rest_of_the_match_is_worth():
    # Seat 0 needs one victory card and seat 1 two. Fire wins against forest 3 and 4; after losing
    # to water, 8 of the 16 pairs that are left would win the last victory card. Forest 1 wins
    # against water; after losing to forest, 4 of 16 would. So fire 3/5 of the time.
    state = fight(
        battling(
            [*of_type("fire", 1, 2, 3, 4), *of_type("forest", 1, 2)],
            [*of_type("forest", 3, 4), *of_type("water", 1, 2, 3, 4)],
            DragonDeck("small", target=2),
        ),
        ("forest 2", "water 1"),
    )
    assert choices("matrix", state, times=20_000)["forest 1"] == pytest.approx(2 / 5, abs=0.01)


def test_matrix_mixes_by_the_cards_that_a_won_battle_leaves():
    # Seat 0 needs three victory cards and seat 1 one. Fire wins against forest 4 and leaves 8 of
    # 16 pairs that win again, which has to happen twice: 1/4. Forest wins against water and leaves
    # 6 of 16: 9/64. So fire 9/25 of the time.
    state = fight(
        battling(
            [*of_type("fire", 2, 3, 4), *of_type("forest", 1, 2, 3)],
            [*of_type("forest", 4), *of_type("water", 1, 2, 3, 4), *of_type("fire", 1)],
        ),
        ("forest 1", "fire 1"),
    )
    found = choices("matrix", state, times=20_000)
    fire = sum(share for card, share in found.items() if "fire" in card)
    assert fire == pytest.approx(9 / 25, abs=0.01)


# Pascal's and Fermat's own figures, of 1654.
@pytest.mark.parametrize(
    ("own_need", "rival_need", "expected"),
    [
        (1, 1, 1 / 2),
        (1, 2, 3 / 4),
        (1, 3, 7 / 8),
        (2, 3, 11 / 16),
        (3, 2, 5 / 16),
        (0, 2, 1),
        (2, 0, 0),
    ],
)
def test_the_problem_of_points(own_need: int, rival_need: int, expected: float):
    assert chance_to_win(own_need, rival_need, 0.5) == pytest.approx(expected)


def test_the_problem_of_points_with_unequal_players():
    # Two out of three at 0.6: win both, or one of the first two and the third.
    assert chance_to_win(2, 2, 0.6) == pytest.approx(0.36 + 2 * 0.6 * 0.4 * 0.6)
    assert chance_to_win(4, 6, 1.0) == 1
    assert chance_to_win(4, 6, 0.0) == 0


@BOTH
def test_the_second_player_cannot_tell_what_the_first_has_committed(name: str):
    before = battling(
        [*of_type("fire", 1, 2, 3), *of_type("water", 2, 3, 4)],
        [*of_type("forest", 1, 2, 3, 4), *of_type("fire", 4), *of_type("water", 1)],
    )
    found = []
    for card in ["fire 1", "water 4"]:
        state = before.clone()
        state.apply(card)
        found.append([choice(name, state, seed) for seed in range(20)])
    assert found[0] == found[1]


# Strength.


@BOTH
def test_beats_random_play(
    dragon_deck: DragonDeck, name: str, win_rate: Callable[..., tuple[float, float]]
):
    agents = make_agent(name, dragon_deck), make_agent("random", dragon_deck)
    low, _ = win_rate(dragon_deck, *agents, pairs=4000, seed=1)
    assert low > 1 / 2


@pytest.mark.parametrize("variant", ["standard", "medium", "small"])
def test_matrix_beats_greedy(variant: str, win_rate: Callable[..., tuple[float, float]]):
    game = DragonDeck(variant)
    agents = make_agent("matrix", game), make_agent("greedy", game)
    low, _ = win_rate(game, *agents, pairs=4000, seed=1)
    assert low > 1 / 2


def test_matrix_does_not_lose_to_greedy_with_six_dragons(
    win_rate: Callable[..., tuple[float, float]],
):
    game = DragonDeck("tiny")
    agents = make_agent("matrix", game), make_agent("greedy", game)
    _, high = win_rate(game, *agents, pairs=4000, seed=1)
    assert high > 1 / 2


@pytest.mark.parametrize("name", ["random", "greedy", "matrix"])
def test_the_policy_is_what_is_chosen_how_often(name: str):
    late = battling(
        [*of_type("fire", 1, 2, 3), *of_type("water", 1, 2, 3)],
        [*of_type("forest", 1, 2, 3, 4), "fire 4", "water 4"],
    )
    agent = make_agent(name, SMALL)
    agent.start(SMALL, 0)
    for state in (drafting("fire 3", game=SMALL), late, fight(late, ("fire 1", "forest 4"))):
        asked = state.observation()[None], state.legal_mask()[None]
        policy = agent.probabilities(*asked)[0]  # pyright: ignore[reportAttributeAccessIssue]
        found = choices(name, state, 20_000)
        expected = {state.action_name(int(n)): policy[n] for n in np.flatnonzero(policy)}
        assert policy.sum() == pytest.approx(1)
        assert found == pytest.approx(expected, abs=0.015)
