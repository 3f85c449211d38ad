"""# Gem Duel

Two to five players duel with cards half of which they cannot see themselves, and tell each other about
them.

| | |
|---|---|
| import | `from duelgym.envs import gem_duel_v0` |
| environment | `gem_duel_v0.env(render_mode=None, variant=None, num_players=2, hand_size=None, open_cards=None, powers=None, target=None, clue_marks_specials=True)` |
| agents | `player_0`, `player_1` |
| action space | `Discrete(30)` |
| observation space | `{"observation": Box(0, 1 or 3 or 49, (302,), float32), "action_mask": Box(0, 1, (30,), int8)}` |
| rewards | +1 for the winner, -1 for the other (of n players each -1 / (n - 1)), 0 for all if they share the victory; once, at the end |
| decisions | 12 to 111 in a game |

The numbers are those of the two_players variant.

## Rules

There are 49 cards: 13 each of the basic elements water, fire and plant, with the powers 1, 1, 2, 2, 2,
3, 3, 3, 4, 4, 4, 5, 5, and five each of the special ones light and shadow, with the powers 1 to 5.
Every player has a hand of four cards, or five when two play, in numbered slots. Two of them are *open*
at the start: everybody sees them but their holder. The others are *hidden*: only their holder sees
them. `player_0` begins. In a turn a player either asks or challenges, and then the turn passes
clockwise, which is from `player_0` to `player_1` and so on.

**Ask.** The player picks one of its open cards and another player, who tells it either the element or
the power of that card, as it likes, but not what was told of that card before. Of light and shadow
only one thing can be told: that the card is special. The other player is asked even if a single
answer is legal, so the question itself tells nothing. With the answer all other open cards of the
receiver are pointed out that have the same property: the same element; the same power, light and
shadow included; or special too. So those that are not pointed out do not have it. And a card whose
power is told is not special, which those that are pointed out with it may well be.

A card is *complete* when its element and its power were told, or that it is special, be it as an answer
or by being pointed out. What only follows from other clues does not count. Complete cards cannot be
asked about; who has no other open cards has to challenge.

**Challenge.** The player picks a rival and a type, element or power. Then the challenger tells the rival
one thing about one of the rival's open cards, choosing both, in the same way as an answer; if all of
them are complete, this is left out. Now both choose a card from their hands in secret, open or hidden,
and reveal together.

- Element: water beats fire, fire beats plant, plant beats water; light beats all others, shadow loses
  to all others; the same element ties. Powers do not count.
- Power: the higher power wins. Elements do not count; light and shadow have their power.

After a tie the duel goes on with another round of the same type, with the cards that are left. The
winner of a round takes as many gems as there were rounds: 1 in the first, 2 in the second and so on.
If the last cards tie as well, the game ends and all players share the victory, which is a return of 0
for everybody. Otherwise the played cards go to the discard, face up, and winner and loser draw back to
a full hand, the winner first. The winner's new cards are open, the loser's are hidden. If the deck is
empty when a card is due, the discard is shuffled into a new one. Whoever has 7 gems (6, 5, 4 when
three, four, five play) wins at once.

In this interface the challenger chooses its card first, in every round; the rival is then told *that* a
card has been chosen, never which, and until the reveal it shows in its slot as before.

Where the printed rules leave something open, this is how it is played: the powers are as above (the
option `powers` changes them); `player_0` begins and the winner draws first; a special card is pointed out
by a clue about power (the option `clue_marks_specials` says otherwise); two light or two shadow cards
tie by element; "already known" means already told.

## Options and variants

| option | values | meaning |
|---|---|---|
| `num_players` | 2 to 5 | players |
| `hand_size` | 1 to 6 | cards in a hand; by default 5 for two players, else 4 |
| `open_cards` | 0 to `hand_size` | how many of them are open at the start, in the last slots; by default 2, or `hand_size` if that is 1 |
| `powers` | table | how many cards there are, 0 to 15 of each: a row for each of water, fire, plant, light, shadow, with the counts of the powers 1, 2 and up to 13; by default `((2, 3, 3, 3, 2), (2, 3, 3, 3, 2), (2, 3, 3, 3, 2), (1, 1, 1, 1, 1), (1, 1, 1, 1, 1))` |
| `target` | 1 to 50 | gems that win; by default 7, 6, 5, 4 for two, three, four, five players |
| `clue_marks_specials` | true, false | whether a clue about power points out light and shadow cards of that power |

There must be enough cards for all hands. Where power clues do not mark specials, a card that is not
pointed out is of another power *or* special; nothing is ever said about the power of a special card.

| variant | options | players | actions | observation |
|---|---|---|---|---|
| `two_players` | `num_players=2, hand_size=5, open_cards=2, powers=None, target=7, clue_marks_specials=True` | 2 | 30 | 302 |
| `three_players` | `num_players=3, hand_size=4, open_cards=2, powers=None, target=6, clue_marks_specials=True` | 3 | 31 | 368 |
| `four_players` | `num_players=4, hand_size=4, open_cards=2, powers=None, target=5, clue_marks_specials=True` | 4 | 37 | 477 |
| `five_players` | `num_players=5, hand_size=4, open_cards=2, powers=None, target=4, clue_marks_specials=True` | 5 | 43 | 629 |

## Actions

Rivals are numbered clockwise from the player who acts; the names say who that is, here for `player_0`.
The slots of a clue are the rival's, all others are one's own.

| action | name | legal |
|---|---|---|
| 0 | `tell element` | as an answer, if the card is basic and its element was not told |
| 1 | `tell power` | as an answer, if the card is basic and its power was not told |
| 2 | `tell special` | as an answer, if the card is light or shadow |
| 3-7 | `tell element of slot 1` to `tell element of slot 5` | as a clue before a duel, if the same holds for the rival's open card |
| 8-12 | `tell power of slot 1` to `tell power of slot 5` | likewise |
| 13-17 | `tell special of slot 1` to `tell special of slot 5` | likewise |
| 18-22 | `play slot 1` to `play slot 5` | in a duel, if the card has not been played |
| 23 | `challenge player_1 by element` | in a turn |
| 24 | `challenge player_1 by power` | in a turn |
| 25-29 | `ask player_1 about slot 1` to `ask player_1 about slot 5` | in a turn, if the own card is open and not complete |

With more players there are two more challenges and a further question about each slot for every rival,
after those of the first one.

## Observation

Players are named as the observer sees them: rival 1 sits next clockwise, then rival 2. A run of cards is
in the order water 1 to 5, fire, plant, light, shadow. The entries of a slot are

- hidden, open, played: how the card lies, none of them for an empty slot;
- five elements and the powers: the card, if the observer sees it; for an own open card all that are still
  possible after what was told, to the letter and not sharpened by counting cards;
- told element, told power, told special: what the holder of an open card has been told;
- for an own slot, committed: the observer's own secret choice in a duel;
- for a rival's open card, maybe: elements and powers that are possible for its holder.

Where power clues do not mark specials, the possible powers are those of a basic card.

| entries | section | values | meaning |
|---|---|---|---|
| 0-3 | `decision` | 0..1 | what is to be decided |
| 4-5 | `decides` | 0..1 | who decides it |
| 6-7 | `turn` | 0..1 | whose turn it is |
| 8-9 | `partner` | 0..1 | who is asked or challenged in this turn |
| 10-14 | `asked` | 0..1 | which slot of the player whose turn it is was asked about |
| 15-16 | `duel` | 0..1 | the type of the duel that is announced or fought |
| 17-21 | `stake` | 0..1 | its round, the stake in gems |
| 22-28 | `own_gems` | 0..1 | of the observer |
| 29-35 | `rival_1_gems` | 0..1 | of rival 1 |
| 36 | `deck` | 0..49 | cards left in the deck |
| 37-61 | `unseen` | 0..3 | cards that the observer does not see: in the deck, open in its own hand, hidden in others |
| 62-86 | `discard` | 0..3 | cards in the discard |
| 87-103 | `own_slot_1` | 0..1 | slot 1 of the observer |
| 104-120 | `own_slot_2` | 0..1 | slot 2 of the observer |
| 121-137 | `own_slot_3` | 0..1 | slot 3 of the observer |
| 138-154 | `own_slot_4` | 0..1 | slot 4 of the observer |
| 155-171 | `own_slot_5` | 0..1 | slot 5 of the observer |
| 172-197 | `rival_1_slot_1` | 0..1 | slot 1 of rival 1 |
| 198-223 | `rival_1_slot_2` | 0..1 | slot 2 of rival 1 |
| 224-249 | `rival_1_slot_3` | 0..1 | slot 3 of rival 1 |
| 250-275 | `rival_1_slot_4` | 0..1 | slot 4 of rival 1 |
| 276-301 | `rival_1_slot_5` | 0..1 | slot 5 of rival 1 |

`game.describe(observation)` puts an observation in words. Only where the deck can run out (with five
players, by one card, or with smaller tables or higher targets) there is also the section `unseen_new` after
`discard`, the unseen cards that are in the deck or were drawn since the discard was last shuffled, and
each slot ends with one entry more, new, for a card in hand drawn since then.

**Memory.** The observation holds every current fact that a seat knows, all that still follows from past
clues included. Of the past it leaves out what was played by whom, in which round, and which cards were
drawn when; of the hands, once the discard has been shuffled more than once, from which of the older decks
a card is. The whole past is `State.information_state(seat)`.

## Versions

- v0: first release.
"""

from __future__ import annotations

from typing import Any

from .core.aec import DuelEnv
from .gem_duel import GemDuel


def env(render_mode: str | None = None, variant: str | None = None, **options: Any) -> DuelEnv:
    """The AEC environment; ``variant`` and ``options`` as on this page.

    Raises:
        OptionError: An unknown variant or option, or a value that the rules do not allow.
    """
    return GemDuel(variant, **options).env(render_mode)


raw_env = env
"""The same: the checks of PettingZoo's stock wrappers are part of the environment."""
