"""Self-play of MaskablePPO on the batched ``VecEnv``, beside the same script on a ``DummyVecEnv``.

Both ways run the whole of ``duelgym.training.sb3_selfplay``, but for the evaluations: the same game,
settings and number of decisions, with opponents from a growing pool. They take turns, so that a
disturbance hits both alike.
"""

from __future__ import annotations

import json
import statistics
from time import perf_counter

import click
import reporting
from duelgym.training.sb3_selfplay import self_play

WAYS = {"batch": False, "one by one": True}


@click.command(help=__doc__)
@click.option("--game", default="dragon_deck", show_default=True, type=reporting.Played())
@click.option("--decisions", default=65_536, show_default=True, help="In each repetition.")
@click.option("--num-envs", default=1024, show_default=True, help="Games at once.")
@click.option("--num-steps", default=32, show_default=True, help="Decisions between updates.")
@click.option("--rounds", default=3, show_default=True, help="Repetitions of each way.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def main(
    game: str, decisions: int, num_envs: int, num_steps: int, rounds: int, as_json: bool
) -> None:
    before = reporting.load()
    played = reporting.played(game)
    made, rates = {}, {way: [] for way in WAYS}
    for number in range(rounds + 1):
        click.echo(f"round {number} of {rounds}" if number else "warming up", err=True)
        for way, one_by_one in WAYS.items():
            start = perf_counter()
            model = self_play(
                played,
                decisions if number else num_envs,
                seed=number,
                num_envs=num_envs,
                num_steps=num_steps if number else 2,
                evaluations=0,
                one_by_one=one_by_one,
            )
            if number:
                made[way] = model.num_timesteps
                rates[way].append(made[way] / (perf_counter() - start))
    pairs = zip(rates["batch"], rates["one by one"], strict=True)
    result = {
        "machine": reporting.machine(before, "torch", "sb3-contrib"),
        "game": game,
        "rates": [
            {"environments": way, "decisions": made[way], "median": statistics.median(found)}
            for way, found in rates.items()
        ],
        "ratio": statistics.median(batch / single for batch, single in pairs),
    }
    if as_json:
        print(json.dumps(result))
        return
    out = reporting.console()
    out.print(" · ".join(f"{name} {value}" for name, value in result["machine"].items()))
    rows = [
        {**row, "decisions": f"{row['decisions']:,}", "median": f"{row['median']:,.0f}"}
        for row in result["rates"]
    ]
    title = f"{game}, decisions a second of the learner, {num_envs:,} games"
    out.print(reporting.table(title, rows, ("environments",), ("decisions", "median")))
    out.print(f"batch: {result['ratio']:.1f} times one by one")


if __name__ == "__main__":
    main()
