"""``State``, ``Game`` and their errors, in the words of Dragon Deck and of the toy game."""

from __future__ import annotations

import pickle
import sys
import threading
from typing import Any

import numpy as np
import pytest
from duelgym.envs import dragon_deck_v0, game_class, make
from duelgym.envs.core import (
    CHANCE,
    TRUNCATED,
    DuelgymError,
    IllegalActionError,
    OptionError,
    OrderError,
    State,
)
from duelgym.envs.dragon_deck import DragonDeck
from support.toy_game import ToyGame

# Games by name.


def test_make_by_name_with_a_variant_and_options():
    assert make("dragon_deck") == DragonDeck()
    assert make("dragon_deck_v0", "small") == DragonDeck(values_per_type=4)
    assert make("dragon_deck", "small", target=2) == DragonDeck(values_per_type=4, target=2)
    assert game_class("dragon_deck") is DragonDeck
    assert dragon_deck_v0.env(variant="tiny").game == DragonDeck("tiny")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (["dragon_dekc"], {}, "there is no game 'dragon_dekc'; did you mean 'dragon_deck'?"),
        (["chess"], {}, "there is no game 'chess'; there is: delights_and_dragons"),
        (["dragon_deck_v9"], {}, "there is no 'dragon_deck_v9'; this release has dragon_deck_v0"),
        ([None], {}, "a game's name is a word, not None; there is: "),
        (["dragon_deck", 3], {}, "has no variant 3; there is: medium, small, standard, tiny"),
        (["dragon_deck", "smal"], {}, "has no variant 'smal'; did you mean 'small'?"),
        (["dragon_deck"], {"targets": 3}, "has no option 'targets'; did you mean 'target'?"),
    ],
)
def test_what_does_not_exist_is_named(arguments, options, message):
    with pytest.raises(OptionError) as caught:
        make(*arguments, **options)
    assert message in str(caught.value)


def test_labels_say_what_differs_from_the_default():
    assert repr(DragonDeck()) == "dragon_deck_v0"
    assert repr(DragonDeck(target=3)) == "dragon_deck_v0(target=3)"
    assert repr(DragonDeck("tiny")) == "dragon_deck_v0(values_per_type=2, target=2)"


def test_games_compare_and_pickle_by_their_options():
    assert pickle.loads(pickle.dumps(DragonDeck("tiny"))) == DragonDeck("tiny")
    assert DragonDeck(target=6) == DragonDeck()
    assert hash(DragonDeck(target=6)) == hash(DragonDeck())
    assert DragonDeck() != DragonDeck("tiny")
    assert DragonDeck() != ToyGame()


def test_the_template_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        DragonDeck().template["target"] = 1


# Moves.


def test_moves_by_name_and_by_number():
    state = DragonDeck().start(1)
    other = state.clone()
    state.apply("keep")
    other.apply(np.int64(0))
    assert state == other
    assert state.action_name(1) == "refuse"


def test_outcomes_by_name():
    state = DragonDeck().start(explicit_chance=True)
    state.apply("fire 8")
    assert state.game.describe(state.observation(0))["turned_up"] == ["fire 8"]


@pytest.mark.parametrize("action", [-1, 26, 10**6, 2, "fire 1"])
def test_an_illegal_move_names_itself_and_the_legal_ones(action):
    state = DragonDeck().start(1)
    before = pickle.dumps(state)
    with pytest.raises(IllegalActionError) as caught:
        state.apply(action)
    number = 2 if action == "fire 1" else action
    assert str(caught.value) == (
        f"dragon_deck_v0: action {number} is illegal here, player 0 is to move; "
        "legal: 0 (keep), 1 (refuse)"
    )
    assert pickle.dumps(state) == before


def test_an_unknown_move_suggests_the_nearest():
    state = DragonDeck().start(1)
    with pytest.raises(IllegalActionError, match="no action 'kepe'; did you mean 'keep'"):
        state.apply("kepe")


@pytest.mark.parametrize("action", [1.0, None, "0", [0], np.float32(0)])
def test_what_is_no_move_at_all_changes_nothing(action):
    state = DragonDeck().start(1)
    before = pickle.dumps(state)
    with pytest.raises((TypeError, DuelgymError)):
        state.apply(action)
    assert pickle.dumps(state) == before


def test_calls_at_the_wrong_time():
    state = DragonDeck().start(1)
    with pytest.raises(OrderError, match="no returns yet, player 0 is to move"):
        state.returns()
    with pytest.raises(OrderError, match="not a chance node"):
        state.sample_chance()
    with pytest.raises(ValueError, match="has seats 0 to 1, not 2"):
        state.observation(2)
    with pytest.raises(ValueError, match="has seats 0 to 1, not -1"):
        state.resample(-1, 0)
    chance = DragonDeck().start(explicit_chance=True)
    with pytest.raises(OrderError, match="name a seat, chance is to move"):
        chance.observation()


@pytest.mark.parametrize("seed", [1.5, "1", True, [1]])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(ValueError, match="a seed is a whole number or None"):
        DragonDeck().start(seed)


def test_any_whole_number_is_a_seed():
    seeds: list[Any] = [0, -1, 2**64, 10**30, np.int32(-5), np.uint64(2**64 - 1)]
    for seed in seeds:
        assert DragonDeck().start(seed) == DragonDeck().start(seed)
    assert DragonDeck().start() != DragonDeck().start()


# A game that is unlike Dragon Deck.


def test_three_players_and_two_sources_of_chance():
    state = ToyGame().start(explicit_chance=True)
    assert state.player == CHANCE
    assert [probability for _, probability in state.chance_outcomes()] == pytest.approx([1 / 3] * 3)
    state.apply(2)
    assert [probability for _, probability in state.chance_outcomes()] == pytest.approx(
        [1 / 3, 2 / 3]
    )
    state.apply("outcome 1")
    assert state.record.draws.tolist() == [1, 1]
    assert [state.observation(seat)[0] for seat in range(3)] == [3, 0, 0]
    state.apply("wait")
    state.apply("stop")
    assert state.returns() == [-1.5, 3, -1.5]
    assert state.information_state(0) == (4, 3, 2, 27)
    assert state.information_state(2) == (1, 3, 2, 27)
    assert state.history() == [2, 1, 0, 1]


def test_a_game_that_is_cut_off():
    state = ToyGame().start(1)
    for _ in range(6):
        state.apply("wait")
    assert state.player == TRUNCATED
    assert state.is_over
    assert state.is_truncated
    assert state.returns() == [0, 0, 0]


# Threads.


def test_clones_can_be_played_in_several_threads():
    """Search does that: no two states may share a buffer that compiled code writes to."""
    root = DragonDeck().start(3)

    def play(state: State, seed: int) -> list[int]:
        moves = np.random.default_rng(seed)
        while not state.is_over:
            state.apply(int(moves.choice(state.legal_actions())))
        return [*state.history(), *state.information_state(0), *map(int, state.returns())]

    expected = [play(root.clone(), seed) for seed in range(4)]
    wrong: list[int] = []

    def work(seed: int) -> None:
        for _ in range(60):
            if play(root.clone(), seed) != expected[seed]:
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert wrong == []
