"""The scripted players of Delights & Dragons: what they choose in named situations, and how they score."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from duelgym.agents import agent_names, make_agent
from duelgym.agents.delights_and_dragons import reading, turns
from duelgym.agents.delights_and_dragons.planner import PlannerAgent
from duelgym.envs.core import State
from duelgym.envs.delights_and_dragons import DelightsAndDragons
from duelgym.training.evaluation import evaluate
from support.delights import CARDS, battle, begin, end_turn, hand, legal, play

NAMES = ("racer", "trader", "planner")
ALL = pytest.mark.parametrize("name", NAMES)


def choice(name: str, state: State, seed: int = 0) -> str:
    """What an agent does there."""
    agent = make_agent(name, state.game)
    agent.start(state.game, seed)
    observation = {"observation": state.observation(), "action_mask": state.legal_mask()}
    return state.action_name(agent.act(observation))


def turn(name: str, state: State) -> list[str]:
    """What an agent does until the other player's turn or the end; buttons are left out."""
    state, moves = state.clone(), []
    seat = state.player
    while not state.is_over and state.player == seat and not state.is_chance:
        moves.append(choice(name, state))
        state.apply(moves[-1])
        if moves[-1] == "play Button" and any(move.startswith("on ") for move in legal(state)):
            state.apply(choice(name, state))
    return [move for move in moves if move not in ("play Button", "end phase")]


def attacks(name: str, state: State) -> list[tuple[int, int | None]]:
    """Slots of attacker and target of every attack in a turn; None where there is no choice."""
    found: list[tuple[int, int | None]] = []
    for move in turn(name, state):
        if move.startswith("attack with slot "):
            found.append((int(move.split()[-1]), None))
        elif move.startswith("target slot "):
            found[-1] = (found[-1][0], int(move.split()[-1]))
    return found


def test_there_are_three_from_the_simplest_idea_to_the_strongest():
    assert agent_names(DelightsAndDragons()) == ["random", *NAMES]


# All of them.


@ALL
def test_everybody_that_may_attacks_health_when_nobody_is_in_the_way(name: str):
    state = battle(["Hero", "Guard", "Queen"], [])
    assert {slot for slot, _ in attacks(name, state)} == {1, 2, 3}


@ALL
def test_a_character_and_an_item_are_played_before_the_attacks(name: str):
    state = end_turn(end_turn(play(begin([["Guard", "Page", "Ring"], []]), "play Guard")))
    moves = turn(name, state)
    assert moves[:2] == ["play Page", "play Ring"]
    assert moves[-1] == "attack with slot 1"


@ALL
def test_the_game_goes_on_when_the_deck_has_run_out(name: str):
    cards: dict[str, Any] = {**CARDS, "decks": {"few": {"Hero": 4, "Guard": 2}}}
    game = DelightsAndDragons(card_set=cards, opening_hand=4, health=200)
    state = game.start(1)
    while "forfeit" not in legal(state):
        state.apply(choice(name, state))
    assert [choice(name, state, seed) for seed in range(5)] == ["reshuffle"] * 5


@ALL
def test_equally_good_choices_are_drawn_by_lot(name: str):
    state = begin([["Hero", "Twin"], []], card_set=twins())
    assert {choice(name, state, seed) for seed in range(20)} == {"play Hero", "play Twin"}


def twins() -> dict[str, Any]:
    """The workbench with a twin of the hero."""
    twin = {"name": "Twin", "attack": 8, "defense": 4}
    deck = {**CARDS["decks"]["all"], "Hero": 3, "Twin": 1}
    characters = [*CARDS["characters"], twin]
    return {**CARDS, "characters": characters, "decks": {"all": deck}}


@ALL
@pytest.mark.parametrize("variant", ["themed", "closed"])
def test_what_is_hidden_changes_nothing(name: str, variant: str):
    game, moves = DelightsAndDragons(variant), np.random.default_rng(3)
    for seed in range(3):
        state = game.start(seed)
        while not state.is_over:
            found = {choice(name, state.resample(state.player, world)) for world in range(3)}
            assert found == {choice(name, state)}
            state.apply(int(moves.choice(state.legal_actions())))


# The racer.


def test_racer_plays_the_highest_attack():
    assert choice("racer", begin([["Guard", "Hero", "Queen"], []])) == "play Hero"


def test_racer_gives_the_sword_to_the_one_that_attacks_now():
    state = begin([["Guard", "Hero", "Page", "Sword", "Shield"], []])
    state = end_turn(end_turn(play(state, "play Guard")))
    assert turn("racer", state) == ["play Hero", "play Sword", "on slot 1", "attack with slot 1"]


def test_racer_attacks_where_it_does_most_damage():
    # 8 against 6 does 2, against 1 does 7.
    assert attacks("racer", battle(["Hero"], ["Guard", "Page"])) == [(1, 2)]


def test_racer_lets_the_one_attack_first_that_does_most_damage():
    # The hero gets 7 past the page, the guard would get 4; the guard then cannot beat a guard.
    assert attacks("racer", battle(["Guard", "Hero"], ["Page", "Guard"])) == [(2, 1), (1, None)]


def test_racer_clears_the_way_with_the_weakest():
    # Nobody gets past a defense of 10: one page injures the guard, one destroys it, and all eight
    # points of the hero are for the health.
    state = battle(["Hero", "Page", "Page"], ["Guard"], [], [("Shield", 1)])
    slots = [slot for slot, _ in attacks("racer", state)]
    assert sorted(slots[:2]) == [2, 3]
    assert slots[2] == 1


# The trader.


def test_trader_removes_the_dangerous_one_where_the_racer_takes_the_damage():
    state = battle(["Guard"], ["Hero", "Page"])
    assert attacks("trader", state) == [(1, 1)]
    assert attacks("racer", state) == [(1, 2)]


def test_trader_spends_the_weakest_that_will_do():
    # 5 beats the hero's 4, only 8 beats the guard's 6.
    assert attacks("trader", battle(["Hero", "Guard"], ["Guard", "Hero"])) == [(2, 2), (1, None)]


def test_trader_injures_the_best_and_destroys_it_with_the_next():
    found = attacks("trader", battle(["Page", "Page"], ["Guard", "Hero"]))
    assert [target for _, target in found] == [2, 2]


def test_trader_gives_an_item_to_the_one_that_can_destroy_more_with_it():
    # A hero beats the guard anyway; a guard needs the sword for it.
    state = battle(["Hero", "Guard"], ["Guard"])
    state = give(state, "Sword")
    assert choice("trader", state) == "play Sword"
    assert choice("trader", play(state, "play Sword")) == "on slot 2"


def test_trader_gives_an_item_to_its_best_where_it_destroys_no_more():
    state = give(battle(["Page", "Hero"], ["Queen"]), "Sword")
    assert choice("trader", play(state, "play Sword")) == "on slot 2"


def give(state: State, *cards: str) -> State:
    """Seat 0 draws these cards, one a turn; nobody does anything in between."""
    for card in cards:
        end_turn(end_turn(state, card))
    assert set(cards) <= set(hand(state, 0))
    return state


# The planner.


def test_planner_lets_two_attacks_work_together():
    # A hero with two shields has a defense of 12. The trader destroys the page, as that is what it
    # can destroy; the planner injures the hero with its own page first.
    state = battle(["Hero", "Page"], ["Page", "Hero"], [], [("Shield", 2), ("Shield", 2)])
    assert attacks("planner", state) == [(2, 2), (1, 2)]
    assert attacks("trader", state)[0] == (1, 1)


def test_planner_takes_the_win():
    # 5 against 1 is the 4 points of health that are left.
    state = battle(["Guard"], ["Hero", "Page"], health=4)
    assert attacks("planner", state) == [(1, 2)]
    assert attacks("trader", state) == [(1, 1)]


def test_planner_finds_the_order_that_clears_the_way_for_the_win():
    # Page and page remove the guard (defense 10), the hero takes the 8 points that are left.
    state = battle(["Hero", "Page", "Page"], ["Guard"], [], [("Shield", 1)], health=8)
    assert [slot for slot, _ in attacks("planner", state)][-1] == 1


def test_planner_brings_out_the_one_that_survives():
    # The opponent's guard would destroy a hero, and only injure a guard.
    state = end_turn(begin([["Hero", "Guard"], ["Guard"]]), "Page")
    state = end_turn(play(state, "play Guard"))
    assert choice("planner", state) == "play Guard"
    assert choice("trader", state) == choice("racer", state) == "play Hero"


def test_planner_equips_the_one_that_needs_it():
    # With a ring the hero has a defense of 5, which the guard's attack no longer beats.
    state = battle(["Queen", "Hero"], ["Guard"], [], [("Shield", 1)])
    state = give(state, "Ring")
    assert choice("planner", play(state, "play Ring")) == "on slot 2"


def test_planner_plays_a_character_for_the_item_that_it_will_hold():
    # Alone the guard is the better one; a hero with a shield has a defense of 8.
    state = end_turn(begin([["Hero", "Guard", "Shield"], ["Guard"]]), "Page")
    state = end_turn(play(state, "play Guard"))
    assert turn("planner", state) == ["play Hero", "play Shield"]


def lines(state: State) -> Iterator[tuple[Any, ...]]:
    """The table after every line of the mover's attacks."""
    agent = PlannerAgent()
    agent.start(state.game, seed=0)
    record = agent._agents[0]
    reading.read_table(record, state.observation())
    before = record.tobytes()
    turns.first_line(record, reading.OWN)
    more = True
    while more:
        rival = reading.RIVAL
        marks = record.marks[rival] * (record.character[rival] >= 0)
        yield (int(record.health[rival]), *record.character[rival], *marks)
        more = turns.next_line(record, reading.OWN)
    turns.take_back_line(record, reading.OWN)
    after = record.copy()
    after.line[:], after.target_before[:], after.health_before[:] = 0, 0, 0
    assert after.tobytes() == before


def results(state: State) -> Iterator[tuple[Any, ...]]:
    """The table after every possible order of attacks, by the rules."""
    record = state.record
    moves = [move for move in legal(state) if move.startswith(("attack", "target"))]
    if state.is_over or not moves:
        yield (int(record.health[1]), *record.character[1], *record.marks[1])
        return
    for move in moves:
        after = state.clone()
        after.apply(move)
        yield from results(after)


@pytest.mark.parametrize(
    ("own", "rival", "health"),
    [
        (["Hero", "Guard", "Page"], ["Guard", "Hero", "Page"], 20),
        (["Page", "Page", "Hero", "Guard"], ["Queen", "Hero"], 20),
        (["Hero", "Hero", "Hero", "Page"], ["Page", "Queen"], 9),
        (["Guard", "Queen", "Hero"], ["Guard", "Guard"], 3),
    ],
)
def test_planner_looks_at_every_result_that_attacks_can_have(
    own: list[str], rival: list[str], health: int
):
    state = battle(own, rival, health=health)
    found, possible = set(lines(state)), set(results(state))
    assert len(possible) > 2
    assert {result for result in possible if result[0] > 0} <= found
    assert any(result[0] <= 0 for result in possible) == any(result[0] <= 0 for result in found)


# Strength.


def at_least(game: DelightsAndDragons, first: str, second: str, games: int) -> float:
    """The lower end of a 99 % interval of the first one's score against the second."""
    agents = [make_agent(name, game) for name in (first, second)]
    return evaluate(game, agents, games, 1, confidence=0.99).standings[0].overall.score.low


@ALL
def test_beats_random_play(delights_and_dragons: DelightsAndDragons, name: str):
    assert at_least(delights_and_dragons, name, "random", games=1000) > 0.9


@pytest.mark.parametrize(("stronger", "weaker"), [("trader", "racer"), ("planner", "trader")])
def test_the_ideas_have_an_order(
    delights_and_dragons: DelightsAndDragons, stronger: str, weaker: str
):
    assert at_least(delights_and_dragons, stronger, weaker, games=4000) > 0.51
