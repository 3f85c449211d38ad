"""# Dragon Deck

Two players draft a hand of dragons, then fight battles in which both choose a card in secret.

| | |
|---|---|
| import | `from duelgym.envs import dragon_deck_v0` |
| environment | `dragon_deck_v0.env(render_mode=None, variant=None, values_per_type=8, target=None)` |
| agents | `player_0`, `player_1` |
| action space | `Discrete(26)` |
| observation space | `{"observation": Box(0, 1 or 12, (192,), float32), "action_mask": Box(0, 1, (26,), int8)}` |
| rewards | +1 for the winner and -1 for the loser, once, at the end |
| decisions | 14 to 38 in a game |

The numbers are those of the standard variant.

## Rules

There are 24 dragons: fire, forest and water, each with the values 1 to 8. They are shuffled into
three piles A, B and C.

**Draft**, 8 rounds. The players take turns at being active; `player_0` begins. The active player
turns up the top card of pile A and may *keep* it: the opponent then gets the tops of B and C. Or
*refuse* it: the opponent gets it and the top of B is turned up. Keep that, and the opponent gets the
top of C; refuse it, and the opponent gets it while the active player has to take the top of C. All
cards lie face up, so both hands are known, and only undrawn cards are not. Each player ends with 12.

**Battles.** Both players choose a card from their hand in secret and reveal together. Fire beats
forest, forest beats water, water beats fire, whatever the values; between two of a type the higher
value wins. The winner of a battle gets one victory card, or two if the winning dragon has value 1
(which can only win by type). Both dragons leave the game. The first to have 6 victory cards wins the
game at once, between the 3rd and the 11th battle.

In this interface `player_0` chooses first; `player_1` is then told *that* a card has been committed,
never which, and both are revealed when `player_1` has chosen.

Where the printed rules leave something open, this is how it is played: the types have the values 1 to
8 once each; seat 0 is active first (seats are for whoever runs the match to assign); hands drafted
face up stay known.

## Options and variants

| option | values | meaning |
|---|---|---|
| `values_per_type` | 2, 4, 6, 8 | dragons of each type, and rounds of the draft |
| `target` | 1 to 6, 5, 3 or 2 for 8, 6, 4 or 2 values | victory cards that win; the greatest by default |

A greater target could leave both hands empty without a winner.

| variant | options | cards | actions | observation |
|---|---|---|---|---|
| `standard` | `values_per_type=8, target=6` | 24 | 26 | 192 |
| `medium` | `values_per_type=6, target=5` | 18 | 20 | 146 |
| `small` | `values_per_type=4, target=3` | 12 | 14 | 98 |
| `tiny` | `values_per_type=2, target=2` | 6 | 8 | 52 |

## Actions

| action | name | legal |
|---|---|---|
| 0 | `keep` | in the draft |
| 1 | `refuse` | in the draft |
| 2-9 | `fire 1` to `fire 8` | in a battle, if in hand |
| 10-17 | `forest 1` to `forest 8` | in a battle, if in hand |
| 18-25 | `water 1` to `water 8` | in a battle, if in hand |

## Observation

A run of cards is in the order of the actions: fire 1 to 8, forest, water. The last two sections follow
from the hands; they are there because a network finds such products of two hands hard to learn.

| entries | section | values | meaning |
|---|---|---|---|
| 0-23 | `own_hand` | 0..1 | cards in the observer's hand, a committed one included |
| 24-47 | `rival_hand` | 0..1 | cards in the opponent's hand, a committed one included |
| 48-71 | `unseen` | 0..1 | cards that have not been turned up |
| 72-95 | `turned_up` | 0..1 | the card that the active player decides about |
| 96-119 | `own_committed` | 0..1 | the card that the observer has committed face down |
| 120 | `rival_committed` | 0..1 | whether the opponent has committed a card |
| 121 | `own_turn_to_recruit` | 0..1 | whether the observer is active in the draft |
| 122 | `rival_turn_to_recruit` | 0..1 | whether the opponent is |
| 123 | `pile_b` | 0..1 | whether the card to decide about is from pile B, not A |
| 124-131 | `rounds` | 0..1 | finished rounds of the draft |
| 132-137 | `own_victory_cards` | 0..1 | won by the observer |
| 138-143 | `rival_victory_cards` | 0..1 | won by the opponent |
| 144-167 | `own_hand_beats` | 0..12 | for each card in the observer's hand, how many of the opponent's hand it beats |
| 168-191 | `rival_hand_beats` | 0..12 | for each card in the opponent's hand, how many of the observer's hand it beats |

`game.describe(observation)` puts an observation in words.

**Memory.** The observation holds every current fact that a seat knows. Of the past it leaves out the
order in which cards were drafted and played, and whose the discarded cards were; what is left to play
does not depend on them. The whole past is `State.information_state(seat)`.

## Versions

- v0: first release.
"""

from __future__ import annotations

from typing import Any

from .core.aec import DuelEnv
from .dragon_deck import DragonDeck


def env(render_mode: str | None = None, variant: str | None = None, **options: Any) -> DuelEnv:
    """The AEC environment; ``variant`` and ``options`` as on this page.

    Raises:
        OptionError: An unknown variant or option, or a value that the rules do not allow.
    """
    return DragonDeck(variant, **options).env(render_mode)


raw_env = env
"""The same: the checks of PettingZoo's stock wrappers are part of the environment."""
