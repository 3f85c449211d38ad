"""Best responses in the battle phase, against a search by the rules alone."""

from __future__ import annotations

import numpy as np
import pytest
from duelgym.agents.dragon_deck.battle import solve_battles
from duelgym.agents.dragon_deck.response import least_values
from duelgym.envs.core import State
from duelgym.envs.dragon_deck import DragonDeck
from support.battles import after, dealt, later


def uniform(observations, masks):
    return masks / masks.sum(1, keepdims=True)


def seeded(observations, masks):
    """A different distribution for every observation, which depends on nothing else."""
    rows = [
        np.random.default_rng(row.astype(np.int64)).random(masks.shape[1]) for row in observations
    ]
    weights = np.array(rows) ** 3 * masks
    return weights / weights.sum(1, keepdims=True)


def search(state: State, policy, seat: int) -> float:
    """The same by the rules: the responder has no other knowledge than the policy."""
    if state.is_over:
        return state.returns()[0]
    own = state.legal_actions()
    committed = {action: after(state, action) for action in own}
    rival = committed[own[0]].legal_actions()
    asked = state if seat == 0 else committed[own[0]]
    mix = policy(asked.observation(seat)[None], asked.legal_mask()[None])[0]
    values = np.array(
        [[search(after(committed[mine], theirs), policy, seat) for theirs in rival] for mine in own]
    )
    return (mix[own] @ values).min() if seat == 0 else (values @ mix[rival]).max()


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("policy", [uniform, seeded])
def test_a_policy_leaves_what_a_search_by_the_rules_finds(policy, seat: int):
    game = DragonDeck("small")
    for seed in range(4):
        state = later(dealt(game, seed), 2, seed)
        table = solve_battles(state).table
        values = least_values(table, policy, seat)
        assert values[table.root] == pytest.approx(search(state, policy, seat), abs=1e-9)


def test_no_policy_guarantees_more_than_the_equilibrium():
    state = dealt(DragonDeck("small"), 5)
    solution = solve_battles(state)
    for policy in (uniform, seeded):
        first, second = (least_values(solution.table, policy, seat) for seat in range(2))
        known = np.isfinite(solution.values)
        assert (np.isfinite(first) == known).all()
        assert (first[known] <= solution.values[known] + 1e-9).all()
        assert (second[known] >= solution.values[known] - 1e-9).all()
        assert (second[known] - first[known]).max() > 0.1
