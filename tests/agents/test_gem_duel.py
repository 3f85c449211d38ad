"""The scripted players of Gem Duel: what they choose in named situations, and how they score."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from duelgym.agents import gem_duel, make_agent
from duelgym.agents.gem_duel.race import chance_to_win, race_prizes
from duelgym.envs.core import State
from duelgym.envs.gem_duel import GemDuel
from duelgym.training.evaluation import evaluate
from support import agent_moves
from support.gem_duel import EVERY, EVERY_ID, FIVE, FOUR, ODD, THREE, TWO, deal, play, random_game

NAMES = ["bold", "reasoner", "schemer"]
ALL = pytest.mark.parametrize("name", NAMES)


def choices(name: str, state: State, times: int = 30) -> dict[str, float]:
    """How often an agent does what there, as shares of ``times``."""
    agent = make_agent(name, state.game)
    agent.begin(state.game, np.arange(times, dtype=np.uint64))
    actions = np.zeros(times, np.int64)
    observations = np.tile(state.observation(), (times, 1))
    masks = np.tile(state.legal_mask(), (times, 1))
    agent.choose(observations, masks, np.arange(times), actions)
    counts = Counter(state.action_name(action) for action in actions.tolist())
    return {action: count / times for action, count in counts.items()}


def choice(name: str, state: State) -> str:
    """What an agent always does there."""
    (action,) = choices(name, state)
    return action


def with_gems(state: State, *gems: int) -> State:
    """The same position at another score."""
    states = np.array([state.record])
    states["gems"][0, : len(gems)] = gems
    return State(state.game, states)


# Challenges. With five cards the first three are hidden, with four the first two.


@ALL
def test_high_hidden_cards_challenge_low_open_ones_by_power(name: str):
    state = deal(
        TWO,
        "fire 5, fire 5, shadow 5, fire 2, fire 2",
        "water 1, water 1, plant 3, water 2, water 2",
    )
    assert choice(name, state) == "challenge player_1 by power"


@ALL
def test_a_low_light_challenges_high_cards_by_element(name: str):
    state = deal(
        TWO,
        "light 1, shadow 1, fire 1, fire 2, fire 2",
        "water 4, fire 4, plant 3, water 5, water 5",
    )
    assert choice(name, state) == "challenge player_1 by element"


@ALL
def test_the_rival_with_the_worst_open_cards_is_challenged(name: str):
    state = deal(
        FOUR,
        "water 2, water 3, plant 3, fire 3",
        "plant 3, fire 4, plant 5, plant 4",
        "plant 3, water 4, fire 1, fire 2",
        "plant 2, fire 4, plant 5, plant 4",
    )
    found = choices(name, state)
    assert {challenge.split()[1] for challenge in found} == {"player_2"}


def test_bold_forgets_the_hidden_cards_that_reasoner_fears():
    # All open cards are beaten by fire 4 by power and by light by element; hidden ones are not.
    state = deal(
        TWO,
        "fire 4, light 1, shadow 1, fire 2, fire 2",
        "plant 5, water 5, fire 5, water 1, water 1",
    )
    assert choices("bold", state).keys() == {
        "challenge player_1 by power",
        "challenge player_1 by element",
    }
    assert choice("reasoner", state) == "challenge player_1 by element"
    assert choice("schemer", state) == "challenge player_1 by element"


def test_bold_never_asks():
    game = TWO
    seeds = np.arange(1, 101, dtype=np.uint64)
    made = agent_moves.moves(make_agent("bold", game), game, seeds, seeds, 60)
    assert not {game.action_name(action).split()[0] for action in np.unique(made)} & {"ask"}


# Questions.


@pytest.mark.parametrize("name", ["reasoner", "schemer"])
def test_who_knows_only_bad_cards_asks_about_the_others(name: str):
    rival = "water 3, plant 3, fire 4, water 4, plant 5"
    state = deal(TWO, "shadow 1, shadow 2, shadow 3, fire 5, fire 2", rival)
    assert choices(name, state).keys() == {"ask player_1 about slot 4", "ask player_1 about slot 5"}
    state = deal(TWO, "light 5, light 4, fire 5, fire 5, fire 2", rival)
    assert choice(name, state) == "challenge player_1 by element"


TELLING = GemDuel(num_players=3, hand_size=1, powers=((5,), (0, 5), (0, 0, 5), (), ()))
"""Water 1, fire 2 and plant 3: whatever is told about a card tells what it is."""


@pytest.mark.parametrize("name", ["reasoner", "schemer"])
def test_a_question_that_decides_what_to_do_is_worth_more_than_a_turn(name: str):
    # Water 1 beats fire 2 by element, fire 2 so plant 3, and plant 3 beats fire 2 by power.
    state = deal(TELLING, "fire 2", "fire 2", "plant 3")
    assert choices(name, state).keys() == {"ask player_1 about slot 1", "ask player_2 about slot 1"}


@pytest.mark.parametrize(("gems", "asked"), [((0, 4, 2), "player_2"), ((0, 1, 5), "player_1")])
def test_schemer_asks_the_player_who_is_furthest_behind(gems: tuple[int, ...], asked: str):
    state = with_gems(deal(TELLING, "fire 2", "fire 2", "plant 3"), *gems)
    assert choice("schemer", state) == f"ask {asked} about slot 1"


# Cards.


@ALL
@pytest.mark.parametrize(("kind", "card"), [("power", "play slot 2"), ("element", "play slot 3")])
def test_the_best_known_card_is_played(name: str, kind: str, card: str):
    state = deal(
        TWO, "water 2, plant 5, light 1, fire 2, fire 2", "fire 3, plant 3, fire 3, plant 4, fire 4"
    )
    play(state, f"challenge player_1 by {kind}", "tell element of slot 4")
    assert choice(name, state) == card
    # And by the one who is challenged.
    state = deal(
        TWO, "fire 3, plant 3, fire 3, plant 4, fire 4", "water 2, plant 5, light 1, fire 2, fire 2"
    )
    play(state, f"challenge player_1 by {kind}", "tell element of slot 4", "play slot 1")
    assert choice(name, state) == card


@ALL
def test_after_a_tie_the_best_of_the_other_cards_is_played(name: str):
    state = deal(
        TWO, "fire 5, fire 4, fire 3, fire 1, fire 2", "plant 5, plant 3, water 4, plant 3, water 3"
    )
    play(
        state, "challenge player_1 by power", "tell element of slot 4", "play slot 1", "play slot 1"
    )
    assert choice(name, state) == "play slot 2"


@ALL
def test_an_open_card_is_played_for_what_was_told_about_it(name: str):
    hands = "fire 1, fire 3, fire 1, water 3, plant 3", "fire 4, fire 2, water 4, fire 3, fire 2"
    state = deal(TWO, *hands)
    play(state, "ask player_1 about slot 4", "tell element", "challenge player_0 by power")
    play(state, "tell element of slot 5", "play slot 1", "play slot 1", "fire 5", "shadow 1")
    assert choice(name, state) == "challenge player_1 by element"
    play(state, "challenge player_1 by element", "tell power of slot 4")
    assert choice(name, state) == "play slot 4"


@ALL
@pytest.mark.parametrize(("special", "card"), [("light", "play slot 2"), ("shadow", "play slot 1")])
def test_what_a_special_card_must_be_is_worked_out(name: str, special: str, card: str):
    # The only special cards of the game are of one kind.
    powers = [[2, 3, 3, 3, 2]] * 3 + [[0, 0, 1, 0, 0]] * (special == "light")
    powers += [[]] * (5 - len(powers))
    if special == "shadow":
        powers[4] = [0, 0, 1, 0, 0]
    game = GemDuel(hand_size=2, powers=powers, open_cards=1)
    state = deal(game, f"water 3, {special} 3", "fire 1, water 2")
    play(state, "ask player_1 about slot 2", "tell special", "challenge player_0 by element")
    play(state, "play slot 1")
    assert choice(name, state) == card


@pytest.mark.parametrize("name", ["reasoner", "schemer"])
@pytest.mark.parametrize(("told", "card"), [("element", "play slot 2"), ("power", "play slot 1")])
def test_a_rival_is_expected_to_go_by_what_it_was_told(name: str, told: str, card: str):
    # Against water and plant a plant is best. Who has one without knowing it may play the fire.
    state = deal(GemDuel(hand_size=2), "water 1, plant 1", "plant 3, fire 4")
    play(state, "ask player_1 about slot 1", "tell element")
    play(state, "ask player_0 about slot 1", f"tell {told}")
    play(state, "ask player_1 about slot 2", "tell element")
    play(state, "challenge player_0 by element", "tell power of slot 1", "play slot 1")
    assert choice(name, state) == card


# Clues and answers.


@pytest.mark.parametrize("name", ["bold", "reasoner"])
def test_a_clue_is_not_about_what_the_duel_goes_by(name: str):
    hands = "water 2, plant 5, light 1, fire 2, fire 2", "fire 3, plant 3, fire 4, plant 1, fire 4"
    for kind, other in [("power", "element"), ("element", "power")]:
        state = play(deal(TWO, *hands), f"challenge player_1 by {kind}")
        assert choices(name, state).keys() == {
            f"tell {other} of slot 4",
            f"tell {other} of slot 5",
        }


@pytest.mark.parametrize("name", ["bold", "reasoner"])
def test_answers_are_tossed_for(name: str):
    state = deal(
        TWO, "water 2, plant 5, light 1, fire 2, fire 3", "fire 3, plant 3, fire 4, plant 1, fire 4"
    )
    found = choices(name, play(state, "ask player_1 about slot 4"), times=2000)
    assert found.keys() == {"tell element", "tell power"}
    assert found["tell power"] == pytest.approx(1 / 2, abs=0.04)


@pytest.mark.parametrize(
    ("open_cards", "told"),
    [("fire 2, fire 3", "tell power"), ("fire 2, plant 2", "tell element")],
)
def test_schemer_answers_what_points_out_fewer_cards(open_cards: str, told: str):
    state = deal(
        TWO, f"water 2, plant 5, light 1, {open_cards}", "fire 3, plant 3, fire 4, plant 1, fire 4"
    )
    assert choice("schemer", play(state, "ask player_1 about slot 4")) == told


def test_schemer_does_not_tell_the_rival_its_best_card():
    state = deal(
        TWO,
        "water 4, plant 4, fire 4, water 3, water 3",
        "fire 1, plant 1, fire 1, plant 5, fire 2",
    )
    play(state, "challenge player_1 by power")
    assert "tell power of slot 4" not in choices("schemer", state)
    assert "tell power of slot 4" in [state.action_name(action) for action in state.legal_actions()]


# Standing.


@pytest.mark.parametrize(
    ("gems", "challenged"),
    [((0, 4, 0), {"player_2"}), ((0, 1, 4), {"player_1"}), ((5, 2, 2), {"player_1", "player_2"})],
)
def test_of_rivals_with_the_same_cards_schemer_challenges_the_one_behind(
    gems: tuple[int, ...], challenged: set[str]
):
    state = deal(
        THREE,
        "fire 5, plant 4, plant 5, plant 5",
        "fire 3, plant 3, water 3, fire 2",
        "plant 3, fire 3, water 3, fire 2",
    )
    state = with_gems(state, *gems)
    assert {action.split()[1] for action in choices("schemer", state)} == challenged
    assert {action.split()[1] for action in choices("reasoner", state)} == {"player_1", "player_2"}


# The problem of points: two players as Pascal and Fermat had it in 1654, and their example of three.
@pytest.mark.parametrize(
    ("needed", "expected"),
    [
        ((1, 1), 1 / 2),
        ((1, 2), 3 / 4),
        ((2, 3), 11 / 16),
        ((3, 2), 5 / 16),
        ((1, 2, 2), 17 / 27),
        ((2, 1, 2), 5 / 27),
        ((4, 4, 4, 4, 4), 1 / 5),
        ((50, 50), 1 / 2),
    ],
)
def test_the_problem_of_points(needed: tuple[int, ...], expected: float):
    assert chance_to_win(np.array(needed)) == pytest.approx(expected)


@pytest.mark.parametrize(
    "needed", [(7, 7), (3, 6), (6, 1, 4), (5, 5, 2, 3), (4, 1, 1, 2, 3), (50, 9)]
)
def test_a_gem_that_goes_to_any_player_alike_changes_nothing(needed: tuple[int, ...]):
    won_by, _ = race_prizes(np.array(needed), 1)
    assert won_by[0, 0] == pytest.approx(1)
    assert won_by[0].sum() == pytest.approx(0, abs=1e-9)
    behind, ahead = np.argsort(needed[1:])[[-1, 0]] + 1
    assert won_by[0, ahead] <= won_by[0, behind] < 0


# Secrecy, and games with unusual options.


@ALL
@pytest.mark.parametrize("game", [TWO, FOUR, ODD["many reshuffles"]], ids=["two", "four", "odd"])
def test_choices_do_not_depend_on_what_the_seat_cannot_see(name: str, game: GemDuel):
    decisions = changed = 0
    for state, _ in random_game(game, seed=3):
        if not state.is_chance and not state.is_over:
            redrawn = state.resample(state.player, seed=decisions)
            assert choices(name, state, times=3) == choices(name, redrawn, times=3)
            decisions += 1
            changed += redrawn != state
    assert changed > 10


@ALL
@pytest.mark.parametrize("game", EVERY, ids=EVERY_ID)
def test_beats_random_play(name: str, game: GemDuel):
    agents = make_agent(name, game), make_agent("random", game)
    result = evaluate(game, agents, games=600, seed=1, confidence=0.99)
    assert result.standings[0].overall.score.low > 1 / game.num_players


# Strength.


@pytest.mark.parametrize("game", [TWO, THREE, FOUR, FIVE], ids=["two", "three", "four", "five"])
@pytest.mark.parametrize(("better", "worse"), [("reasoner", "bold"), ("schemer", "reasoner")])
def test_the_better_idea_wins_among_players_of_the_other(game: GemDuel, better: str, worse: str):
    agents = make_agent(better, game), make_agent(worse, game)
    result = evaluate(game, agents, games=3000, seed=1, confidence=0.9)
    assert result.standings[0].overall.score.low > 1 / game.num_players


# Compiled code.


def test_functions_that_reach_beyond_their_module_take_what_tells_of_changes():
    """Numba's cache looks at one file and at the types of arguments, of which these carry the code."""
    checked = 0
    for path in sorted(Path(str(gem_duel.__file__)).parent.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {
            alias.asname or alias.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and node.level
            for alias in node.names
        }
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.decorator_list:
                names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
                arguments = {argument.arg for argument in node.args.args}
                beyond = (names - arguments) & imported
                assert arguments & {"agent", "options"} or not beyond, node.name
                checked += 1
    assert checked > 40
