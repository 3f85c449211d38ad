"""Every game as a game of OpenSpiel: its own tests of conformance, and its algorithms unchanged."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np
import pyspiel
import pytest
from duelgym.envs import make
from duelgym.envs.core import Game, OptionError
from duelgym.envs.dragon_deck import DragonDeck
from duelgym.training import exploitability
from duelgym.training.openspiel import CODE_BITS, OpenSpielState, load
from open_spiel.python.algorithms import ismcts, mcts
from open_spiel.python.observation import INFO_STATE_OBS_TYPE, make_observation
from support.cases import VARIANTS, case


@pytest.fixture(params=[case(*each) for each in VARIANTS])
def game(request: pytest.FixtureRequest) -> Game:
    """Every game in every variant."""
    return make(*request.param)


def positions(game: pyspiel.Game, seed: int) -> list[OpenSpielState]:
    """Every position of a random game, the start and the end included."""
    choose = np.random.default_rng(seed)
    found = [game.new_initial_state()]
    while not found[-1].is_terminal():
        found.append(found[-1].child(int(choose.choice(found[-1].legal_actions()))))
    return found


# Conformance.


def test_openspiels_own_simulation(game):
    pyspiel.random_sim_test(load(game), num_sims=1, serialize=True, verbose=False)


def test_it_is_the_game_that_it_says(game):
    loaded = load(game)
    assert loaded.game == game
    facts, kind = game.facts, loaded.get_type()
    assert loaded.num_players() == facts.num_players
    assert loaded.num_distinct_actions() == facts.num_actions
    assert loaded.max_chance_outcomes() == facts.num_chance_outcomes
    assert loaded.max_game_length() == facts.max_decisions
    assert (loaded.min_utility(), loaded.max_utility()) == (facts.min_return, facts.max_return)
    assert kind.chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    assert kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    assert kind.utility == pyspiel.GameType.Utility.ZERO_SUM
    assert loaded.observation_tensor_size() == game.observation_size


def test_a_game_goes_as_it_does_without_openspiel(game):
    """The same moves and outcomes, names, knowledge and payoffs."""
    *on_the_way, end = positions(load(game), seed=3)
    state = game.start(0, explicit_chance=True)
    for position, action in zip(on_the_way, end.history(), strict=True):
        assert position.is_chance_node() == state.is_chance
        assert position.legal_actions() == state.legal_actions()
        if state.is_chance:
            assert position.chance_outcomes() == state.chance_outcomes()
            assert position.action_to_string(action) == state.outcome_name(action)
        else:
            assert position.current_player() == state.player
            assert position.action_to_string(action) == state.action_name(action)
            seen = np.array(position.observation_tensor(state.player), np.float32)
            assert seen.tobytes() == state.observation().tobytes()
        assert position.returns() == [0] * game.num_players
        state.apply(action)
    assert end.returns() == pytest.approx(state.returns(), abs=1e-6)
    assert abs(sum(end.returns())) < 1e-9


def test_the_information_state_is_all_that_a_seat_has_seen_as_a_string_and_as_a_tensor(game):
    loaded = load(game)
    observer = loaded.make_py_observer(INFO_STATE_OBS_TYPE)
    for position in positions(loaded, seed=4):
        for seat in range(game.num_players):
            codes = position.position.information_state(seat)
            words = position.information_state_string(seat).removeprefix(f"player_{seat}: ").split()
            assert tuple(map(int, words)) == codes
            observer.set_from(position, seat)
            bits = observer.dict["log"].astype(np.int64)
            written = bits @ (1 << np.arange(CODE_BITS))
            assert tuple(written[: len(codes)]) == codes
            assert not written[len(codes) :].any()
            known = position.position.observation(seat)
            assert observer.dict["observation"].tobytes() == known.tobytes()


# Names and options.


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("duelgym_dragon_deck", DragonDeck()),
        ("duelgym_dragon_deck_tiny", DragonDeck("tiny")),
        ("duelgym_dragon_deck(values_per_type=4)", DragonDeck("small")),
        ("duelgym_dragon_deck_small(target=1)", DragonDeck("small", target=1)),
        ("duelgym_gem_duel(num_players=3,target=2)", make("gem_duel", num_players=3, target=2)),
        ("duelgym_dragons_path(fire_search_to=deck_top)",
         make("dragons_path", fire_search_to="deck_top")),
        ("duelgym_dragons_path_advanced(replay_returned_earth=true)",
         make("dragons_path", "advanced", replay_returned_earth=True)),
        ("duelgym_delights_and_dragons(decks=dragons)",
         make("delights_and_dragons", decks="dragons")),
    ],
)  # fmt: skip
def test_games_go_by_name(name, game):
    assert pyspiel.load_game(name).game == game


@pytest.mark.parametrize(
    "game",
    [
        DragonDeck(values_per_type=4, target=2),
        make("gem_duel", num_players=4, hand_size=2, clue_marks_specials=False),
        make("gem_duel", powers=[[0, 1, 2], [2, 1, 0], [1, 1, 1], [0, 1, 0], [2, 0, 2]]),
        make("delights_and_dragons", decks=["dragons", "delights"], health=7),
    ],
    ids=str,
)
def test_any_options_come_back_from_the_name_that_openspiel_writes(game):
    loaded = load(game)
    assert loaded.game == game
    assert pyspiel.load_game(str(loaded)).game == game
    state = positions(loaded, seed=0)[7]
    written = pyspiel.serialize_game_and_state(loaded, state)
    game_again, state_again = pyspiel.deserialize_game_and_state(written)
    assert game_again.game == game
    assert state_again.history() == state.history()
    assert state_again.information_state_string(0) == state.information_state_string(0)


def test_wrong_options_are_refused():
    with pytest.raises(OptionError, match="values_per_type"):
        pyspiel.load_game("duelgym_dragon_deck(values_per_type=5)")
    with pytest.raises(pyspiel.SpielError, match="target"):
        pyspiel.load_game("duelgym_dragon_deck(aim=5)")


def test_observers_of_more_or_less_than_a_player_knows_are_refused():
    public = pyspiel.IIGObservationType(
        public_info=True, perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE
    )
    with pytest.raises(OptionError, match="single player"):
        make_observation(load(DragonDeck("tiny")), public)


def test_without_openspiel_one_line_names_the_extra(run_python):
    code = """
    import sys
    sys.modules["pyspiel"] = None
    try:
        import duelgym.training.openspiel
    except ImportError as error:
        print(error)
    """
    assert run_python("-c", inspect.cleandoc(code)).splitlines() == [
        "OpenSpiel is not installed: pip install 'duelgym[openspiel]'"
    ]


# Algorithms.


def by_observation(game: pyspiel.Game, policy: pyspiel.Policy) -> Callable[..., np.ndarray]:
    """A policy of OpenSpiel for ``duelgym.training.exploitability``, where observations tell all."""
    chosen = {}
    waiting = [game.new_initial_state()]
    while waiting:
        state = waiting.pop()
        if not state.is_terminal() and not state.is_chance_node():
            seen = np.array(state.observation_tensor(), np.float32).tobytes()
            row = np.zeros(game.num_distinct_actions())
            for action, probability in policy.action_probabilities(state).items():
                row[action] = probability
            assert chosen.setdefault(seen, row).tolist() == row.tolist()
        if not state.is_terminal():
            waiting += [state.child(action) for action in state.legal_actions()]
    return lambda observations, masks: np.array([chosen[seen.tobytes()] for seen in observations])


@pytest.mark.slow
def test_leduc_poker_is_openspiels_own():
    ours, theirs = pyspiel.load_game("duelgym_leduc_poker"), pyspiel.load_game("leduc_poker")
    values = [
        pyspiel.exploitability(each, pyspiel.UniformRandomPolicy(each)) for each in (ours, theirs)
    ]
    assert values[0] == pytest.approx(values[1], abs=1e-9)


def test_external_sampling_learns_leduc_poker_and_both_measures_agree():
    game = pyspiel.load_game("duelgym_leduc_poker")
    solver = pyspiel.ExternalSamplingMCCFRSolver(game, 1)
    for _ in range(1000):
        solver.run_iteration()
    learned = pyspiel.exploitability(game, solver.average_policy())
    assert learned < 1.2  # uniformly random play: 2.37
    same = by_observation(game, solver.average_policy())
    assert exploitability.exploitability(game.game, same) == pytest.approx(learned, abs=1e-6)


@pytest.mark.slow
def test_external_sampling_learns_the_smallest_dragon_deck():
    game = pyspiel.load_game("duelgym_dragon_deck(values_per_type=2,target=1)")
    solver = pyspiel.ExternalSamplingMCCFRSolver(game, 1)
    for _ in range(15_000):
        solver.run_iteration()
    uniform = exploitability.exploitability(
        game.game, lambda _, masks: masks / masks.sum(1)[:, None]
    )
    assert pyspiel.exploitability(game, solver.average_policy()) < 0.8 * uniform


def test_external_sampling_runs_on_a_dragon_deck_of_four_values():
    game = pyspiel.load_game("duelgym_dragon_deck(values_per_type=4,target=1)")
    solver = pyspiel.ExternalSamplingMCCFRSolver(game, 1)
    for _ in range(3):
        solver.run_iteration()
    state = next(s for s in positions(game, seed=0) if s.current_player() == 0)
    chosen = solver.average_policy().action_probabilities(state)
    assert set(chosen) <= set(state.legal_actions())
    assert sum(chosen.values()) == pytest.approx(1)


def searcher(game: pyspiel.Game, seed: int, simulations: int = 20) -> ismcts.ISMCTSBot:
    """OpenSpiel's IS-MCTS with random rollouts, all its randomness from ``seed``."""
    random = np.random.RandomState(seed)
    bot = ismcts.ISMCTSBot(
        game, mcts.RandomRolloutEvaluator(1, random), 2.0, simulations, random_state=random
    )
    bot.set_resampler(lambda state, seat: state.resample_from_infostate(seat, random.uniform))
    return bot


def test_is_mcts_runs_and_does_not_look_at_what_is_hidden(game):
    """At positions that its seat cannot tell apart it finds the same."""
    loaded = load(game)
    decisions = [p for p in positions(loaded, seed=5)[:-1] if len(p.legal_actions()) > 1]
    decisions = [p for p in decisions if not p.is_chance_node()]
    for position in decisions[:: max(1, len(decisions) // 3)]:
        other = position.resample_from_infostate(position.current_player(), lambda: 0.7)
        found = [searcher(loaded, 1).get_policy(each) for each in (position, other)]
        assert found[0] == found[1]
        assert {action for action, _ in found[0]} == set(position.legal_actions())


def test_others_are_not_taken_to_know_the_same_in_worlds_where_they_hold_other_cards():
    """In search, what an opponent does follows what it would see there."""
    game = load(make("leduc_poker"))
    state = game.new_initial_state()
    for outcome in (0, 3):
        state.apply_action(outcome)
    worlds = [state.resample_from_infostate(0, lambda n=n: n / 30) for n in range(30)]
    cards = {tuple(world.position.observation(1)) for world in worlds}
    keys = {world.information_state_string(1) for world in worlds}
    assert len(cards) == len(keys) == 5
    assert {world.information_state_string(0) for world in worlds} == {
        state.information_state_string(0)
    }
    for world in worlds:
        world.apply_action(1)
    assert len({world.information_state_string(1) for world in worlds}) == 5


@pytest.mark.slow
def test_is_mcts_beats_random_play_in_dragons_path():
    game = pyspiel.load_game("duelgym_dragons_path(copies=2,hand=2)")
    won = []
    for number in range(16):
        choose = np.random.default_rng(number)
        bot, seat = searcher(game, number), number % 2
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(choose.choice(outcomes, p=chances)))
            elif state.current_player() == seat:
                state.apply_action(int(bot.step(state)))
            else:
                state.apply_action(int(choose.choice(state.legal_actions())))
        won.append(state.returns()[seat] > 0)
    assert sum(won) >= 13  # by chance once in 90 times
