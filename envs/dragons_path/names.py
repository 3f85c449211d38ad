"""What people call the cards, actions and questions, in the order of their numbers."""

from __future__ import annotations

ELEMENTS = ("fire", "water", "earth", "wind", "thunder")
EFFECTS = (
    "fire A: remove",
    "fire B: search",
    "water A: draw and discard",
    "water B: exchange",
    "earth A: play another",
    "earth B: return",
    "wind A: make discard",
    "thunder A: draw",
)
SPELLS = (
    "Titan's Emberforge",
    "Cinderstorm Prophecy",
    "Scalding Deluge",
    "Molten Hellstrike",
    "Skyshard Shift",
    "Primordial Maelstrom",
    "Runebolt Invocation",
    "Tempest of Omens",
    "Stormveil Reversal",
    "Mindstorm Dominion",
)
ACTIONS = (
    *EFFECTS,
    "respond with wind",
    "respond with thunder",
    "active player",
    "other player",
    *ELEMENTS,
    "pass",
    "refuse",
    "stop",
    "reveal another",
    "cancel the spell",
    *(f"foreign {element}" for element in ELEMENTS),
    *(f"keep {spell}" for spell in SPELLS),
    *(f"cast {spell}" for spell in SPELLS),
)
QUESTIONS = (
    "play or pass",
    "respond",
    "choose a player",
    "remove",
    "search",
    "exchange",
    "exchange for",
    "play another",
    "return",
    "discard",
)
SPELL_QUESTIONS = (
    "keep a spell",
    "cancel the spell",
    "use the revealed card",
    "reveal another",
    "remove up to",
    "switch",
    "switch for",
    "shuffle in",
    "search and play",
    "make discard what is seen",
)
ENDINGS = ("", "four alike", "five different", "an empty deck")
