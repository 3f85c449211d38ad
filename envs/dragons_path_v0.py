"""# Dragon's Path

Two players collect elements: four alike or five different win. Cards are effects and reactions at
once, and in the advanced game spells come on top, over the best of three matches.

| | |
|---|---|
| import | `from duelgym.envs import dragons_path_v0` |
| environment | `dragons_path_v0.env(render_mode=None, variant=None, advanced=False, copies=5, hand=5, fire_search_to='hand', replay_returned_earth=False, next_first='loser')` |
| agents | `player_0`, `player_1` |
| action space | `Discrete(19)` |
| observation space | `{"observation": Box(0, 1 or 5 or 25, (100,), float32), "action_mask": Box(0, 1, (19,), int8)}` |
| rewards | +1 for the winner and -1 for the loser, once, at the end |
| decisions | 7 to 246 in a game |

The numbers are those of the basic variant.

## Rules

Each player has a deck of 25 path cards, five each of fire, water, earth, wind and thunder, and draws
five. Before each player lies a *path*, and a discard pile face up. `player_0` begins.

**A turn.** Draw a card, but not in the first turn of the match. Then play a card from the hand to the
path and declare one of its effects, or pass. The opponent may respond. Only then is a target chosen
and the effect carried out, as far as it can be; it may have no target. At the end of the turn its
player wins with all five elements or four cards of one element in the path. A path that is completed
in the opponent's turn has to stand until then.

Whoever has to draw from an empty deck loses the match at once, in either player's turn.

| card | effect A | effect B |
|---|---|---|
| fire | remove a card of the opponent's path | search the own deck for a card, in secret |
| water | a player draws 3 cards, then discards 3 | exchange a card of a player's path for one of that player's discard pile |
| earth | play another card from the hand without effect | return a card from the own discard pile to the hand |
| wind | the opponent chooses and discards a card from the hand | reaction |
| thunder | a player draws a card | reaction |

**Responses.** To a card that was played the opponent may discard one reaction. *Wind* cancels the
effect, and the card stays in the path. *Thunder* returns the card to the hand, and the effect is still
carried out. The opponent is asked whenever it has a card, even if refusing is all that it can do: that
a question is pending tells nothing about the hand.

### The advanced game

Two of ten spells are dealt to each player. Both choose in secret one to keep, and give the other away.
Instead of playing a card a player casts an unused spell by discarding its two elements. The opponent may
cancel it by discarding the same two, but has no other response; it is asked if it has two cards. The
winner of a match takes a token, and two tokens win the game. The next match has fresh decks and hands,
its loser begins it, and used spells stay used.

| spell | elements | effect |
|---|---|---|
| Titan's Emberforge | fire, earth | play the top two cards of the own deck without effects |
| Cinderstorm Prophecy | fire, wind | reveal the top card of the own deck, apply an effect of it that is no reaction, discard it; up to three times |
| Scalding Deluge | fire, water | the opponent puts the top 9 cards of the deck into the discard pile |
| Molten Hellstrike | fire, thunder | remove up to 3 cards of the opponent's path, then the opponent plays the top card of the deck without effect |
| Skyshard Shift | earth, wind | switch a card of the own path with one of the opponent's, then draw 2 |
| Primordial Maelstrom | earth, water | shuffle up to 2 cards of the opponent's path into their owner's deck |
| Runebolt Invocation | earth, thunder | search the own deck for a card and play it with an effect that is no reaction, then shuffle |
| Tempest of Omens | water, wind | the opponent reveals the hand; up to two cards of the caster's choice are discarded |
| Stormveil Reversal | thunder, wind | as a response to a card: cancel its effect, remove it, then draw 1 |
| Mindstorm Dominion | water, thunder | in the opponent's next turn the caster sees the hand and makes all choices but spells |

During a Mindstorm the *caster* is the agent to move: `decides_for` says whose choice it makes, and
`active player` and the path that Fire A removes from are meant from the side of the player on turn. What the
caster saw stays known. Draws, decks that run out and victories stay the victim's, and rewards the players'.

Where the printed rules leave something open, this is how it is played. Cards belong to a player: one that
Skyshard Shift has moved counts for the path that it lies in and leaves it for its owner's discard pile
or deck. Turning up, playing or putting away cards of an empty deck does what it can and costs nothing.
A search finds a card if there is one. Earth A has to be carried out if there is another card; it is
played without response, as is Runebolt's. There is one response and none to it, but Stormveil Reversal
can be cancelled like any spell: then nothing is drawn, and the card's effect is carried out. A cancelled
spell is used up. Cinderstorm's card lies nowhere until its effect is done. A Mindstorm that is pending
when a match ends is lost. There is no limit to hands. A search is not shown.

A match ends by turn 42, with a Primordial Maelstrom by turn 44: every turn but the first draws.

## Options and variants

| option | values | meaning |
|---|---|---|
| `advanced` | True or False | spells, and the best of three matches |
| `copies` | 1 to 5 | cards of each element in each deck |
| `hand` | 1 to 5 times `copies` | cards of the opening hand |
| `fire_search_to` | 'hand' or 'deck_top' | where Fire B puts the card; a later shuffle forgets the top |
| `replay_returned_earth` | True or False | whether an Earth that Thunder returned is "another" card for its own effect A even if it is the only one |
| `next_first` | 'loser' or 'alternate' | who begins the next match: the loser of the last one, or both by turns |

With `deck_top` the observation has 12 more entries at its end: `own_top` and `rival_top` (the card on
top, as far as it is known), `own_top_known` and `rival_top_searched`.

| variant | options | actions | observation |
|---|---|---|---|
| `basic` | `advanced=False, copies=5, hand=5, fire_search_to='hand', replay_returned_earth=False, next_first='loser'` | 19 | 100 |
| `advanced` | `advanced=True, copies=5, hand=5, fire_search_to='hand', replay_returned_earth=False, next_first='loser'` | 47 | 218 |

The actions and observations of the basic game are the beginning of those of the advanced one.

## Actions

A question is put whenever there is something to choose from, even if there is only one answer.

| action | name | legal |
|---|---|---|
| 0 | `fire A: remove` | to play such a card from the hand, or to use one that a spell turns up |
| 1 | `fire B: search` | to play such a card from the hand, or to use one that a spell turns up |
| 2 | `water A: draw and discard` | to play such a card from the hand, or to use one that a spell turns up |
| 3 | `water B: exchange` | to play such a card from the hand, or to use one that a spell turns up |
| 4 | `earth A: play another` | to play such a card from the hand, or to use one that a spell turns up |
| 5 | `earth B: return` | to play such a card from the hand, or to use one that a spell turns up |
| 6 | `wind A: make discard` | to play such a card from the hand, or to use one that a spell turns up |
| 7 | `thunder A: draw` | to play such a card from the hand, or to use one that a spell turns up |
| 8 | `respond with wind` | as a response to a path card, if in hand |
| 9 | `respond with thunder` | as a response to a path card, if in hand |
| 10 | `active player` | to choose the player whose turn it is |
| 11 | `other player` | to choose the opponent of that player |
| 12 | `fire` | to choose such a card of a hand, deck, discard pile or path |
| 13 | `water` | to choose such a card of a hand, deck, discard pile or path |
| 14 | `earth` | to choose such a card of a hand, deck, discard pile or path |
| 15 | `wind` | to choose such a card of a hand, deck, discard pile or path |
| 16 | `thunder` | to choose such a card of a hand, deck, discard pile or path |
| 17 | `pass` | in the main phase |
| 18 | `refuse` | as a response |

| advanced action | name | legal |
|---|---|---|
| 19 | `stop` | after a part of Cinderstorm, Hellstrike, Maelstrom or Tempest, and before |
| 20 | `reveal another` | in a Cinderstorm, up to twice |
| 21 | `cancel the spell` | as a response to a spell, if both its elements are in hand |
| 22 | `foreign fire` | to choose such a card in a path, owned by the other player |
| 23 | `foreign water` | to choose such a card in a path, owned by the other player |
| 24 | `foreign earth` | to choose such a card in a path, owned by the other player |
| 25 | `foreign wind` | to choose such a card in a path, owned by the other player |
| 26 | `foreign thunder` | to choose such a card in a path, owned by the other player |
| 27 | `keep Titan's Emberforge` | in the draft, if dealt |
| 28 | `keep Cinderstorm Prophecy` | in the draft, if dealt |
| 29 | `keep Scalding Deluge` | in the draft, if dealt |
| 30 | `keep Molten Hellstrike` | in the draft, if dealt |
| 31 | `keep Skyshard Shift` | in the draft, if dealt |
| 32 | `keep Primordial Maelstrom` | in the draft, if dealt |
| 33 | `keep Runebolt Invocation` | in the draft, if dealt |
| 34 | `keep Tempest of Omens` | in the draft, if dealt |
| 35 | `keep Stormveil Reversal` | in the draft, if dealt |
| 36 | `keep Mindstorm Dominion` | in the draft, if dealt |
| 37 | `cast Titan's Emberforge` | in the main phase, if held, with both elements in hand |
| 38 | `cast Cinderstorm Prophecy` | in the main phase, if held, with both elements in hand |
| 39 | `cast Scalding Deluge` | in the main phase, if held, with both elements in hand |
| 40 | `cast Molten Hellstrike` | in the main phase, if held, with both elements in hand |
| 41 | `cast Skyshard Shift` | in the main phase, if held, with both elements in hand |
| 42 | `cast Primordial Maelstrom` | in the main phase, if held, with both elements in hand |
| 43 | `cast Runebolt Invocation` | in the main phase, if held, with both elements in hand |
| 44 | `cast Tempest of Omens` | in the main phase, if held, with both elements in hand |
| 45 | `cast Stormveil Reversal` | as a response to a path card, if held, with both elements in hand |
| 46 | `cast Mindstorm Dominion` | in the main phase, if held, with both elements in hand |

Chance outcomes are the elements in the same order, 0 to 4, and in the advanced game the spells, 5 to 14,
as they are dealt.

## Observation

A run of elements is in the order fire, water, earth, wind, thunder. What follows from other entries,
such as `rival_unseen`, `own_alike` and `own_different`, is there because a network finds it hard to learn.

| entries | section | values | meaning |
|---|---|---|---|
| 0-4 | `own_hand` | 0..5 | cards in the observer's hand |
| 5-9 | `own_hand_known` | 0..5 | those of them that the opponent knows of, at least |
| 10-14 | `own_deck` | 0..5 | cards in the observer's deck |
| 15-19 | `own_discard` | 0..5 | cards in the observer's discard pile |
| 20-24 | `rival_hand_known` | 0..5 | cards known to be in the opponent's hand, at least |
| 25-29 | `rival_discard` | 0..5 | cards in the opponent's discard pile |
| 30-34 | `rival_unseen` | 0..5 | cards in the opponent's hand and deck together |
| 35-39 | `own_path` | 0..5 | cards in the observer's path |
| 40-44 | `rival_path` | 0..5 | cards in the opponent's path |
| 45 | `own_hand_size` | 0..25 | cards in the observer's hand |
| 46 | `own_deck_size` | 0..25 | cards in the observer's deck |
| 47-50 | `own_alike` | 0..1 | cards of the most frequent element in the observer's path, up to 4 |
| 51-55 | `own_different` | 0..1 | different elements in the observer's path |
| 56 | `rival_hand_size` | 0..25 | cards in the opponent's hand |
| 57 | `rival_deck_size` | 0..25 | cards in the opponent's deck |
| 58-61 | `rival_alike` | 0..1 | cards of the most frequent element in the opponent's path, up to 4 |
| 62-66 | `rival_different` | 0..1 | different elements in the opponent's path |
| 67 | `own_first` | 0..1 | whether the observer began this match |
| 68 | `own_turn` | 0..1 | whether it is the observer's turn |
| 69-70 | `decides` | 0..1 | who decides now |
| 71-80 | `question` | 0..1 | what is to be decided, if it is of the basic game |
| 81-83 | `choices` | 0..1 | how many choices of this kind there are |
| 84-91 | `effect` | 0..1 | the effect that is declared and not cancelled |
| 92 | `returned` | 0..1 | whether Thunder returned the card that was played |
| 93-94 | `exchanging` | 0..1 | whose cards Water B exchanges |
| 95-99 | `chosen_card` | 0..1 | the card in a path that is about to change places |

The advanced game adds these; there a path may hold up to 10 cards of an element.

| advanced entries | section | values | meaning |
|---|---|---|---|
| 100-101 | `own_tokens` | 0..1 | matches won by the observer |
| 102-103 | `rival_tokens` | 0..1 | matches won by the opponent |
| 104-113 | `own_spells` | 0..1 | spells of the observer, not used yet |
| 114-123 | `rival_spells` | 0..1 | spells of the opponent, not used yet |
| 124-133 | `own_spells_used` | 0..1 | spells that the observer has used |
| 134-143 | `rival_spells_used` | 0..1 | spells that the opponent has used |
| 144-153 | `own_dealt` | 0..1 | the two to choose from, during the draft |
| 154-163 | `own_kept` | 0..1 | the one that is kept, until both have chosen |
| 164-173 | `spell` | 0..1 | the spell that was cast last in this turn, if not cancelled |
| 174-183 | `spell_question` | 0..1 | what is to be decided, if not `question` |
| 184-188 | `revealed` | 0..1 | the card that Cinderstorm Prophecy has revealed |
| 189-190 | `reveals_left` | 0..1 | how many more it may reveal |
| 191 | `chosen_foreign` | 0..1 | whether `chosen_card` is not of that path's player |
| 192-193 | `mindstorm` | 0..1 | who controls the other in this turn |
| 194-195 | `decides_for` | 0..1 | whose choice it is that is made now |
| 196-200 | `own_path_foreign` | 0..5 | cards in the observer's path that the opponent owns |
| 201-205 | `rival_path_foreign` | 0..5 | cards in the opponent's path that the observer owns |
| 206-210 | `own_deck_known` | 0..5 | cards that Primordial Maelstrom put into the observer's deck |
| 211-215 | `rival_deck_known` | 0..5 | cards that it put into the opponent's deck |
| 216 | `own_deck_sure` | 0..3 | how many of `own_deck_known` are surely still there |
| 217 | `rival_deck_sure` | 0..3 | how many of `rival_deck_known` are |

`own_deck_known` and `rival_deck_known` are what the player without that deck knows of it. A card that
leaves the deck unseen may be any of them, so they are counted jointly.

`game.describe(observation)` puts an observation in words.

**Memory.** The observation holds every current fact that a seat knows, and perfect memory of what was
shown: the cards of a hand that its opponent knows, at least, and what a Maelstrom put into a deck.
Exactly the hands that fit these numbers are possible. Of the past it leaves out the order of play,
what was declared and refused, and how spells were given away; the whole past is
`State.information_state(seat)`. `State.resample` redraws the opponent's hand from all cards that may be
in it as if it had been dealt: it does not weigh what a player would have searched for or kept.

## Versions

- v0: first release.
"""

from __future__ import annotations

from typing import Any

from .core.aec import DuelEnv
from .dragons_path import DragonsPath


def env(render_mode: str | None = None, variant: str | None = None, **options: Any) -> DuelEnv:
    """The AEC environment; ``variant`` and ``options`` as on this page.

    Raises:
        OptionError: An unknown variant or option, or a value that the rules do not allow.
    """
    return DragonsPath(variant, **options).env(render_mode)


raw_env = env
"""The same: the checks of PettingZoo's stock wrappers are part of the environment."""
