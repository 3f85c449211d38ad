"""Approximate best responses: opponents that are trained against one frozen agent."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ..agents import make_agent
from ..agents.neural import NeuralAgent, single_threaded_torch
from ..agents.protocol import Agent
from ..envs.core.errors import OptionError
from ..envs.core.game import Game
from ..envs.core.randomness import row_seeds
from .config import TrainConfig, load_config
from .evaluation import Estimate, Standing, evaluate
from .exploit import RESPONDERS, Exploit, Report, Sample
from .selfplay import Learner

DECISIONS = 1_000_000
"""Default budget of a responder, the agent's own decisions included."""

# Against an opponent that does not change nothing has to be mixed.
_CHANGES = {"magnet": 0.0, "entropy": 0.01, "evaluate_games": 0}


def responders(
    game: Game,
    agent: Agent,
    count: int = 3,
    decisions: int = DECISIONS,
    games: int = 20_000,
    seed: int = 0,
    *,
    others: Sequence[str] = (),
    name: str | None = None,
    confidence: float = 0.95,
    report: Report | None = None,
) -> Exploit:
    """A lower bound of the loss of an agent: what the best of some responders gains on it.

    Each responder is trained by the project's own algorithm, with the settings of the game, in games
    where the agent has all other seats. Which one is best shows in one set of games, and what it
    gains in another, so that the choice does not flatter it. With more than two players a gain is
    that of a single seat that deviates.

    Args:
        game: Any game.
        agent: What is responded to; it does not change.
        count: How many responders are trained.
        decisions: The budget of each, in decisions of all seats.
        games: How many the gains are measured in, each time.
        seed: Settles everything.
        others: Names of agents that count as responders, too, such as scripted ones.
        name: What to call the agent.
        confidence: Of the interval.
        report: Called now and then.

    Raises:
        OptionError: There is no responder, or an agent cannot play the game.
    """
    if count < 0 or not (count or others):
        raise OptionError("an agent is measured by at least 1 responder")
    start = time.perf_counter()
    seeds = row_seeds(np.uint64(seed), count + 2)
    found: list[tuple[str, Agent]] = []
    spent = 0
    for number in range(count):

        def part(share: float, number: int = number) -> None:
            if report is not None:
                report((number + share) / count)

        config = response_config(game, decisions, int(seeds[number]))
        responder, made = respond(config, game, agent, part)
        found.append((f"trained {number}", responder))
        spent += made
    found += [(other, make_agent(other, game)) for other in others]

    def measured(responder: Agent, chance: np.uint64) -> Standing:
        agents = [responder, agent]
        result = evaluate(game, agents, games, int(chance), confidence=confidence)
        return result.standings[0]

    base = 0.0
    if not game.facts.zero_sum:
        base = measured(agent, seeds[-1]).overall.mean_return.mean

    samples = []
    for label, responder in found:
        result = measured(responder, seeds[-1])
        seats = tuple(tally.mean_return.mean - base for tally in result.seats)
        samples.append(Sample(label, result.overall.mean_return.mean - base, seats))
    best = int(np.argmax([sample.loss for sample in samples]))
    gain = measured(found[best][1], seeds[-2]).overall.mean_return
    return Exploit(
        agent=name or agent.name,
        game=game.label,
        method=RESPONDERS,
        loss=Estimate(gain.mean - base, gain.low - base, gain.high - base),
        confidence=confidence,
        samples=tuple(samples),
        seed=seed,
        decisions=spent,
        seconds=time.perf_counter() - start,
    )


def response_config(game: Game, decisions: int, seed: int) -> TrainConfig:
    """The settings of a responder: those of the game, changed for an opponent that does not learn."""
    options = game.identity()["options"]
    changes = {"options": options, "decisions": decisions, "seed": seed, **_CHANGES}
    return load_config(game.name, method="ppo", **changes)


def respond(
    config: TrainConfig, game: Game, agent: Agent, report: Callable[[float], None]
) -> tuple[NeuralAgent, int]:
    """Train one responder; returns it and the decisions that were made."""
    with single_threaded_torch(), ThreadPoolExecutor(config.threads) as workers:
        learner = Learner(config, game, agent)
        while learner.decisions < config.decisions:
            learner.update(workers)
            report(min(1.0, learner.decisions / config.decisions))
    return NeuralAgent(learner.net, game, "responder"), learner.decisions
