"""# Delights & Dragons

Two players bring out characters, equip them with items, and attack each other's characters until one
player's health is gone.

| | |
|---|---|
| import | `from duelgym.envs import delights_and_dragons_v0` |
| environment | `delights_and_dragons_v0.env(render_mode=None, variant=None, card_set="starter", decks=None, health=20, opening_hand=3, max_turns=100, open_decklists=True)` |
| agents | `player_0`, `player_1` |
| action space | `Discrete(55)` |
| observation space | `{"observation": Box(0, 1 or 2 or 7 or 9 or 11 or 13 or 16 or 17 or 20 or 100, (367,), float32), "action_mask": Box(0, 1, (55,), int8)}` |
| rewards | +1 for the winner and -1 for the loser, once, at the end; 0 for both if the game is cut off |
| decisions | 3 to 2736 in a game |

The numbers are those of the mirror variant.

**The cards are Duelgym's own.** The published cards of the game are not public, so the rules are played
with a set that was made for Duelgym, or with yours: see *Cards and decks* below.

## Rules

Each player has 20 health and a shuffled deck, and starts with 3 cards. `player_0` begins. There is no
limit to a hand. A turn is an attack phase, then a draw phase.

**Attack phase.** In any order, each of it optional, until the player ends the phase:

- Play one *character*. It cannot attack this turn; it can be attacked like any other.
- Play one *item* on an own character in play, which may have come this turn. It adds to that
  character's attack and defense. A character can hold any number of items.
- Attack once with each character that was in play when the turn began. If the opponent has
  characters, the attack goes at one of them. As soon as there are none, it goes at the opponent's health,
  with all of the attack.

**An attack** compares the attacker's attack A with the target's defense D, with their items:

| target | A > D | A <= D |
|---|---|---|
| fresh | destroyed, and A - D damage to its player | injured |
| injured | destroyed, and A - D damage | destroyed |
| legendary, attacked fewer than two times | marked | marked |
| legendary, attacked twice | destroyed, and A - D damage | destroyed |

An attack of 8 against a defense of 6 destroys a fresh character and does 2 damage. Injuries and marks
stay; who is injured or marked attacks as before. The attacker is never hurt. A destroyed character and
its items go to the discard of their player. A player with 0 health or less has lost at once.

**Draw phase.** Draw a card; the turn is over. If the deck is empty, the player chooses: shuffle the
discard into a new deck and draw from it, or forfeit the game. With no discard either there is nothing
to choose and nothing to draw.

A game could go on for ever. The environment cuts it off after 100 turns, both players' together: that is
a truncation, with 0 for both.

**Who knows what.** Nobody knows the order of a deck. A player does not see the other's hand. Everything
else is open: the decklists, characters in play with injuries and items, who can still attack, the
discards, health, and how many cards everybody has. So when a deck has run out, whoever counts knows the
hand of its owner; and after a reshuffle the cards that were held then are still known, apart from those
that are drawn since.

In this interface a player is asked once for an attacker and once for its target, once for an item and
once for its holder. The second question is left out if there is only one answer on the table; the
attack phase ends by itself when everybody can see that nothing is left to do.

Where the printed rules leave something open, this is how it is played: seat 0 goes first (seats are for
whoever runs the match to assign); items add numbers; a character takes any number of items, and one
on the turn that it came; a legendary character's first two marks cost its player no health; with
characters gone the next attack of the same phase goes at health.

## Cards and decks

The set `starter`, two decks of 20. Items show what they add.

| card | attack | defense | in `delights` | in `dragons` |
|---|---|---|---|---|
| Queen Praline (legendary) | 3 | 5 | 1 | 0 |
| Gingerbread Knight | 7 | 6 | 2 | 0 |
| Cupcake Cavalier | 6 | 2 | 2 | 0 |
| Nougat Guardian | 5 | 11 | 2 | 0 |
| Jelly Jester | 2 | 2 | 1 | 0 |
| Peppermint Mage | 7 | 4 | 2 | 0 |
| Liquorice Lancer | 3 | 1 | 1 | 0 |
| Marshmallow Giant | 7 | 8 | 1 | 0 |
| Sherbet Sprite | 1 | 2 | 1 | 0 |
| Elder Dragon (legendary) | 3 | 4 | 0 | 1 |
| Frost Serpent | 6 | 6 | 0 | 2 |
| Cave Drake | 7 | 2 | 0 | 2 |
| Bog Wyrm | 5 | 11 | 0 | 2 |
| Ember Whelp | 1 | 2 | 0 | 1 |
| Thorn Hydra | 8 | 4 | 0 | 2 |
| Storm Wyvern | 4 | 1 | 0 | 1 |
| Stone Basilisk | 7 | 8 | 0 | 1 |
| Dusk Gargoyle | 2 | 3 | 0 | 1 |
| Rolling Pin | +2 | +0 | 2 | 0 |
| Icing Armour | +0 | +2 | 2 | 0 |
| Sugar Rush | +3 | +0 | 1 | 0 |
| Dragon Fang | +2 | +0 | 0 | 2 |
| Scale Mail | +0 | +2 | 0 | 2 |
| Hoard Crown | +2 | +1 | 0 | 1 |
| Lucky Charm | +1 | +1 | 2 | 2 |

A set of your own is a YAML file, and works from any folder:
`delights_and_dragons_v0.env(card_set="my_set.yaml", decks=("mine", "yours"))`.

```yaml
name: my_set
characters:
  - {name: Tin Soldier, attack: 4, defense: 4}
  - {name: Snow Queen, attack: 6, defense: 5, legendary: true}
items:
  - {name: Bent Sword, attack: 2}
  - {name: Mirror Shard, attack: 1, defense: 3}
decks:
  mine: {Tin Soldier: 6, Bent Sword: 2}
  yours: {Snow Queen: 1, Tin Soldier: 4, Mirror Shard: 2}
```

Attack and defense are 0 to 20, an item adds 0 to 10 to each; a deck has 5 to 60 cards, 1 to 16 of them
characters. What is wrong with a file is told with the card and the field. The same data can be given as
a mapping. All numbers and names go into the game's options and the state: a saved state or a trained
agent needs no file, and an agent that was trained on one set refuses another.

**Balance.** The decks of `starter` were made by simulation: in 20,000 games between equal scripted
players `delights` wins 0.498 to 0.509 against `dragons` over both seats, by who plays; every card is
played in at least two thirds of the games in which it is drawn, and none that a player starts with adds
more than 13 percentage points to the chance to win. `duelgym balance starter` measures it, and
`duelgym balance my_set.yaml` your own set. The first player wins 80 % of the games between planners
(87 % between racers): both play one character a turn, and the first is always one ahead. Other cards
change that only by some points, so a match is both seats, as `duelgym evaluate` plays it.

**Scripted players.** `racer` does as much damage as it can, `trader` destroys what is worth most, and
`planner` goes through its whole turn and the opponent's best answer to it. Their scores over both seats,
with 95 % intervals (`duelgym evaluate delights_and_dragons planner --variant mirror --games 20000`):

| | `random` | `racer` | `trader` |
|---|---|---|---|
| `racer` | 0.955 [0.952, 0.958] | | |
| `trader` | 0.965 [0.962, 0.967] | 0.540 [0.537, 0.543] | |
| `planner` | 0.968 [0.965, 0.970] | 0.562 [0.559, 0.566] | 0.527 [0.524, 0.529] |

No game of theirs was cut off.

## Options and variants

| option | values | meaning |
|---|---|---|
| `card_set` | a name, a file or a mapping | the cards: `starter`, or a set of your own |
| `decks` | one name or two | the decks of both players; by default both play the first deck of the set |
| `health` | 1 to 200 | health at the start |
| `opening_hand` | 1 to the cards of the smaller deck | cards in hand at the start |
| `max_turns` | 1 to 10000 | turns, both players' together, after which a game is cut off |
| `open_decklists` | true, false | whether the players know each other's decklist |

| variant | options | cards | actions | observation |
|---|---|---|---|---|
| `mirror` | `decks=("delights", "delights")` | 13 | 55 | 367 |
| `themed` | `decks=("delights", "dragons")` | 25 | 67 | 486 |
| `closed` | `decks=("delights", "dragons"), open_decklists=False` | 25 | 67 | 465 |

With closed decklists a player knows the card set and what has been shown; redrawing what it does not
know takes each deck of the set that the opponent may still have as equally likely. The sections
`rival_unknown`, `rival_known` and `own_known` of the observation are then replaced by
`rival_shuffled` and `own_shuffled` (the cards that a deck was last reshuffled from, which is all that
can be drawn from it) and `rival_decks` and `own_decks` (the decks that the opponent may have, and that
the observer may have by what it has shown).

## Actions

| action | name | legal |
|---|---|---|
| 0 | `play Queen Praline` | character in hand, none played this turn |
| 1 | `play Gingerbread Knight` | character in hand, none played this turn |
| 2 | `play Cupcake Cavalier` | character in hand, none played this turn |
| 3 | `play Nougat Guardian` | character in hand, none played this turn |
| 4 | `play Jelly Jester` | character in hand, none played this turn |
| 5 | `play Peppermint Mage` | character in hand, none played this turn |
| 6 | `play Liquorice Lancer` | character in hand, none played this turn |
| 7 | `play Marshmallow Giant` | character in hand, none played this turn |
| 8 | `play Sherbet Sprite` | character in hand, none played this turn |
| 9 | `play Rolling Pin` | item in hand, none played this turn, a character in play |
| 10 | `play Icing Armour` | item in hand, none played this turn, a character in play |
| 11 | `play Sugar Rush` | item in hand, none played this turn, a character in play |
| 12 | `play Lucky Charm` | item in hand, none played this turn, a character in play |
| 13-25 | `on slot 1` to `on slot 13` | an item waits for its holder: there is a character in that slot |
| 26-38 | `attack with slot 1` to `attack with slot 13` | the character was in play when the turn began and has not attacked |
| 39-51 | `target slot 1` to `target slot 13` | an attack waits for its target: the opponent has a character in that slot |
| 52 | `end phase` | in the attack phase |
| 53 | `reshuffle` | a draw is due from an empty deck |
| 54 | `forfeit` | a draw is due from an empty deck |

The number of a card is also that of the chance outcome that draws it.

## Observation

A run of cards is in the order of the actions; attacks and defenses leave out the cards that have none. A
side has as many slots as its deck can have characters; a character takes the first free one and stays
there. A slot holds 0 if it is empty, otherwise 1 more than the number that the character has among the
actions. `game.sections` names every entry.

| entries | section | values | meaning |
|---|---|---|---|
| 0-12 | `own_hand` | 0..2 | copies of each card in the observer's hand |
| 13-25 | `own_deck` | 0..2 | in the observer's deck |
| 26-38 | `own_discard` | 0..2 | in the observer's discard |
| 39-51 | `rival_discard` | 0..2 | in the opponent's discard |
| 52-64 | `rival_unknown` | 0..2 | in the opponent's deck, or in its hand without being known to be there |
| 65-77 | `rival_known` | 0..2 | in the opponent's hand for certain, by counting |
| 78-90 | `own_known` | 0..2 | in the observer's hand for certain, to the opponent |
| 91-102 | `own_hand_attack` | 0..7 | attack of each card in the observer's hand, 0 if it is not there |
| 103-113 | `own_hand_defense` | 0..11 | defense of each card in the observer's hand, 0 if it is not there |
| 114-126 | `own_characters` | 0..9 | number of the character in each slot of the observer |
| 127-139 | `own_attack` | 0..16 | its attack, with items |
| 140-152 | `own_defense` | 0..17 | its defense, with items |
| 153-165 | `own_legendary` | 0..1 | whether it is legendary |
| 166-178 | `own_marks` | 0..2 | attacks that it has survived; 1 is injured, unless legendary |
| 179-191 | `own_ready` | 0..1 | whether it may attack this turn |
| 192-204 | `own_destroys` | 0..13 | characters of the opponent that its attack would destroy |
| 205-211 | `own_items` | 0..13 | number of the slot of each item that the observer has in play |
| 212-224 | `rival_characters` | 0..9 | number of the character in each slot of the opponent |
| 225-237 | `rival_attack` | 0..16 | its attack, with items |
| 238-250 | `rival_defense` | 0..17 | its defense, with items |
| 251-263 | `rival_legendary` | 0..1 | whether it is legendary |
| 264-276 | `rival_marks` | 0..2 | attacks that it has survived; 1 is injured, unless legendary |
| 277-289 | `rival_ready` | 0..1 | whether it may attack this turn |
| 290-302 | `rival_destroys` | 0..13 | characters of the observer that its attack would destroy |
| 303-309 | `rival_items` | 0..13 | number of the slot of each item that the opponent has in play |
| 310-313 | `item` | 0..1 | the item that is being given to a character |
| 314-326 | `attacker` | 0..1 | the slot that is attacking and chooses a target |
| 327-339 | `target_destroyed` | 0..1 | whether that would destroy the character in a slot |
| 340-352 | `target_damage` | 0..16 | how much health it would cost then |
| 353-354 | `health` | 0..20 | health of the observer and the opponent |
| 355-356 | `hand_size` | 0..20 | cards in both hands |
| 357-358 | `deck_size` | 0..20 | cards in both decks |
| 359 | `turn_number` | 0..100 | turns that have begun, both players' together |
| 360 | `own_turn` | 0..1 | whether it is the observer's turn |
| 361-362 | `may_play` | 0..1 | what may still be played this turn, by the player whose turn it is |
| 363-366 | `decision` | 0..1 | what the player whose turn it is decides |

`own_destroys`, `rival_destroys`, `target_destroyed` and `target_damage` follow from the others; they are
there because a network finds such comparisons hard to learn.

`game.describe(observation)` puts an observation in words.

**Memory.** The observation holds every current fact that a seat knows. Of the past it leaves out the
order of what happened, and how often decks were reshuffled; what is left to play does not depend on them.
The whole past is `State.information_state(seat)`.

## Versions

- v0: first release.
"""

from __future__ import annotations

from typing import Any

from .core.aec import DuelEnv
from .delights_and_dragons import DelightsAndDragons


def env(render_mode: str | None = None, variant: str | None = None, **options: Any) -> DuelEnv:
    """The AEC environment; ``variant`` and ``options`` as on this page.

    Raises:
        OptionError: An unknown variant or option, or a value that the rules do not allow.
    """
    return DelightsAndDragons(variant, **options).env(render_mode)


raw_env = env
"""The same: the checks of PettingZoo's stock wrappers are part of the environment."""
