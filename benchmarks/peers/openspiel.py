"""OpenSpiel's Leduc poker through its Python API, random play on one core.

Modes:
  step                   legal_actions and apply_action; chance nodes are sampled
  step, tensor and mask  the same, and each decision also asks for the
                         information_state_tensor and the legal_actions_mask
  recorded batches       record_batched_trajectories: 1024 hands a call, played and
                         observed in C++ by a tabular uniform policy

Install: pip install open_spiel
"""

from functools import partial
from random import Random
from time import perf_counter
from typing import Any

from _common import Mode, Tally, main, measure, require

BATCH = 1024
LONGEST_HAND = 8


def sample(outcomes: list[tuple[int, float]], z: float) -> int:
    """Return the chance outcome that ``z``, uniform in [0, 1), falls on."""
    for action, probability in outcomes:
        z -= probability
        if z < 0:
            return action
    return outcomes[-1][0]


def play_hand(game: Any, random: Random, observe: bool, tally: Tally) -> None:
    """Play one hand step by step."""
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            action = sample(state.chance_outcomes(), random.random())
        else:
            if observe:
                state.information_state_tensor()
                state.legal_actions_mask()
            legal = state.legal_actions()
            action = legal[int(random.random() * len(legal))]
            tally.decisions += 1
        state.apply_action(action)
    state.returns()
    tally.hands += 1


class BatchRecorder:
    """Plays a batch of hands in one call into C++."""

    def __init__(self, pyspiel: Any, game: Any) -> None:
        """Tabulate the uniform policy of both players."""
        self.record = pyspiel.record_batched_trajectories
        self.game = game
        self.policy = pyspiel.UniformRandomPolicy(game)
        self.rows = {state: row for row, state in enumerate(self.policy.policy_table())}
        self.seed = 0

    def __call__(self, tally: Tally) -> None:
        """Play the next batch; the time of counting its decisions is left out."""
        self.seed += 1
        policies = [self.policy, self.policy]
        batch = self.record(self.game, policies, self.rows, BATCH, True, self.seed, LONGEST_HAND)
        played = perf_counter()
        tally.decisions += sum(map(sum, batch.valid))
        tally.hands += BATCH
        tally.left_out += perf_counter() - played


def modes(seconds: float) -> dict[str, Mode]:
    """Measure each mode."""
    pyspiel = require("pyspiel", pip="open_spiel")
    game = pyspiel.load_game("leduc_poker")
    random = Random(0)
    step = measure(partial(play_hand, game, random, False), seconds)
    observed = measure(partial(play_hand, game, random, True), seconds)
    batches = measure(BatchRecorder(pyspiel, game), seconds)
    return {
        "step": step.mode(),
        "step, tensor and mask": observed.mode(),
        "recorded batches": batches.mode(leave_out=True, batch=BATCH),
    }


if __name__ == "__main__":
    main(__doc__, "open_spiel", modes)
