"""A trained agent knows the card set that it was trained on, and needs no file for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from duelgym.agents import make_agent
from duelgym.agents.neural import CheckpointError, load_agent
from duelgym.envs import make
from duelgym.envs.core import OptionError
from duelgym.training.config import load_config
from duelgym.training.selfplay import train
from support.delights import CARDS
from support.runs import settings


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short run on a set in a file that is gone by now."""
    folder = tmp_path_factory.mktemp("cards")
    cards = folder / "my_set.yaml"
    cards.write_text(json.dumps(CARDS), encoding="utf-8")
    config = load_config(
        "delights_and_dragons", None, method="ppo",
        options={"card_set": str(cards), "max_turns": 20}, decisions=256, num_envs=8, num_steps=16,
        hidden=[8], evaluate_games=0,
    )  # fmt: skip
    train(config, folder / "run")
    cards.unlink()
    return folder / "run"


def test_the_agent_plays_its_set_without_the_file(run):
    game = make("delights_and_dragons", card_set=CARDS, max_turns=20)
    assert load_agent(run).game == game
    agent = make_agent(str(run), game)
    agent.start(game, seed=0)
    env = game.env()
    env.reset(seed=0)
    assert env.infos["player_0"]["action_mask"][agent.act(env.last()[0])] == 1  # pyright: ignore[reportArgumentType]


def test_the_agent_refuses_another_set(run):
    stronger = {**CARDS, "characters": [{**card, "attack": 9} for card in CARDS["characters"]]}
    theirs = make("delights_and_dragons", card_set=CARDS, max_turns=20)
    other = make("delights_and_dragons", card_set=stronger, max_turns=20)
    with pytest.raises(OptionError) as caught:
        make_agent(str(run), other)
    assert str(caught.value) == f"run was trained on {theirs.label}, not {other.label}"
    assert "card_set=<workbench " in theirs.label


def test_a_run_is_resumed_without_the_file(run):
    config = settings(run)
    assert config.options.keys() == {"card_set", "max_turns"}
    assert config.make_game() == load_agent(run).game
    assert train(config, run, resume=True).exists()


def test_a_run_is_not_resumed_on_other_cards(run, tmp_path):
    config = settings(run)
    other = config.model_copy(update={"options": {"max_turns": 20}})
    with pytest.raises(CheckpointError, match=r"trained on .*card_set=<workbench .*settings mean"):
        train(other, run, resume=True)
