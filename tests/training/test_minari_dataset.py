"""Recorded games as a data set of Minari: every seat's trajectory, as the AEC environment shows it."""

from __future__ import annotations

import inspect

import minari
import numpy as np
import pytest
from duelgym.agents import make_agent
from duelgym.envs import make
from duelgym.envs.core import Game, OptionError
from duelgym.envs.core.game_records import GameRecord, moves_of
from duelgym.training.evaluation import evaluate
from duelgym.training.minari_dataset import create_dataset


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))


def recorded(game: Game, games: int) -> list[GameRecord]:
    records: list[GameRecord] = []
    agents = [make_agent("random", game)] * 2
    evaluate(game, agents, games, names=["a", "b"], record=records.append)
    return records


@pytest.mark.parametrize(("name", "options"), [("gem_duel", {"num_players": 3, "target": 2}),
                                               ("delights_and_dragons", {"max_turns": 6})])  # fmt: skip
def test_every_seat_of_every_game_is_an_episode_as_the_environment_shows_it(name, options):
    game = make(name, **options)
    records = recorded(game, 4)
    assert any(record.truncated for record in records) == game.facts.can_truncate
    create_dataset("duels/test-v0", game, records, author="nobody")
    dataset = minari.load_dataset("duels/test-v0")
    assert dataset.total_episodes == len(records) * game.num_players
    told = dataset.storage.get_episode_metadata(range(dataset.total_episodes))
    env = game.env()
    for episode, metadata in zip(dataset.iterate_episodes(), told, strict=True):
        record, seat = records[metadata["options"]["game"]], metadata["options"]["seat"]
        assert metadata["seed"] == record.seed
        assert metadata["options"]["agent"] == record.agents[seat]
        agent, step = f"player_{seat}", 0
        env.reset(options={"game_seed": record.seed})
        for action in moves_of(record, game):
            if env.agent_selection == agent:
                for key, value in env.observe(agent).items():
                    assert episode.observations[key][step].tolist() == value.tolist()
                assert episode.actions[step] == action
                step += 1
            env.step(action)
        assert len(episode.actions) == step
        for key, value in env.observe(agent).items():
            assert episode.observations[key][step].tolist() == value.tolist()
        assert episode.rewards.tolist() == [0] * (step - 1) + [env.rewards[agent]]
        assert episode.terminations.tolist() == [False] * (step - 1) + [env.terminations[agent]]
        assert episode.truncations.tolist() == [False] * (step - 1) + [env.truncations[agent]]
        masks = episode.observations["action_mask"]
        assert masks[np.arange(step), episode.actions].all()
        assert dataset.action_space.contains(episode.actions[0])


def test_a_data_set_that_is_there_is_not_overwritten():
    game = make("dragon_deck", "tiny")
    records = recorded(game, 2)
    create_dataset("duels-v0", game, records)
    with pytest.raises(OptionError, match="already exists"):
        create_dataset("duels-v0", game, records)


def test_without_minari_one_line_names_the_extra(run_python):
    code = """
    import sys
    sys.modules["minari"] = None
    from duelgym import make
    from duelgym.training.minari_dataset import create_dataset
    try:
        create_dataset("duels-v0", make("dragon_deck"), [])
    except ValueError as error:
        print(error)
    """
    assert run_python("-c", inspect.cleandoc(code)).splitlines() == [
        "data sets need minari: pip install 'duelgym[minari]'"
    ]
