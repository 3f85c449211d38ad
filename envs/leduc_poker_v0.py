"""# Leduc poker

Poker with six cards. It is a calibration game and not one of the four duels: other libraries have it
too, so speed and learning can be compared on it, and it is so small that
`duelgym.training.exploitability` computes exactly how far a policy is from optimal play.

| | |
|---|---|
| import | `from duelgym.envs import leduc_poker_v0` |
| environment | `leduc_poker_v0.env(render_mode=None, variant=None)` |
| agents | `player_0`, `player_1` |
| action space | `Discrete(3)` |
| observation space | `{"observation": Box(0 or 1, 1 or 13, (39,), float32), "action_mask": Box(0, 1, (3,), int8)}` |
| rewards | chips won or lost, -13 to 13, once, at the end; 0 for both if the pot is split |
| decisions | 2 to 8 in a game |

## Rules

There are six cards: jack, queen and king, of hearts and of spades. Each player puts an ante of 1 chip
into the pot and is dealt a private card face down. A betting round follows, then a public card is
dealt face up, then comes a second betting round. `player_0` opens both.

**Betting.** The players move in turn. A player may *call*: match what the other has put in, which is
a check if both have put in the same. Or *raise*: match it and add 2 chips in the first round, 4 in the
second; there are at most two raises in a round between the two players. Or, if the other has put in
more, *fold*: give up what is in the pot. A call ends the round, unless it is the first move of it.

**Showdown.** If nobody has folded after the second round, both private cards are turned over. A
private card with the rank of the public one is a pair and beats everything else; otherwise the higher
rank wins, king over queen over jack. With equal ranks the pot is split. The winner gains what the
other has put into the pot. After a fold the private cards stay hidden.

Every deal is a chance outcome of its own: first the two private cards, then the public card between
the rounds. This is the game tree of OpenSpiel's `leduc_poker` with its default parameters, with the
same numbers for actions and cards, and 468 information states for each player to decide in. The rules
come from Southey et al., "Bayes' Bluff: Opponent Modelling in Poker" (2005). With optimal play
`player_0` loses 0.086 chips a game; the exploitability of uniformly random play is 2.37 chips.

There are no options, and `standard` is the only variant.

## Actions

| action | name | legal |
|---|---|---|
| 0 | `fold` | if the other player has put in more |
| 1 | `call` | always |
| 2 | `raise` | if there were fewer than two raises in this betting round |

Cards, as chance outcomes, are 0 `jack of hearts`, 1 `jack of spades`, 2 `queen of hearts`,
3 `queen of spades`, 4 `king of hearts`, 5 `king of spades`.

## Observation

A run of cards is in that order. A run of moves is: call, raise, then call, then raise, the first two
for the player's first move of the betting round and the others for the second.

| entries | section | values | meaning |
|---|---|---|---|
| 0-5 | `own_card` | 0..1 | the observer's private card |
| 6-11 | `public_card` | 0..1 | the public card, once it is dealt |
| 12-17 | `rival_card` | 0..1 | the opponent's private card, at a showdown only |
| 18-21 | `own_moves_1` | 0..1 | the observer's moves in the first betting round |
| 22-25 | `own_moves_2` | 0..1 | the observer's moves in the second betting round |
| 26-29 | `rival_moves_1` | 0..1 | the opponent's moves in the first betting round |
| 30-33 | `rival_moves_2` | 0..1 | the opponent's moves in the second betting round |
| 34 | `own_chips` | 1..13 | the observer's chips in the pot |
| 35 | `rival_chips` | 1..13 | the opponent's chips in the pot |
| 36 | `acts_first` | 0..1 | whether the observer opens both betting rounds |
| 37-38 | `folded` | 0..1 | who has folded, at the end only |

`game.describe(observation)` puts an observation in words.

**Memory.** Nothing is left out: two histories that a seat can tell apart give it different
observations. The entries for chips follow from the moves and are there for convenience.

## Versions

- v0: first release.
"""

from __future__ import annotations

from typing import Any

from .core.aec import DuelEnv
from .leduc_poker import LeducPoker


def env(render_mode: str | None = None, variant: str | None = None, **options: Any) -> DuelEnv:
    """The AEC environment; there is one variant, ``standard``, and no options.

    Raises:
        OptionError: An unknown variant or option.
    """
    return LeducPoker(variant, **options).env(render_mode)


raw_env = env
"""The same: the checks of PettingZoo's stock wrappers are part of the environment."""
