"""What a seat of Gem Duel knows: nothing more, nothing less, whatever the options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from duelgym.envs.core import State
from duelgym.envs.gem_duel import GemDuel, rules
from support.gem_duel import EVERY, EVERY_ID, FOUR, ODD, TWO, deal, play, random_game, sees
from support.gem_referee import Referee


@pytest.fixture(params=EVERY, ids=EVERY_ID)
def gem_duel(request: pytest.FixtureRequest) -> GemDuel:
    """Every variant, and unusual options."""
    return request.param


def refereed(game: GemDuel, games: int) -> Iterator[tuple[State, Referee, str]]:
    """Positions of random games, the same by the rules as by the referee, and what happens next."""
    for seed in range(games):
        referee = Referee(game)
        for state, move in random_game(game, seed):
            yield state, referee, move
            if move:
                referee.apply(move)


# Beside a referee who goes by the rule sheet.


def test_a_referee_agrees_on_every_move_and_every_observation(gem_duel):
    for state, referee, _ in refereed(gem_duel, games=4):
        name = state.outcome_name if state.is_chance else state.action_name
        assert {name(action) for action in state.legal_actions()} == referee.legal()
        assert (state.player, state.is_over) == (referee.player, referee.player == -2)
        if state.is_over:
            assert state.returns() == pytest.approx(referee.returns())
        for seat in range(gem_duel.num_players):
            found, expected = sees(state, seat), referee.observation(seat)
            if not gem_duel.may_reshuffle:
                del expected["unseen_new"]
                for words in expected.values():
                    if isinstance(words, list) and "new" in words:
                        words.remove("new")
            assert found == expected


def test_what_a_player_can_tell_apart_does_not_look_alike(gem_duel):
    """Equal observations mean equal knowledge, and the other way round, over all that is met."""
    looks: dict[bytes, Any] = {}
    known: dict[Any, bytes] = {}
    for state, referee, _ in refereed(gem_duel, games=8):
        if state.is_chance:
            continue
        for seat in range(gem_duel.num_players):
            observation, knowledge = state.observation(seat).tobytes(), referee.knowledge(seat)
            assert looks.setdefault(observation, knowledge) == knowledge
            assert known.setdefault(knowledge, observation) == observation
    assert len(looks) > 20


def test_every_short_game_of_few_cards():
    """The same for every line of play through the first turns, all deals and all moves."""
    game = GemDuel(hand_size=2, open_cards=1, powers=((2, 1), (1,), (), (0, 1), ()), target=2)
    looks: dict[bytes, Any] = {}
    known: dict[Any, bytes] = {}

    def visit(moves: list[str], depth: int) -> None:
        state, referee = game.start(0, explicit_chance=True), Referee(game)
        for move in moves:
            state.apply(move)
            referee.apply(move)
        if not state.is_chance:
            for seat in range(2):
                observation, knowledge = state.observation(seat).tobytes(), referee.knowledge(seat)
                assert looks.setdefault(observation, knowledge) == knowledge
                assert known.setdefault(knowledge, observation) == observation
        if depth:
            for move in sorted(referee.legal()):
                visit([*moves, move], depth - (not state.is_chance))

    visit([], depth=3)
    assert len(looks) > 500


# Fact by fact: a change in the state changes the observation of those who know it, and no other.

Change = Callable[[np.record], None]


def change(field: str, value: Any, *index: int) -> Change:
    def changed(record: np.record) -> None:
        if index:
            record[field][index] = value
        else:
            record[field] = value

    return changed


def tied_duel() -> State:
    """player_1 has challenged player_3, they tied once, and player_1 has chosen again, from slot 3."""
    state = deal(
        FOUR,
        "water 1, water 2, fire 1, plant 1",
        "water 3, fire 2, water 4, light 1",
        "fire 3, fire 3, fire 4, plant 2",
        "water 5, plant 3, plant 4, shadow 1",
    )
    return play(
        state,
        "ask player_1 about slot 3",
        "tell power",
        "challenge player_3 by element",
        "tell element of slot 3",
        "play slot 1",
        "play slot 1",
        "play slot 3",
    )


OTHER = TWO.outcome("fire 5")
EVERYBODY, NOBODY = [0, 1, 2, 3], []
FACTS: dict[str, tuple[Change, list[int]]] = {
    "the seed": (change("seed", 5), NOBODY),
    "the number of draws": (change("draws", 40, 0), NOBODY),
    "which slot was committed": (change("committed", 1), [1]),
    "whether player_1 has committed": (change("player", 1), EVERYBODY),
    "whose turn it is": (change("turn", 0), EVERYBODY),
    "who is challenged": (change("partner", 2), EVERYBODY),
    "the type of the duel": (change("duel_type", rules.POWER), EVERYBODY),
    "the round": (change("duel_round", 3), EVERYBODY),
    "gems of player_0": (change("gems", 3, 0), EVERYBODY),
    "gems of player_3": (change("gems", 1, 3), EVERYBODY),
    "the deck size": (change("deck_size", 30), EVERYBODY),
    "a card of the deck": (change("deck", 0, OTHER), EVERYBODY),
    "a discarded card": (change("discard", 1, OTHER), EVERYBODY),
    "what player_0 was told": (change("told", 0, 0, 2), EVERYBODY),
    "possible elements for player_0": (change("possible_elements", 3, 0, 2), EVERYBODY),
    "possible powers for player_0": (change("possible_powers", 3, 0, 3), EVERYBODY),
    "possible powers for player_3": (change("possible_powers", 3, 3, 2), EVERYBODY),
    "whether a card is open": (change("place", rules.HIDDEN, 2, 2), EVERYBODY),
    "whether a card was played": (change("place", rules.PLAYED, 2, 2), EVERYBODY),
}


@pytest.mark.parametrize("fact", FACTS)
def test_a_fact_changes_the_observation_of_those_who_know_it(fact):
    changed, know = FACTS[fact]
    state = tied_duel()
    before = [state.observation(seat) for seat in range(4)]
    states = state._states.copy()
    changed(states[0])
    after = State(FOUR, states)
    differs = [seat for seat in range(4) if (after.observation(seat) != before[seat]).any()]
    assert differs == know


@pytest.mark.parametrize(
    ("holder", "slot", "know"),
    [(0, 0, [0]), (0, 2, [1, 2, 3]), (3, 1, [3]), (3, 3, [0, 1, 2]), (3, 0, [0, 1, 2, 3])],
    ids=["hidden", "open", "rival hidden", "rival open", "played"],
)
def test_a_card_exchanged_with_the_deck_is_noticed_by_those_who_see_it(holder, slot, know):
    state = tied_duel()
    before = [state.observation(seat) for seat in range(4)]
    states = state._states.copy()
    record = states[0]
    record.deck[record.card[holder, slot]] += 1
    record.deck[OTHER] -= 1
    record.card[holder, slot] = OTHER
    after = State(FOUR, states)
    differs = [seat for seat in range(4) if (after.observation(seat) != before[seat]).any()]
    assert differs == know


def test_the_asked_slot_is_known_to_all():
    state = deal(
        TWO,
        "water 1, water 2, fire 1, plant 1, fire 2",
        *["fire 3, fire 4, fire 5, plant 2, plant 3"],
    )
    one = play(state.clone(), "ask player_1 about slot 4")
    other = play(state.clone(), "ask player_1 about slot 5")
    for seat in range(2):
        assert sees(one, seat)["asked"] == ["slot 4"]
        assert sees(other, seat)["asked"] == ["slot 5"]


# Secrecy in the middle of things; tests of all games redraw at every step of random games.


def test_redrawing_was_tried_in_the_middle_of_everything(gem_duel):
    """In each kind of decision, with a commitment, in tie rounds and after a reshuffle, if there are any."""
    tried: Counter[str] = Counter()
    for state, referee, _ in refereed(gem_duel, games=4):
        situation = "chance" if state.is_chance else referee.decision * (not state.is_over)
        tied = " after a tie" * (referee.stake > 1)
        chosen = " with a commitment" * (referee.chosen is not None)
        tried[situation + tied + chosen] += 1
        tried["after a reshuffle"] += referee.decks > 1
        for seat in range(gem_duel.num_players):
            other = state.resample(seat, seed=1)
            assert other.observation(seat).tobytes() == state.observation(seat).tobytes()
            assert other.player == state.player
            if seat == state.player:
                assert (other.legal_mask() == state.legal_mask()).all()
            check_clues(other, seat, referee)
    size, open_cards = gem_duel.options.hand_size, gem_duel.options.open_cards
    expected = {"chance", "turn", "play", "play with a commitment"}
    expected |= {"answer", "clue"} if open_cards else set()
    expected |= {"play after a tie", "play after a tie with a commitment"} if size > 1 else set()
    assert expected <= set(tried)
    if gem_duel in (ODD["many reshuffles"], ODD["few cards, all open"]):
        assert tried["after a reshuffle"] > 10


def check_clues(state: State, seat: int, referee: Referee) -> None:
    """Nothing that the referee has said contradicts the cards of a redrawn world."""
    cards = Counter(
        state.game.chance_name(n) for n in np.repeat(np.arange(65), state.record.deck).tolist()
    )
    for holder, hand in enumerate(referee.hands):
        for slot, card in enumerate(hand):
            if card:
                name = state.game.chance_name(int(state.record.card[holder, slot]))
                assert name in card.may_be or card.lies != "open"
                assert name == card.name or not referee.sees(seat, holder, card)
                cards[name] += not referee.sees(seat, holder, card)
    assert cards == Counter(name for name, _ in referee.unseen(seat))


def worlds_by_brute_force(state: State, seat: int) -> dict[bytes, float]:
    """Every hidden world that fits what a seat has seen, with its probability given that.

    All deals and all secret choices of others are tried, and kept as long as the seat sees the same.
    """
    game, log, history = state.game, state.information_state(seat), state.history()
    moves = np.zeros(len(history), bool)
    start = game.start(0, explicit_chance=True)
    for step, action in enumerate(history):
        moves[step] = start.player == seat
        start.apply(action)
    found: Counter[bytes] = Counter()

    def visit(world: State, step: int, probability: float) -> None:
        if world.information_state(seat) != log[:step]:
            return
        if step == len(history):
            found[hidden(world)] += probability  # pyright: ignore[reportArgumentType]
            return
        if world.is_chance:
            outcomes = world.chance_outcomes()
        elif moves[step]:
            outcomes = [(history[step], 1.0)]
        else:
            outcomes = [(action, 1.0) for action in world.legal_actions()]
        for action, chance in outcomes:
            if world.is_chance or world.legal_mask()[action]:
                after = world.clone()
                after.apply(action)
                visit(after, step + 1, probability * chance)

    visit(game.start(0, explicit_chance=True), 0, 1.0)
    total = sum(found.values())
    return {world: probability / total for world, probability in found.items()}


def hidden(state: State) -> bytes:
    """What only some see of a position."""
    record = state.record
    return record.card.tobytes() + record.deck.tobytes() + record.committed.tobytes()


@pytest.mark.parametrize("marks", [True, False], ids=["clues mark specials", "they do not"])
@pytest.mark.parametrize(("open_cards", "seed"), [(1, 3), (1, 5), (2, 1), (2, 3)])
def test_redrawn_worlds_are_all_that_fit_each_as_likely_as_it_is(open_cards, seed, marks):
    """Beside every deal and secret choice that a seat could have seen as it did, reshuffles included."""
    game = GemDuel(
        hand_size=2, open_cards=open_cards, target=6, clue_marks_specials=marks,
        powers=((1, 2), (1,), (), (1, 1), (0, 1)),
    )  # fmt: skip
    checked: Counter[str] = Counter()
    for state, _ in random_game(game, seed):
        if len(state.history()) > 20:
            break
        if state.is_chance:
            continue
        for seat in range(2):
            expected = worlds_by_brute_force(state, seat)
            samples = 600
            drawn = Counter(hidden(state.resample(seat, n)) for n in range(samples))
            assert set(drawn) <= set(expected)
            for world, probability in expected.items():
                # Binomial: five standard deviations, and what is expected less than once may fail to appear.
                spread = 5 * (samples * probability * (1 - probability)) ** 0.5 + 1
                assert abs(drawn[world] - samples * probability) < spread
            if len(expected) > 1:
                checked["reshuffled" if state.record.shuffles else "first deck"] += 1
                checked["commitment"] += state.record.committed != rules.NO_SLOT
    assert min(checked[situation] for situation in ("first deck", "commitment", "reshuffled")) > 0
