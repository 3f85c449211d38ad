"""What must hold in every game and every variant, checked over random games."""

from __future__ import annotations

import copy
import itertools
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from duelgym.envs.core import (
    Game,
    IllegalActionError,
    OrderError,
    State,
    StateFormatError,
    loops,
)
from duelgym.envs.core.dispatch import retract
from duelgym.envs.core.observation import bounds
from duelgym.envs.core.playthrough import playthrough
from duelgym.envs.core.records import copied
from support.habits import RARE, Habit, uniform

GOLDEN = Path(__file__).parents[1] / "golden"
GOLDEN_SEEDS = {"dragons_path basic": 40, "dragons_path advanced": 57}
"""Of playthroughs that show more than the usual seed 1: many cards, reactions and spells."""


def random_states(
    game: Game, games: int, explicit_chance: bool = False, habit: Habit = uniform
) -> Iterator[State]:
    """Every position of some random games, the last ones included; the same object all along."""
    moves = np.random.default_rng(7)
    for seed in range(games):
        state = game.start(seed, explicit_chance)
        yield state
        while not state.is_over:
            state.apply(state.sample_chance() if state.is_chance else habit(state, moves))
            yield state


def rare_states(game: Game, games: int) -> Iterator[State]:
    """Every position of some games that go where random ones hardly ever do, if the game needs it."""
    if game.name in RARE:
        yield from random_states(game, games, habit=RARE[game.name])


def snapshot(state: State) -> tuple[Any, ...]:
    """All that there is to a state."""
    seats = range(state.game.num_players)
    return (
        state.record.tobytes(),
        state.legal_mask().tobytes(),
        state.history(),
        [state.information_state(seat) for seat in seats],
    )


def without_seed(state: State) -> bytes:
    record = state.record.copy()
    record.seed = 0
    return record.tobytes()


# The declared facts.


def test_facts_hold_in_every_game(game):
    facts = game.facts
    decisions = chances = 0
    for state in random_states(game, games=150, explicit_chance=True):
        if not state.history():
            decisions = chances = 0
        if state.is_chance:
            chances += 1
            assert chances <= facts.max_chance_run
            continue
        chances = 0
        if not state.is_over:
            decisions += 1
            assert decisions <= facts.max_decisions
            assert 0 <= state.player < facts.num_players
            continue
        returns = state.returns()
        assert decisions >= facts.min_decisions
        assert len(returns) == facts.num_players
        assert min(returns) >= facts.min_return
        assert max(returns) <= facts.max_return
        assert facts.can_truncate or not state.is_truncated
        if facts.zero_sum:
            assert sum(returns) == pytest.approx(0, abs=1e-6)


def test_every_action_is_legal_somewhere(game):
    env = game.vector(512)
    env.reset(1)
    legal = np.zeros(game.num_actions, bool)
    for step in range(200):
        legal |= env.masks.any(axis=0)
        env.step(env.random_actions(1, step))
    for state in rare_states(game, games=20):
        legal |= state.legal_mask().astype(bool)
    assert [game.action_name(action) for action in np.flatnonzero(~legal)] == []


def test_every_chance_outcome_happens_somewhere(game):
    happened = set()
    for state in random_states(game, games=150, explicit_chance=True):
        if state.is_chance:
            happened.add(state.sample_chance())
    assert happened == set(range(game.facts.num_chance_outcomes))


# Legal actions.


def test_masks_match_legality(game):
    for state in random_states(game, games=8):
        if state.is_over:
            continue
        before = snapshot(state)
        mask = state.legal_mask()
        assert mask.dtype == np.int8
        assert set(mask) <= {0, 1}
        assert state.legal_actions() == np.flatnonzero(mask).tolist() != []
        for action in range(-2, game.num_actions + 2):
            if 0 <= action < game.num_actions and mask[action]:
                after = state.clone()
                after.apply(action)
                assert after.record.tobytes() != before[0]
            else:
                with pytest.raises(IllegalActionError, match=f"action {action} is illegal here"):
                    state.apply(action)
        assert snapshot(state) == before


def test_nothing_is_legal_after_the_end(game):
    for state in random_states(game, games=3):
        if state.is_over:
            before = snapshot(state)
            assert state.legal_actions() == []
            for action in range(game.num_actions):
                with pytest.raises(OrderError, match="over"):
                    state.apply(action)
            assert snapshot(state) == before


# Chance.


def test_chance_weights(game):
    for state in random_states(game, games=20, explicit_chance=True):
        if not state.is_chance:
            with pytest.raises(OrderError, match="not a chance node"):
                state.chance_outcomes()
            continue
        outcomes = state.chance_outcomes()
        assert all(probability > 0 for _, probability in outcomes)
        assert sum(probability for _, probability in outcomes) == pytest.approx(1)
        possible = [outcome for outcome, _ in outcomes]
        assert possible == state.legal_actions() == sorted(set(possible))
        assert state.sample_chance() in possible
        assert not state.legal_mask().any()
        before = snapshot(state)
        for outcome in {-1, *range(game.facts.num_chance_outcomes + 1)} - set(possible):
            with pytest.raises(IllegalActionError, match="chance is to move"):
                state.apply(outcome)
        assert snapshot(state) == before


def test_chance_is_drawn_from_seed_source_and_count(game):
    """However the game was played, the n-th draw of a source meets the same luck."""
    moves = np.random.default_rng(3)
    for seed in range(5):
        drawn: dict[Any, int] = {}
        for _ in range(20):
            state = game.start(seed, explicit_chance=True)
            while not state.is_over:
                if state.is_chance:
                    source = int(state.record.source)
                    count = int(state.record.draws[source])
                    outcome = state.sample_chance()
                    node = (source, count, tuple(state.chance_outcomes()))
                    assert drawn.setdefault(node, outcome) == outcome
                    state.apply(outcome)
                    assert state.record.draws[source] == count + 1
                else:
                    state.apply(moves.choice(state.legal_actions()))


def test_automatic_chance_is_the_same_as_explicit_chance(game):
    moves = np.random.default_rng(4)
    for seed in range(10):
        automatic, explicit = game.start(seed), game.start(seed, explicit_chance=True)
        while True:
            while explicit.is_chance:
                explicit.apply(explicit.sample_chance())
            assert snapshot(automatic) == snapshot(explicit)
            if automatic.is_over:
                break
            action = moves.choice(automatic.legal_actions())
            automatic.apply(action)
            explicit.apply(action)


def test_seeds_settle_chance(game):
    def opening(seed: int) -> bytes:
        state = game.start(seed)
        while not state.is_over:
            state.apply(state.legal_actions()[0])
        return without_seed(state)

    assert opening(5) == opening(5)
    assert len({opening(seed) for seed in range(20)}) > 1


# What a seat sees.


def test_observations_lie_in_the_declared_space(game):
    low, high = bounds(game.sections)
    assert low.shape == high.shape == (game.observation_size,)
    for state in random_states(game, games=20, explicit_chance=True):
        for seat in range(game.num_players):
            observation = state.observation(seat)
            assert observation.dtype == np.float32
            assert observation.shape == (game.observation_size,)
            assert np.isfinite(observation).all()
            assert (low <= observation).all()
            assert (observation <= high).all()


def test_sections_describe_the_observation(game):
    names = [section.name for section in game.sections]
    assert len(set(names)) == len(names)
    for section in game.sections:
        assert len(set(section.labels)) == section.size > 0
        assert section.meaning
    for state in random_states(game, games=3):
        for seat in range(game.num_players):
            assert list(game.describe(state.observation(seat))) == names


def test_every_entry_of_the_observation_is_used(game):
    """An entry that never varies is a mistake in the offsets of ``observe``."""
    low = np.full(game.observation_size, np.inf)
    high = -low
    for state in itertools.chain(random_states(game, games=400), rare_states(game, games=100)):
        for seat in range(game.num_players):
            observation = state.observation(seat)
            low, high = np.minimum(low, observation), np.maximum(high, observation)
    labels = [f"{section.name}: {label}" for section in game.sections for label in section.labels]
    assert [label for label, varies in zip(labels, low < high, strict=True) if not varies] == []


# Secrecy, by redrawing what a seat does not know.


def test_a_seat_cannot_see_what_is_redrawn(game):
    for state in random_states(game, games=12, explicit_chance=True):
        for seat in range(game.num_players):
            for seed in range(3):
                other = state.resample(seat, seed)
                assert other.observation(seat).tobytes() == state.observation(seat).tobytes()
                assert other.player == state.player
                if state.player == seat:
                    assert other.legal_mask().tobytes() == state.legal_mask().tobytes()
                if state.is_over:
                    assert other.returns()[seat] == state.returns()[seat]


def test_texts_and_logs_show_nothing_that_is_redrawn(game):
    for state in random_states(game, games=1, explicit_chance=True):
        for seat in range(game.num_players):
            text, log = state.render(seat), state.information_state(seat)
            for seed in range(3):
                other = state.resample(seat, seed)
                assert other.render(seat) == text
                assert other.information_state(seat) == log


def test_hidden_things_are_redrawn(game):
    """Chance to come in every game, and the facts that somebody hides."""
    seeds, varied = set(), False
    for state in random_states(game, games=12):
        for seat in range(game.num_players):
            for seed in range(4):
                other = state.resample(seat, seed)
                assert other.record.seed != state.record.seed
                seeds.add((seed, int(other.record.seed)))
                varied |= without_seed(other) != without_seed(state)
    assert len(seeds) == 4, "the new seed follows from the argument alone"
    assert varied


def test_redrawing_depends_on_its_seed_alone(game):
    """Two worlds that a seat cannot tell apart are redrawn into the same one."""
    for state in random_states(game, games=12, explicit_chance=True):
        for seat in range(game.num_players):
            worlds = [state, *(state.resample(seat, seed) for seed in (11, 12, 13))]
            redrawn = {world.resample(seat, 5).record.tobytes() for world in worlds}
            assert len(redrawn) == 1


def test_a_choice_at_the_same_time_is_taken_back_and_made_again(game):
    """Whatever the rival chooses now, the seat to move sees what it saw."""
    tried = False
    for state in random_states(game, games=12):
        seat = state.player
        before = copied(state.records)
        if not state.is_over:
            retract(before[0], seat)
        if before[0].player == state.player:
            assert before.tobytes() == state.records.tobytes()
            continue
        tried = True
        mask = np.zeros(game.num_actions, np.int8)
        loops.mask_one(before, mask)
        assert mask[state.history()[-1]] == 1
        for action in mask.nonzero()[0]:
            after = copied(before)
            loops.move_one(after, action, mask, np.zeros(game.facts.num_chance_outcomes, np.int32))
            observation = np.zeros(game.observation_size, np.float32)
            loops.observe_one(after, seat, observation)
            assert after[0].player == seat
            assert (mask == state.legal_mask()).all()
            assert (observation == state.observation(seat)).all()
            if action == state.history()[-1]:
                assert after.tobytes() == state.records.tobytes()
    advanced = game.name == "dragons_path" and game.options.advanced
    assert tried == (game.name in ("dragon_deck", "gem_duel") or advanced)


def test_a_redrawn_game_can_be_played_on(game):
    moves = np.random.default_rng(5)
    for state in random_states(game, games=2):
        for seat in range(game.num_players):
            other = state.resample(seat, 1)
            while not other.is_over:
                other.apply(moves.choice(other.legal_actions()))
            assert sum(other.returns()) == pytest.approx(0, abs=1e-6) or not game.facts.zero_sum


# Memory: the information state.


def test_a_move_that_a_seat_can_tell_from_another_is_logged_for_it(game):
    """Every pair of moves at every step: what differs to a seat differs in its information state."""
    for state in random_states(game, games=6):
        if state.is_over:
            continue
        # By seat: what it has seen, and what it then knows.
        known: list[dict[Any, Any]] = [{} for _ in range(game.num_players)]
        for action in state.legal_actions():
            after = state.clone()
            after.apply(action)
            for seat, memory in enumerate(known):
                log = after.information_state(seat)
                knows = (
                    after.player,
                    after.observation(seat).tobytes(),
                    after.legal_mask().tobytes() if after.player == seat else b"",
                    action if state.player == seat else None,
                )
                assert memory.setdefault(log, knows) == knows


def test_the_information_state_determines_all_that_a_seat_has_ever_seen(game):
    """Perfect recall over a part of the game tree: all moves, and the chance of a few seeds."""
    seats = range(game.num_players)
    memory: dict[Any, Any] = {}
    nodes = 0

    def visit(state: State, logs: list[tuple[int, ...]], pasts: list[tuple[Any, ...]]) -> None:
        nonlocal nodes
        nodes += 1
        pasts = pasts[:]
        for seat in seats:
            log = state.information_state(seat)
            if log != logs[seat]:
                mask = state.legal_mask().tobytes() if state.player == seat else None
                pasts[seat] = (*pasts[seat], state.observation(seat).tobytes(), mask)
            logs = [*logs[:seat], log, *logs[seat + 1 :]]
            assert memory.setdefault((seat, log), pasts[seat]) == pasts[seat]
            assert state.observation(seat).tobytes() in pasts[seat][-2:]
        for action in state.legal_actions():
            if nodes < limit:
                after = state.clone()
                after.apply(action)
                moved = [(*pasts[s], action) if s == state.player else pasts[s] for s in seats]
                visit(after, logs, moved)

    for seed in range(6):
        limit = nodes + 600
        visit(game.start(seed), [() for _ in seats], [() for _ in seats])


def test_a_history_can_be_played_again(game):
    for state in random_states(game, games=5):
        if state.is_over:
            again = game.start(int(state.record.seed), explicit_chance=True)
            for action in state.history():
                again.apply(action)
            assert snapshot(again) == snapshot(state)


# Copies.


def test_copies_are_independent_and_go_on_alike(game):
    moves = np.random.default_rng(6)
    for state in random_states(game, games=4, explicit_chance=True):
        if state.is_over:
            continue
        before = snapshot(state)
        copies = [state.clone(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))]
        for other in copies:
            assert other == state
            assert hash(other) == hash(state)
            assert snapshot(other) == before
        action = moves.choice(state.legal_actions())
        for other in copies:
            other.apply(action)
        assert len({repr(snapshot(other)) for other in copies}) == 1
        assert copies[0] != state
        assert snapshot(state) == before


def test_states_are_saved_as_bytes(game):
    state = game.start(1)
    saved = pickle.loads(pickle.dumps(game.save_states(state._states)))
    assert isinstance(saved["bytes"], bytes)
    assert game.load_states(saved).tobytes() == state._states.tobytes()
    for key, value in [("game", "chess"), ("version", -1), ("options", {"x": 1}), ("layout", "")]:
        with pytest.raises(StateFormatError, match=f"saved state has {key}"):
            game.load_states({**saved, key: value})
    for damaged in (b"", saved["bytes"][:-1]):
        with pytest.raises(StateFormatError, match="not a multiple"):
            game.load_states({**saved, "bytes": damaged})


# Names.


def test_names_are_unambiguous(game):
    for seat in range(game.num_players):
        names = [game.action_name(action, seat) for action in range(game.num_actions)]
        assert len(set(names)) == len(names)
        assert [game.action(name, seat) for name in names] == list(range(game.num_actions))
    outcomes = [game.chance_name(outcome) for outcome in range(game.facts.num_chance_outcomes)]
    assert len(set(outcomes)) == len(outcomes)


def test_every_position_can_be_read_and_drawn(game):
    shapes = set()
    for number, state in enumerate(random_states(game, games=1, explicit_chance=True)):
        assert str(state) == state.render() != ""
        if number % 6 and not state.is_over:
            continue
        for seat in range(game.num_players):
            assert state.render(seat)
            picture = game.picture(state.record, seat)
            assert picture.dtype == np.uint8
            shapes.add(picture.shape)
            hidden = state.resample(seat, 1)
            assert (game.picture(hidden.record, seat) == picture).all()
    ((_, _, colours),) = shapes
    assert colours == 3


# A whole game, written down.


def test_golden_playthrough(game, request):
    variant = next(name for name in game.variants if type(game)(name) == game)
    path = GOLDEN / f"{game.name}_{variant}.txt"
    text = playthrough(game, GOLDEN_SEEDS.get(f"{game.name} {variant}", 1))
    if request.config.getoption("--regenerate-golden"):
        path.write_text(text, encoding="utf-8")
    assert path.exists(), "write it with: pytest -k golden --regenerate-golden"
    assert text == path.read_text(encoding="utf-8"), (
        f"{path.name} has changed; if that is meant, regenerate it, read the difference and raise "
        "the game's version: pytest -k golden --regenerate-golden"
    )
