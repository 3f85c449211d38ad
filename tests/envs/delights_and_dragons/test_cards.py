"""Card sets as data: what is read, what is refused, and how a set travels with its game."""

from __future__ import annotations

import json
import pickle
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from duelgym.envs import delights_and_dragons_v0, make
from duelgym.envs.core import OptionError, StateFormatError
from duelgym.envs.core.vector import play_random
from duelgym.envs.delights_and_dragons import (
    CardSet,
    Character,
    DelightsAndDragons,
    Item,
    read_card_set,
)
from support.delights import CARDS, legal, sees

MY_SET = """\
name: my_set
characters:
  - {name: Tin Soldier, attack: 4, defense: 4}
  - {name: Snow Queen, attack: 6, defense: 5, legendary: true}
items:
  - {name: Bent Sword, attack: 2}
decks:
  mine: {Tin Soldier: 6, Bent Sword: 2}
  yours: {Tin Soldier: 5, Snow Queen: 1}
"""


@pytest.fixture
def my_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``my_set.yaml`` in the current folder, which is far from the checkout."""
    monkeypatch.chdir(tmp_path)
    path = Path("my_set.yaml")
    path.write_text(MY_SET, encoding="utf-8")
    return path


# The set that comes with Duelgym.


def test_the_starter_set():
    starter = read_card_set("starter")
    assert len(starter.cards) >= 24
    assert list(starter.decks) == ["delights", "dragons"]
    for deck in starter.decks:
        assert sum(starter.decks[deck].values()) == 20
        assert starter.num_characters(deck) in (13, 14)
        legends = {card.name for card in starter.characters if card.legendary}
        assert sum(starter.decks[deck].get(name, 0) for name in legends) == 1
    assert set().union(*starter.decks.values()) == {card.name for card in starter.cards}


def test_observations_have_at_most_600_entries(variant):
    assert variant.observation_size <= 600


def test_the_page_shows_the_starter_set():
    page = delights_and_dragons_v0.__doc__ or ""
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    shown = {row[0].removesuffix(" (legendary)"): row for row in rows if len(row) == 5}
    starter = read_card_set("starter")
    for card in starter.cards:
        name, *numbers = shown[card.name]
        assert ("legendary" in name) == getattr(card, "legendary", False)
        decks = [starter.decks[deck].get(card.name, 0) for deck in ("delights", "dragons")]
        assert [int(number) for number in numbers] == [card.attack, card.defense, *decks]
        assert all(number.startswith("+") == isinstance(card, Item) for number in numbers[:2])


def test_the_example_on_the_page_works(my_set):
    page = delights_and_dragons_v0.__doc__ or ""
    my_set.write_text(page.partition("```yaml\n")[2].partition("```")[0], encoding="utf-8")
    env = delights_and_dragons_v0.env(card_set="my_set.yaml", decks=("mine", "yours"))
    env.reset(seed=1)
    assert sum(sees(env.snapshot(), 1)["own_deck"].values()) == 4


# Sets of one's own.


def test_a_set_is_read_from_a_file_in_any_folder(my_set):
    game = DelightsAndDragons(card_set="my_set.yaml", decks=["mine", "yours"])
    assert repr(game).startswith("delights_and_dragons_v0(card_set=<my_set ")
    assert [card.name for card in game.cards] == ["Tin Soldier", "Snow Queen", "Bent Sword"]
    assert game == make("delights_and_dragons", card_set=my_set.resolve(), decks=("mine", "yours"))


def test_a_set_is_also_plain_data_or_made_of_cards(my_set):
    cards = CardSet(
        "my_set",
        (Character("Tin Soldier", 4, 4), Character("Snow Queen", 6, 5, legendary=True)),
        {"mine": {"Tin Soldier": 6, "Bent Sword": 2}, "yours": {"Tin Soldier": 5, "Snow Queen": 1}},
        (Item("Bent Sword", attack=2),),
    )
    read = read_card_set("my_set.yaml")
    assert (
        read
        == cards
        == read_card_set(asdict(cards))
        == read_card_set(json.loads(json.dumps(asdict(cards))))
    )
    assert hash(read) == hash(cards)
    assert repr(read) == repr(cards)
    numpy = {**asdict(cards), "characters": [{"name": "Tin Soldier", "attack": np.int64(4), "defense": np.int8(4)}, asdict(cards.characters[1])]}  # fmt: skip
    assert read_card_set(numpy) == cards
    assert type(Character("x", np.int8(3), 4).attack) is int  # pyright: ignore[reportArgumentType]


def test_the_decks_of_a_set(my_set):
    def decks(**options: Any) -> tuple[str, str]:
        return make("delights_and_dragons", card_set="my_set.yaml", **options).options.decks

    assert decks() == ("mine", "mine"), "both the first of the set"
    assert decks(decks="yours") == ("yours", "yours")
    assert decks(decks=["yours", "mine"]) == ("yours", "mine")


def test_the_numbers_of_a_set_are_played_with(my_set):
    state = make(
        "delights_and_dragons", card_set="my_set.yaml", decks="yours", opening_hand=6
    ).start(1)
    state.apply("play Snow Queen")
    seen = sees(state, 1)
    assert (seen["rival_attack"], seen["rival_defense"]) == ({"slot 1": 6}, {"slot 1": 5})
    assert seen["rival_legendary"] == ["slot 1"]


@pytest.mark.parametrize(
    "decks",
    [
        {"a": {"Hero": 5}},
        {"a": {"Hero": 1, "Button": 59}},
        {"a": {"Hero": 16, "Button": 44}, "b": {"Page": 16, "Sword": 44}},
    ],
    ids=["no items", "one character", "large"],
)
@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
def test_unusual_decks_can_be_played(decks, is_open):
    game = DelightsAndDragons(
        card_set={**CARDS, "decks": decks}, decks=(min(decks), max(decks)), open_decklists=is_open
    )
    assert play_random(game, 16, 1000, 1, 1) > 16
    state = game.start(1)
    while not state.is_over:
        state.apply(state.legal_actions()[0])
        for seat in range(2):
            assert list(game.describe(state.observation(seat))) == [s.name for s in game.sections]
            assert (
                state.resample(seat, 1).observation(seat).tobytes()
                == state.observation(seat).tobytes()
            )


# Errors name the file, the card and the field, and what would be right.

STRENGTH, BONUS = "a whole number from 0 to 20", "a whole number from 0 to 10"
SOLDIER, COPIES = "character 'Tin Soldier': ", "a whole number of copies from 1 to 60"
NAME = "text of 1 to 40 characters in one line"
MINE = "mine: {Tin Soldier: 6, Bent Sword: 2}"


@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        ("attack: 4", "attack: 21", f": {SOLDIER}attack is {STRENGTH}, not 21"),
        ("attack: 4", "attack: -1", f": {SOLDIER}attack is {STRENGTH}, not -1"),
        ("defense: 4", "defense: 2.5", f": {SOLDIER}defense is {STRENGTH}, not 2.5"),
        ("defense: 4", "defense: much", f": {SOLDIER}defense is {STRENGTH}, not 'much'"),
        ("attack: 4", "attack: true", f": {SOLDIER}attack is {STRENGTH}, not True"),
        (", attack: 4", "", f": {SOLDIER}attack is missing; it is {STRENGTH}"),
        ("attack: 4", "atack: 4", f": {SOLDIER}unknown key 'atack'; did you mean 'attack'?"),
        ("legendary: true", "legendary: 1", ": character 'Snow Queen': legendary is true or false, not 1"),
        ("attack: 2", "attack: 11", f": item 'Bent Sword': attack is {BONUS}, not 11"),
        ("attack: 2", "attack: 0", ": item 'Bent Sword': attack and defense are not both 0: an item adds to one of them"),
        ("attack: 2", "legendary: true", ": item 'Bent Sword': unknown key 'legendary'; there is: attack, defense, name"),
        ("name: Snow Queen, ", "", f": character 2: name is missing; it is {NAME}"),
        ("name: Snow Queen", "name: 7", f": character 2: name is {NAME}, not 7"),
        ("name: Snow Queen", "name: ''", f": character '': name is {NAME}, not ''"),
        ("name: Snow Queen", 'name: "a\\nb"', f": character 'a\\nb': name is {NAME}, not 'a\\nb'"),
        ("name: Snow Queen", "name: Tin Soldier", ": card 'Tin Soldier': name is used 2 times, not once"),
        ("name: Bent Sword", "name: Tin Soldier", ": card 'Tin Soldier': name is used 2 times, not once"),
        ("{name: Bent Sword, attack: 2}", "Bent Sword", ": item 1: a card has the keys name, attack, defense, but this is 'Bent Sword'"),
        (MINE, "mine: {}", ": deck 'mine': a deck has 5 to 60 cards, not 0"),
        (MINE, "mine: {Tin Soldier: 4}", ": deck 'mine': a deck has 5 to 60 cards, not 4"),
        ("Bent Sword: 2", "Bent Sword: 55", ": deck 'mine': a deck has 5 to 60 cards, not 61"),
        ("Tin Soldier: 6", "Tin Soldier: 17", ": deck 'mine': a deck has 1 to 16 characters, not 17"),
        (MINE, "mine: {Bent Sword: 5}", ": deck 'mine': a deck has 1 to 16 characters, not 0"),
        ("Bent Sword: 2}", "Bent Swrd: 2}", ": deck 'mine': unknown card 'Bent Swrd'; did you mean 'Bent Sword'?"),
        ("Bent Sword: 2}", "Bent Sword: 0}", f": deck 'mine': Bent Sword is {COPIES}, not 0"),
        ("Bent Sword: 2}", "Bent Sword: two}", f": deck 'mine': Bent Sword is {COPIES}, not 'two'"),
        ("Bent Sword: 2}", "Tin Soldier: 2}", ", line 8: 'Tin Soldier' is there twice"),
        ("  yours:", "  mine:", ", line 9: 'mine' is there twice"),
        (MINE, "mine: 7", ": deck 'mine' is a mapping from cards to copies, not 7"),
        ("decks:", "deck:", ": unknown key 'deck'; did you mean 'decks'?"),
        ("name: my_set\n", "", f": name is missing; it is {NAME}"),
        ("name: my_set", "name: {", " is not valid YAML: "),
        (MY_SET, "", ": a card set has the keys name, characters, decks, items, but this is None"),
        (MY_SET, "- Tin Soldier", ": a card set has the keys name, characters, decks, items, but this is ['Tin Soldier']"),
        (MY_SET, "&loop {name: *loop}", ": not the plain data of a card set: "),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_set_is_told(my_set, good, bad, said):
    assert good in MY_SET
    my_set.write_text(MY_SET.replace(good, bad), encoding="utf-8")
    with pytest.raises(OptionError) as caught:
        make("delights_and_dragons", card_set="my_set.yaml")
    assert str(caught.value).startswith(f"my_set.yaml{said}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("startr", "there is no card set 'startr'; did you mean 'starter'? (a file of your own"),
        ("none.yaml", "cannot read card set none.yaml: "),
        (".", "cannot read card set .: "),
        (7, "card_set is the name of a set, a YAML file or a mapping, not 7"),
        ({"name": "x"}, "card_set: characters is missing; it is a list of cards"),
    ],
)
def test_sets_that_are_not_there(source, said):
    with pytest.raises(OptionError) as caught:
        make("delights_and_dragons", card_set=source)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"decks": "delight"}, "card set 'starter' has no deck 'delight'; did you mean 'delights'?"),
        ({"decks": ["delights", 3]}, "card set 'starter' has no deck 3; there is: delights, dragons"),
        ({"decks": ["delights"]}, "decks is one name, or two in a list, not ['delights']"),
        ({"decks": 7}, "decks is one name, or two in a list, not 7"),
        ({"health": 0}, "health is a whole number from 1 to 200, not 0"),
        ({"health": 201}, "health is a whole number from 1 to 200, not 201"),
        ({"health": True}, "health is a whole number from 1 to 200, not True"),
        ({"opening_hand": 21}, "opening_hand is a whole number from 1 to 20 (the cards of the smaller deck), not 21"),
        ({"opening_hand": 0}, "opening_hand is a whole number from 1 to 20 (the cards of the smaller deck), not 0"),
        ({"max_turns": 0}, "max_turns is a whole number from 1 to 10000, not 0"),
        ({"max_turns": "9"}, "max_turns is a whole number from 1 to 10000, not '9'"),
        ({"open_decklists": 1}, "open_decklists is true or false, not 1"),
    ],
    ids=str,
)  # fmt: skip
def test_impossible_options(options, said):
    with pytest.raises(OptionError) as caught:
        make("delights_and_dragons", **options)
    assert str(caught.value) == f"delights_and_dragons: {said}"


@pytest.mark.parametrize(
    "options",
    [
        {"health": 1, "opening_hand": 1, "max_turns": 1},
        {"health": 200, "opening_hand": 20, "max_turns": 10_000},
        {"health": np.int16(30), "open_decklists": np.bool_(False)},
    ],
)
def test_possible_options(options):
    game = make("delights_and_dragons", **options)
    assert {key: getattr(game.options, key) for key in options} == options
    assert play_random(game, 8, 400, 1, 1) > 0
    json.dumps(game.identity())


def test_closed_decklists_have_a_limit_of_decks():
    decks = {f"deck {number}": {"Hero": 5} for number in range(9)}
    cards = {**CARDS, "decks": decks}
    assert make("delights_and_dragons", card_set=cards).options.decks == ("deck 0", "deck 0")
    with pytest.raises(OptionError, match=r"at most 8 decks .* 'workbench' has 9 decks"):
        make("delights_and_dragons", card_set=cards, open_decklists=False)


# A set travels with its game.


def test_two_sets_in_one_process_do_not_disturb_each_other(my_set):
    mine = make("delights_and_dragons", card_set="my_set.yaml", decks=("mine", "yours"))
    starter = make("delights_and_dragons")
    envs = {game: game.vector(32) for game in (mine, starter)}
    alone = {}
    for game in envs:
        env = game.vector(32)
        env.reset(1)
        for step in range(60):
            env.step(env.random_actions(1, step))
        alone[game] = env.observations.copy()
    for env in envs.values():
        env.reset(1)
    for step in range(60):
        for env in envs.values():
            env.step(env.random_actions(1, step))
    for game, env in envs.items():
        assert (env.observations == alone[game]).all()
    assert mine != starter
    with pytest.raises(StateFormatError, match="takes no states with another"):
        starter.check_states(envs[mine]._states)


def test_a_saved_state_replays_without_the_file(my_set):
    state = make("delights_and_dragons", card_set="my_set.yaml").start(5)
    for _ in range(6):
        state.apply(state.legal_actions()[0])
    pickled, saved = pickle.dumps(state), state.game.save_states(state._states)
    my_set.unlink()
    with pytest.raises(OptionError, match="cannot read"):
        make("delights_and_dragons", card_set="my_set.yaml")
    again = pickle.loads(pickled)
    assert (again, again.game) == (state, state.game)
    while not again.is_over:
        action = again.legal_actions()[0]
        again.apply(action)
        state.apply(action)
    assert again == state
    assert legal(again) == []
    # The same from the plain data, such as JSON keeps.
    game = make(saved["game"], **json.loads(json.dumps(saved["options"])))
    assert game == state.game
    assert game.load_states(saved).tobytes() == saved["bytes"]


def test_saved_states_of_another_set_are_refused_by_name(my_set):
    mine = make("delights_and_dragons", card_set="my_set.yaml")
    my_set.write_text(MY_SET.replace("attack: 4", "attack: 5"), encoding="utf-8")
    changed = make("delights_and_dragons", card_set="my_set.yaml")
    assert changed != mine
    with pytest.raises(StateFormatError) as caught:
        changed.load_states(mine.save_states(mine.start(1)._states))
    assert (
        str(caught.value) == f"saved state has options of {mine.label}, but this is {changed.label}"
    )
    assert mine.label != changed.label
