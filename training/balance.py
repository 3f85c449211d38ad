"""Whether two decks of a card set of Delights & Dragons are balanced, by simulation.

Equal players play both decks, which exchange their seats. They are balanced if neither wins too often,
over both seats, every card is worth playing, and no card decides a game alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ..agents import agent_names, make_agent
from ..envs.core.errors import OptionError
from ..envs.core.observation import offsets
from ..envs.core.randomness import row_seeds
from ..envs.core.state import fresh_seed
from ..envs.delights_and_dragons import DelightsAndDragons, read_card_set
from .evaluation import Estimate, estimate

if TYPE_CHECKING:
    from rich.table import Table

FAIR = (0.45, 0.55)
"""The share of the games that either deck should win."""
LEAST_PLAYED = 0.1
"""In which share of the games in which it was drawn a card should be played, at least."""
MOST_SWING = 0.2
"""How much more often than on average a player may win who starts with a certain card."""

BATCH_SIZE = 4096


@dataclass(frozen=True)
class Match:
    """How two decks did in the hands of equal players.

    Attributes:
        agent: Who played both.
        score: Share of the games that the first deck won over both seats; a game that is cut off
            counts half. Decks of the same name share alike.
        first_player: Share that seat 0 won.
        truncations: Games cut off by the limit of turns.
        mean_length: Mean number of decisions in a game.
    """

    agent: str
    score: Estimate
    first_player: Estimate
    truncations: int
    mean_length: float


@dataclass(frozen=True)
class CardUse:
    """What became of a card.

    Attributes:
        agent: Who played.
        deck: The deck.
        card: The card, all copies together.
        drawn: Games in which it was in the hand of its player.
        played: Share of those in which it was played.
        swing: How much more often than on average its player won when it was in the opening hand,
            which chance alone decides; 0 if it never was.
    """

    agent: str
    deck: str
    card: str
    drawn: int
    played: float
    swing: float


@dataclass(frozen=True)
class Balance:
    """The outcome of ``measure``.

    Attributes:
        game: Label of the game, with the decks as they sit in half of the games.
        decks: Names of the two decks.
        games: Games that each agent played.
        seed: Seed of everything random in it.
        matches: One for each agent.
        cards: One for each agent, deck and card.
    """

    game: str
    decks: tuple[str, str]
    games: int
    seed: int
    matches: tuple[Match, ...]
    cards: tuple[CardUse, ...]

    @property
    def faults(self) -> list[str]:
        """What is not balanced, in a sentence each."""
        found = []
        for match in self.matches:
            if not FAIR[0] <= match.score.mean <= FAIR[1]:
                found.append(
                    f"{self.decks[0]} wins {match.score.mean:.1%} against {self.decks[1]} "
                    f"between {match.agent} players, not {FAIR[0]:.0%} to {FAIR[1]:.0%}"
                )
        for use in self.cards:
            where = f"{use.card} ({use.deck}, {use.agent})"
            if use.drawn and use.played < LEAST_PLAYED:
                found.append(
                    f"{where} is dead: played in {use.played:.1%} of the games in which it was "
                    f"drawn, not {LEAST_PLAYED:.0%}"
                )
            if use.swing > MOST_SWING:
                found.append(
                    f"{where} decides too much: who starts with it wins {100 * use.swing:.1f} "
                    f"percentage points more than on average, not {100 * MOST_SWING:.0f} at most"
                )
        return found


def pairs(card_set: Any) -> list[tuple[str, str]]:
    """Every two decks of a card set, by name; a single deck is its own opponent.

    Raises:
        OptionError: The set is not valid.
    """
    decks = list(read_card_set(card_set).decks)
    return list(combinations(decks, 2)) or [(decks[0], decks[0])]


def measure(
    card_set: Any = "starter",
    decks: Sequence[str] | None = None,
    agents: Sequence[str] | None = None,
    games: int = 20_000,
    seed: int = 0,
    **options: Any,
) -> Balance:
    """Play two decks against each other, and watch every card.

    Args:
        card_set: As for the game: a name, a YAML file or the data of a set.
        decks: Names of two decks, or of one that is its own opponent; None takes the first of ``pairs``.
        agents: Names of agents, each of which plays both sides; None takes all scripted ones but
            the random one.
        games: How many at least for each agent; half of them with the seats exchanged.
        seed: Settles all results.
        options: Further options of the game, such as ``health``.

    Raises:
        OptionError: The set is not valid, or there is no such deck, agent or option.
    """
    if games < 1:
        raise OptionError(f"the balance is measured over at least 1 game, not {games}")
    cards = read_card_set(card_set)
    first = DelightsAndDragons(card_set=cards, decks=decks or pairs(cards)[0], **options)
    pair = first.options.decks
    second = DelightsAndDragons(card_set=cards, decks=pair[::-1], **options)
    if agents is None:
        agents = [name for name in agent_names(first) if name != "random"]
    half, matches, uses = -(-games // 2), [], []
    for name in agents:
        halves = [_play_all(game, name, half, seed) for game in (first, second)]
        matches.append(_match(name, halves))
        for deck in dict.fromkeys(pair):
            sides = [
                (played, seat)
                for played, seated in zip(halves, (pair, pair[::-1]), strict=True)
                for seat in range(2)
                if seated[seat] == deck
            ]
            uses += _card_uses(first, name, deck, sides)
    return Balance(first.label, pair, 2 * half, seed, tuple(matches), tuple(uses))


@dataclass
class _Games:
    """Finished games, and which cards each seat had and played in them."""

    scores: np.ndarray  # float64 [games, seats]
    lengths: np.ndarray  # int64 [games]
    truncated: np.ndarray  # bool [games]
    opening: np.ndarray  # bool [games, seats, cards]
    drawn: np.ndarray  # bool [games, seats, cards]
    played: np.ndarray  # bool [games, seats, cards]


def _play_all(game: DelightsAndDragons, agent: str, games: int, seed: int) -> _Games:
    """Play ``games`` games of an agent against itself."""
    streams = row_seeds(np.uint64(fresh_seed(seed)), 3)
    seeds = np.stack([row_seeds(stream, games) for stream in streams])
    parts = [
        _play(game, agent, seeds[:, at : at + BATCH_SIZE]) for at in range(0, games, BATCH_SIZE)
    ]
    return _Games(
        *(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(_Games))
    )


def _play(game: DelightsAndDragons, agent: str, seeds: np.ndarray) -> _Games:
    """Play one game for each column of ``seeds`` uint64 ``[3, games]``: of the chance and each seat."""
    count, cards = seeds.shape[1], game.facts.num_chance_outcomes
    hand = offsets(game.sections)["own_hand"]
    env = game.vector(count)
    env.reset_rows(seeds[0])
    players = [make_agent(agent, game) for _ in range(2)]
    for player, own_seeds in zip(players, seeds[1:], strict=True):
        player.begin(game, own_seeds)
    done = _Games(
        np.full((count, 2), 0.5),
        np.zeros(count, np.int64),
        np.zeros(count, np.bool_),
        *(np.zeros((count, 2, cards), np.bool_) for _ in range(3)),
    )
    decided = np.zeros((count, 2), np.bool_)
    running = np.ones(count, np.bool_)
    while running.any():
        # Rows whose game has ended go on with any legal move; nobody looks at them again.
        actions = env.masks.argmax(axis=1)
        for seat, player in enumerate(players):
            rows = np.flatnonzero(running & (env.players == seat))
            if not len(rows):
                continue
            player.decide(env, rows, actions)
            held = env.observations[rows, hand] > 0
            # Nobody draws before the end of the own first turn.
            first = ~decided[rows, seat]
            done.opening[rows[first], seat] = held[first]
            decided[rows, seat] = True
            done.drawn[rows, seat] |= held
            plays = rows[actions[rows] < cards]
            done.played[plays, seat, actions[plays]] = True
        env.step(actions)
        ended = running & (env.terminated | env.truncated)
        done.scores[ended] = (1 + env.rewards[ended]) / 2
        done.lengths[ended] = env.lengths[ended]
        done.truncated[ended] = env.truncated[ended]
        done.drawn[ended] |= env.final_observations[ended][:, :, hand] > 0
        running &= ~ended
    return done


def _match(agent: str, halves: Sequence[_Games]) -> Match:
    """The results of both halves; the games with the same seed are a pair, and one value."""
    straight, exchanged = halves
    first_deck = (straight.scores[:, 0] + exchanged.scores[:, 1]) / 2
    first_seat = (straight.scores[:, 0] + exchanged.scores[:, 0]) / 2
    return Match(
        agent,
        estimate(first_deck, 0, 1),
        estimate(first_seat, 0, 1),
        int(sum(half.truncated.sum() for half in halves)),
        float(np.mean([half.lengths.mean() for half in halves])),
    )


def _card_uses(
    game: DelightsAndDragons, agent: str, deck: str, sides: Sequence[tuple[_Games, int]]
) -> list[CardUse]:
    """The cards of one deck; ``sides`` are the games in which it was played, each with its seat."""

    def together(name: str) -> np.ndarray:
        return np.concatenate([getattr(games, name)[:, seat] for games, seat in sides])

    opening, drawn, played, won = (
        together(name) for name in ("opening", "drawn", "played", "scores")
    )
    uses = []
    for number, card in enumerate(game.cards):
        if card.name not in game.card_set.decks[deck]:
            continue
        had, start = drawn[:, number], opening[:, number]
        share = float(played[:, number].sum() / max(1, had.sum()))
        swing = float(won[start].mean() - won.mean()) if start.any() else 0.0
        uses.append(CardUse(agent, deck, card.name, int(had.sum()), share, swing))
    return uses


def to_json(balances: Sequence[Balance]) -> str:
    """Balances as JSON, with the version of Duelgym that measured them."""
    data = {
        "duelgym": version("duelgym"),
        "balances": [{**asdict(one), "faults": one.faults} for one in balances],
    }
    return json.dumps(data, indent=2) + "\n"


def tables(balance: Balance) -> list[Table]:
    """Two tables for the terminal: the matches, and the cards."""
    from rich import box
    from rich.table import Table

    first, second = balance.decks
    matches = Table(
        title=f"{first} against {second}, {balance.games:,} games each, seed {balance.seed}",
        box=box.SIMPLE_HEAD,
        title_justify="left",
    )
    matches.add_column("played by")
    for heading in (f"{first} won", "first player won", "cut off", "decisions"):
        matches.add_column(heading, justify="right")
    for match in balance.matches:
        shares = [
            f"{share.mean:.3f} ± {(share.high - share.low) / 2:.3f}"
            for share in (match.score, match.first_player)
        ]
        matches.add_row(match.agent, *shares, str(match.truncations), f"{match.mean_length:.1f}")
    cards = Table(
        title="How often a drawn card is played, then how many\n"
        "percentage points above average who starts with it wins",
        box=box.SIMPLE_HEAD,
        title_justify="left",
    )
    for heading in ("deck", "card"):
        cards.add_column(heading)
    names = [match.agent for match in balance.matches]
    for name in names:
        cards.add_column(name, justify="right")
    found = {(use.deck, use.card, use.agent): use for use in balance.cards}
    for deck, card in dict.fromkeys((use.deck, use.card) for use in balance.cards):
        uses = [found[deck, card, name] for name in names]
        cards.add_row(deck, card, *(f"{use.played:.0%} {100 * use.swing:+5.1f}" for use in uses))
    return [matches, cards]
