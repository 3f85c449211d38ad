"""Looking one battle ahead in Dragon Deck: with the true values of what follows it is the equilibrium."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from duelgym.agents.dragon_deck.battle import BattleSolution, solve_battles
from duelgym.agents.dragon_deck.lookahead import (
    LookaheadAgent,
    hand_sizes,
    look_ahead,
    read_battles,
)
from duelgym.agents.dragon_deck.response import least_values
from duelgym.agents.neural import ValueNet
from duelgym.envs.core import OptionError, State
from duelgym.envs.dragon_deck import DragonDeck
from support.battles import after, dealt, later

MEDIUM = DragonDeck("medium")


class Truth(ValueNet):
    """Knows the values of the positions of one solution."""

    def __init__(self, solution: BattleSolution) -> None:
        super().__init__(solution.game, [1])
        self.solution = solution

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        game, table = self.solution.game, self.solution.table
        states = np.repeat(game.template, len(observations))
        read_battles(observations.numpy(), states)
        held = states["place"][:, : game.num_cards]
        at = table.locate(held == 2, held == 3, states["victory_cards"].astype(np.int64))
        assert at.here.all()
        number = table.score_numbers[at.sizes, at.scores[:, 0], at.scores[:, 1]]
        values = self.solution.values[table.left[at.owns] + table.right[at.rivals] + number]
        return torch.from_numpy(values.astype(np.float32))


def strangers(exact: int | None = 7, *, least: int = 1) -> LookaheadAgent:
    """An agent whose networks know nothing."""
    torch.manual_seed(0)
    sizes = range(least, MEDIUM.num_cards // 2)
    nets = {size: ValueNet(MEDIUM, [16]) for size in sizes}
    for net in nets.values():
        torch.nn.init.normal_(net.value.weight, std=0.2)
    return LookaheadAgent(nets, MEDIUM, "strangers", exact)


def position(seed: int, battles: int = 3) -> State:
    return later(dealt(MEDIUM, seed), battles, seed)


@pytest.mark.parametrize("seed", range(3))
def test_with_true_values_the_battle_is_solved_truly(seed: int):
    state = position(seed)
    solution = solve_battles(state)
    values, mixes = look_ahead(MEDIUM, Truth(solution), state.records[:1])
    assert values[0] == pytest.approx(solution.value(state), abs=1e-5)
    strategy = solution.strategy(state, 0)
    assert mixes[0].sum() == pytest.approx(1)
    # Equilibria may differ, what they are sure of may not.
    loss = guaranteed(solution, state, mixes[0]) - guaranteed(solution, state, strategy)
    assert loss == pytest.approx(0, abs=1e-5)


def guaranteed(solution: BattleSolution, state: State, mix: np.ndarray) -> float:
    """What a mix of cards of seat 0 is sure of in this battle, with perfect play after it."""

    def value(own: int, rival: int) -> float:
        following = after(state, own, rival)
        return following.returns()[0] if following.is_over else solution.value(following)

    own = [action for action in state.legal_actions() if mix[action] > 0]
    rivals = after(state, own[0]).legal_actions()
    return min(sum(mix[mine] * value(mine, theirs) for mine in own) for theirs in rivals)


@pytest.mark.parametrize("seat", [0, 1])
def test_few_cards_are_played_perfectly_whatever_the_networks_say(seat: int):
    agent = strangers(exact=7)
    for seed in range(3):
        state = position(seed, battles=5)
        assert hand_sizes(MEDIUM, state.records[:1])[0] <= 7
        solution = solve_battles(state)
        found = agent.least_values(solution, seat, 1)
        np.testing.assert_array_equal(found, solution.values)
        least = least_values(solution.table, agent.probabilities, seat, 1)
        assert least[solution.table.root] == pytest.approx(solution.value(state), abs=1e-6)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_short_way_to_its_loss_is_what_its_policy_loses(seat: int):
    agent = strangers(exact=2)
    solution = solve_battles(position(1, battles=4))
    short = agent.least_values(solution, seat, 1)
    long = least_values(solution.table, agent.probabilities, seat, 1)
    np.testing.assert_allclose(short, long, atol=1e-5)
    assert np.nanmax(np.abs(short - solution.values)) > 0.1


def test_it_does_not_see_the_card_that_its_opponent_has_laid():
    agent, state = strangers(exact=2), position(2)
    seen = [after(state, action) for action in state.legal_actions()]
    policies = [
        agent.probabilities(one.observation()[None], one.legal_mask()[None]) for one in seen
    ]
    assert len(policies) > 3
    for policy in policies:
        np.testing.assert_array_equal(policy, policies[0])
        assert policy.sum() == pytest.approx(1)
        assert (policy[0] > 0).sum() <= (seen[0].legal_mask() > 0).sum()


def test_it_is_exact_by_eight_cards_or_by_its_first_network():
    large = DragonDeck()
    nets = {size: ValueNet(large, [2]) for size in range(9, 12)}
    assert LookaheadAgent(nets, large).exact == 9
    assert strangers(None).exact == 8


def test_without_a_network_for_some_number_of_cards_it_cannot_play():
    with pytest.raises(OptionError, match="exact=5: it has no network for hands of 5 cards"):
        strangers(exact=5, least=6)


def test_it_plays_only_the_deck_it_was_trained_on():
    with pytest.raises(OptionError, match="was trained on dragon_deck_v0"):
        strangers().start(DragonDeck(), 0)
