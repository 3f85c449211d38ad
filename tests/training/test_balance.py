"""Whether decks are balanced: what is counted, what is found fault with, and the set that comes along."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result
from duelgym.envs.core import OptionError
from duelgym.training.balance import Balance, CardUse, measure, pairs, to_json
from duelgym.training.cli import main

HEROES_AND_PAGES: dict[str, Any] = {
    "name": "heroes_and_pages",
    "characters": [
        {"name": "Hero", "attack": 8, "defense": 4},
        {"name": "Guard", "attack": 8, "defense": 4},
        {"name": "Page", "attack": 1, "defense": 1},
        {"name": "Wall", "attack": 20, "defense": 20, "legendary": True},
    ],
    "items": [{"name": "Ring", "attack": 1, "defense": 1}],
    "decks": {
        "heroes": {"Hero": 12, "Ring": 4},
        "guards": {"Guard": 12, "Ring": 4},
        "pages": {"Page": 12, "Ring": 4},
        "one wall": {"Page": 12, "Ring": 3, "Wall": 1},
    },
}
"""Heroes are better than pages and as good as guards; the wall decides alone."""


def racers(*decks: str, games: int = 2000, **options: Any) -> Balance:
    """Decks in the hands of racers."""
    return measure(HEROES_AND_PAGES, decks, ["racer"], games, **options)


def use(balance: Balance, card: str, deck: str) -> CardUse:
    (found,) = [one for one in balance.cards if (one.card, one.deck) == (card, deck)]
    return found


def test_equal_decks_share_the_games():
    found = racers("heroes", "guards")
    (match,) = found.matches
    assert match.agent == "racer"
    assert match.score.low < 0.5 < match.score.high
    assert match.first_player.low > 0.6
    assert 6 < match.mean_length < 60
    assert match.truncations == 0
    assert found.faults == []


def test_the_same_deck_twice_shares_them_exactly():
    found = racers("heroes", "heroes")
    assert found.matches[0].score.mean == 0.5
    assert {(one.deck, one.card) for one in found.cards} == {("heroes", "Hero"), ("heroes", "Ring")}


def test_the_better_deck_wins_in_both_places():
    found = racers("heroes", "pages")
    exchanged = racers("pages", "heroes")
    assert found.matches[0].score.low > 0.9
    assert exchanged.matches[0].score.high < 0.1
    assert [fault.split(" between")[0] for fault in found.faults] == [
        f"heroes wins {found.matches[0].score.mean:.1%} against pages"
    ]
    assert [fault.split(" between")[0] for fault in exchanged.faults] == [
        f"pages wins {exchanged.matches[0].score.mean:.1%} against heroes"
    ]


def test_games_that_are_cut_off_count_half():
    found = racers("heroes", "pages", games=100, max_turns=2)
    (match,) = found.matches
    assert match.truncations == found.games == 100
    assert match.score.mean == match.first_player.mean == 0.5


def test_a_card_that_decides_alone_is_found():
    found = racers("one wall", "pages")
    wall = use(found, "Wall", "one wall")
    assert wall.swing > 0.25
    assert [fault for fault in found.faults if "Wall (one wall, racer) decides too much" in fault]
    assert not [fault for fault in found.faults if "Page" in fault]


def test_a_card_that_is_hardly_ever_played_is_found():
    # Racers play the hero first, and nobody has a second turn to attack in with a health of 8.
    cards = {**HEROES_AND_PAGES, "decks": {"both": {"Hero": 12, "Page": 2}}}
    found = measure(cards, None, ["racer"], 2000, health=8, opening_hand=4)
    page = use(found, "Page", "both")
    assert page.played < 0.05
    assert any(fault.startswith("Page (both, racer) is dead") for fault in found.faults)
    assert use(found, "Hero", "both").played > 0.95


def test_what_is_drawn_and_played_is_counted_by_games():
    # All cards in hand from the start; the second player may lose before its second turn.
    deck = {"decks": {"small": {"Hero": 3, "Page": 1, "Ring": 1}}}
    found = measure({**HEROES_AND_PAGES, **deck}, None, ["racer"], 500, opening_hand=5)
    for card in ("Hero", "Page", "Ring"):
        assert use(found, card, "small").drawn == 2 * 500
        assert use(found, card, "small").swing == 0
    assert use(found, "Hero", "small").played == use(found, "Ring", "small").played == 1
    assert 0 < use(found, "Page", "small").played < 1


def test_an_opening_hand_is_had_as_often_as_chance_gives_it():
    # With 2 turns each there are 4 of 16 cards; one wall among them in a quarter of the games.
    found = racers("one wall", "one wall", games=4000, max_turns=2)
    wall = use(found, "Wall", "one wall")
    assert wall.drawn / (2 * 4000) == pytest.approx(4 / 16, abs=0.02)
    # It is played at once from an opening hand of 3, and not when it was drawn at the end.
    assert wall.played == pytest.approx(3 / 4, abs=0.05)


def test_pairs_of_decks():
    assert len(pairs(HEROES_AND_PAGES)) == 6
    assert pairs("starter") == [("delights", "dragons")]
    single = {**HEROES_AND_PAGES, "decks": {"small": {"Hero": 5}}}
    assert pairs(single) == [("small", "small")]


def test_the_seed_settles_everything():
    assert racers("heroes", "pages", games=300) == racers("heroes", "pages", games=300)
    other = racers("heroes", "guards", games=300, seed=1)
    assert other.matches != racers("heroes", "guards", games=300).matches


def test_wrong_input_is_refused():
    with pytest.raises(OptionError, match="no deck 'page'; did you mean 'pages'"):
        racers("heroes", "page")
    with pytest.raises(OptionError, match="at least 1 game, not 0"):
        racers("heroes", "pages", games=0)
    with pytest.raises(OptionError, match=r"no agent.*'racr'.*racer"):
        measure(HEROES_AND_PAGES, ("heroes", "pages"), ["racr"])


def test_json_has_it_all():
    found = racers("heroes", "pages", games=100)
    (data,) = json.loads(to_json([found]))["balances"]
    assert data["decks"] == ["heroes", "pages"]
    assert data["matches"][0]["score"]["mean"] == found.matches[0].score.mean
    assert data["cards"][0].keys() == {"agent", "deck", "card", "drawn", "played", "swing"}
    assert data["faults"] == found.faults


# The command.


def command(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["balance", *arguments], prog_name="duelgym")


@pytest.fixture
def my_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``my_set.yaml`` in the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("my_set.yaml").write_text(
        yaml.safe_dump(HEROES_AND_PAGES, sort_keys=False), encoding="utf-8"
    )


@pytest.mark.usefixtures("my_set")
def test_the_command_says_what_is_not_balanced():
    few = ("--agent", "racer", "--games", "200")
    shown = command("my_set.yaml", "--decks", "heroes", "pages", *few).stdout
    assert "heroes against pages, 200 games each, seed 0" in shown
    assert "\nNot balanced: heroes wins " in shown
    shown = command("my_set.yaml", *few).stdout
    assert shown.count(" against ") >= 6, "all pairs"
    assert "\nheroes and guards are balanced.\n" in shown


@pytest.mark.usefixtures("my_set")
def test_the_command_writes_json():
    few = ("--decks", "heroes", "pages", "--agent", "racer", "--games", "100")
    printed = command("my_set.yaml", *few, "--json", "-").stdout
    assert command("my_set.yaml", *few, "--json", "out.json").exit_code == 0
    expected = to_json([racers("heroes", "pages", games=100)])
    assert printed == Path("out.json").read_text(encoding="utf-8") == expected


@pytest.mark.usefixtures("my_set")
def test_the_command_takes_options_of_the_game_but_not_the_cards():
    few = ("--decks", "heroes", "pages", "--agent", "racer", "--games", "100", "--json", "-")
    (data,) = json.loads(command("my_set.yaml", *few, "-o", "max_turns=2").stdout)["balances"]
    assert data["matches"][0]["truncations"] == 100
    refused = command("my_set.yaml", "-o", "decks=heroes")
    assert refused.exit_code == 2
    assert "name the card set as CARD_SET, and its decks with --decks" in refused.stderr
    assert "there is no card set 'strter'; did you mean 'starter'" in command("strter").stderr


# The set that comes with Duelgym.


def test_the_starter_set_is_balanced():
    found = measure("starter", games=2000)
    assert [match.agent for match in found.matches] == ["racer", "trader", "planner"]
    assert found.faults == []


@pytest.mark.slow
def test_the_starter_set_says_how_balanced_it_is():
    text = files("duelgym.configs").joinpath("card_sets/starter.yaml").read_text(encoding="utf-8")
    said = [line[1:].strip() for line in text.splitlines() if line.startswith("#")]
    printed = [line.strip() for line in command("starter").stdout.strip().splitlines()]
    assert said[-len(printed) :] == printed
    assert len(printed) > 30
