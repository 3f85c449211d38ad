"""The oracles, against best responses found in other ways than they were."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from duelgym.agents import agent_names, make_agent
from duelgym.agents.dragon_deck.battle import solve_deal
from duelgym.agents.dragon_deck.duel import least_duel, solve_duel
from duelgym.agents.dragon_deck.oracle import OracleAgent
from duelgym.agents.dragon_deck.response import least_values
from duelgym.agents.equilibrium import equilibrium
from duelgym.agents.sequence_form import sequence_form
from duelgym.envs import make
from duelgym.envs.core import Game, OptionError
from duelgym.envs.dragon_deck import DragonDeck
from duelgym.training.evaluation import evaluate
from duelgym.training.exploitability import (
    best_response_values,
    exploitability,
    policy_values,
)
from support.battles import dealt

TINY, SMALL, MEDIUM = DragonDeck("tiny"), DragonDeck("small"), DragonDeck("medium")
LEDUC = make("leduc_poker")


def oracle(game: Game) -> Any:
    agent = make_agent("oracle", game)
    agent.start(game, 0)
    return agent


def seeded(observations, masks):
    """A different distribution for every observation, which depends on nothing else."""
    rows = [
        np.random.default_rng(row.astype(np.int64)).random(masks.shape[1]) for row in observations
    ]
    weights = np.array(rows) ** 3 * masks
    return weights / weights.sum(1, keepdims=True)


# Leduc poker.


def test_the_oracle_of_leduc_poker_is_not_exploitable():
    agent = oracle(LEDUC)
    assert 0 <= exploitability(LEDUC, agent) < 1.1e-5
    # The value of the game for the first player, as OpenSpiel publishes it.
    assert policy_values(LEDUC, agent)[0] == pytest.approx(-0.0856, abs=1e-4)


def test_a_coarser_equilibrium_is_found_sooner_and_loses_more():
    form = sequence_form(LEDUC)
    coarse = equilibrium(LEDUC, 1e-2)
    found = exploitability(LEDUC, lambda observations, masks: coarse)
    assert 1e-5 < found < 1e-2
    assert coarse[form.masks == 0].max() == 0


# Small decks. The tiny one is small enough for the sequence form, which knows nothing of this game.


@pytest.mark.slow
def test_the_oracle_is_not_exploitable_in_the_sequence_form():
    agent = oracle(TINY)
    assert exploitability(TINY, agent) == pytest.approx(0, abs=1e-9)
    value = solve_duel(TINY).drafts[0]
    assert policy_values(TINY, agent) == pytest.approx([value, -value])


@pytest.mark.slow
def test_best_responses_in_a_whole_tiny_game_are_those_of_the_sequence_form():
    gains = best_response_values(TINY, seeded)
    assert least_duel(TINY, seeded, 0) == pytest.approx(-gains[1], abs=1e-6)
    assert least_duel(TINY, seeded, 1) == pytest.approx(gains[0], abs=1e-6)


def test_the_first_card_of_a_tiny_game_is_kept_if_that_is_better():
    game = DragonDeck("tiny", target=1)
    solution = solve_duel(game)
    state = game.start(0, explicit_chance=True)
    outcomes = state.chance_outcomes()
    values = []
    for card, _ in outcomes:
        turned = state.clone()
        turned.apply(card)
        choices = []
        for action in turned.legal_actions():
            after = turned.clone()
            after.apply(action)
            choices.append(solution.value(after))
        assert solution.value(turned) == max(choices)
        assert solution.strategy(turned, 0)[int(np.argmax(choices))] == 1
        values.append(max(choices))
    assert solution.value(state) == pytest.approx(np.mean(values))


@pytest.mark.parametrize("game", [TINY, SMALL, DragonDeck("small", target=1)], ids=repr)
def test_nobody_gains_on_the_oracle_of_a_small_deck(game: DragonDeck):
    agent, value = oracle(game), solve_duel(game).drafts[0]
    for seat in range(2):
        assert least_duel(game, agent.probabilities, seat) == pytest.approx(value, abs=1e-9)


def test_every_value_of_a_random_game_is_that_of_what_follows():
    solution, rng = solve_duel(SMALL), np.random.default_rng(0)
    for seed in range(20):
        state = SMALL.start(seed, explicit_chance=True)
        while state.record.phase != 2:
            values = []
            for action in state.legal_actions():
                after = state.clone()
                after.apply(action)
                values.append(solution.value(after))
            if state.is_chance:
                expected = np.mean(values)
            else:
                expected = max(values) if state.player == 0 else min(values)
                best = solution.strategy(state, state.player)[state.legal_actions()].argmax()
                assert values[best] == expected
            assert solution.value(state) == pytest.approx(expected, abs=1e-12)
            state.apply(int(rng.choice(state.legal_actions())))
        assert solution.value(state) == solution.battles.value(state)


def test_the_solution_of_a_small_deck_is_asked_about_its_own_positions():
    solution = solve_duel(SMALL)
    with pytest.raises(OptionError, match="not a position of"):
        solution.value(TINY.start(0))
    with pytest.raises(OptionError, match="player 1 does not choose"):
        solution.strategy(SMALL.start(0), 1)
    with pytest.raises(OptionError, match="too large to be solved with its draft"):
        solve_duel(MEDIUM)


# Larger decks.


@pytest.mark.parametrize("seat", [0, 1])
def test_nobody_gains_on_the_oracle_in_battles_that_it_knows(seat: int):
    hand = np.random.default_rng(1).permutation(18)[:9].tolist()
    solution = solve_deal(MEDIUM, hand)
    agent = oracle(MEDIUM)
    agent.remember(solution)
    root = solution.table.root
    least = least_values(solution.table, agent.probabilities, seat)[root]
    assert least == pytest.approx(solution.values[root], abs=1e-9)


def test_the_oracle_solves_a_battle_phase_once_and_knows_what_follows(monkeypatch):
    solved = []
    real = OracleAgent.remember

    def remember(self, solution):
        solved.append(solution)
        real(self, solution)

    monkeypatch.setattr(OracleAgent, "remember", remember)
    agent, state = oracle(MEDIUM), dealt(MEDIUM, 3)
    whole = None
    while not state.is_over:
        asked = state.observation()[None], state.legal_mask()[None]
        policy = agent.probabilities(*asked)[0]
        whole = whole or solved[0]
        # Another equilibrium would be as good; this one comes from the same solution.
        assert policy == pytest.approx(whole.strategy(state, state.player), abs=1e-9)
        state.apply(int(policy.argmax()))
    assert len(solved) == 1


def test_the_oracle_drafts_large_decks_like_greedy():
    agent, greedy = oracle(MEDIUM), make_agent("greedy", MEDIUM)
    greedy.start(MEDIUM, 0)
    for seed in range(50):
        state = MEDIUM.start(seed)
        asked = state.observation()[None], state.legal_mask()[None]
        assert (agent.probabilities(*asked) == greedy.probabilities(*asked)).all()  # pyright: ignore[reportAttributeAccessIssue]


# What holds for all.


@pytest.mark.parametrize(
    ("game", "opponent", "games"), [(SMALL, "matrix", 4000), (LEDUC, "random", 2000)], ids=repr
)
def test_the_oracle_does_not_lose(game: Game, opponent: str, games: int):
    agents = [make_agent("oracle", game), make_agent(opponent, game)]
    result = evaluate(game, agents, games, seed=1).standings[0].overall
    assert result.mean_return.high > 0
    assert result.mean_return.mean > -0.02


@pytest.mark.parametrize("game", [SMALL, LEDUC], ids=repr)
def test_the_oracle_plays_only_when_it_is_named(game: Game):
    assert "oracle" not in agent_names(game)
    assert make_agent("oracle", game).name == "oracle"


@pytest.mark.parametrize("name", ["gem_duel", "dragons_path"])
def test_other_games_have_no_oracle(name: str):
    with pytest.raises(OptionError, match="no agent"):
        make_agent("oracle", make(name))
