"""The oracle of Dragon Deck: an equilibrium, of the whole game where that is small enough."""

from __future__ import annotations

import numpy as np

from ...envs.core.compilation import borrowed, kernel
from ...envs.core.errors import OptionError
from ...envs.core.game import Game
from ...envs.dragon_deck import rules
from ...envs.dragon_deck.game import DragonDeck
from ..sampling import SamplingAgent
from .battle import BattleSolution, solve_from
from .drafting import recruit
from .duel import is_small, solve_duel

REMEMBERED = 2
"""Solved battle phases that are kept; a full-size one takes 0.3 GB."""


class OracleAgent(SamplingAgent):
    """Plays an equilibrium: nobody can be expected to win against it.

    With ``values_per_type`` 2 or 4 that holds for the whole game, which is solved in a moment. With
    more, it holds for the battles: each battle phase is solved when its first card is due, for full
    size in about 18 seconds of one core and 0.4 GB, so it plays a few games and not thousands (a
    game costs about 25 seconds of one core in large batches, where it is solved again before each
    battle). The draft is then an estimate: it keeps a card that is worth more than what can be
    expected after refusing it, judged by random battles, like ``greedy`` and ``matrix``.
    """

    name = "oracle"

    def __init__(self) -> None:
        """An oracle that has solved nothing yet."""
        self._solutions: list[BattleSolution] = []

    def check(self, game: Game) -> None:
        """Raise ``OptionError`` for other games."""
        if not isinstance(game, DragonDeck):
            raise OptionError(f"this oracle plays dragon_deck, not {game.name}")

    def _prepare(self, game: Game, seeds: np.ndarray) -> None:
        super()._prepare(game, seeds)
        assert isinstance(game, DragonDeck)
        self._game = game

    def remember(self, solution: BattleSolution) -> None:
        """Use a solution for the battles that it covers, and forget the oldest one."""
        self._solutions[REMEMBERED - 1 :] = []
        self._solutions.insert(0, solution)

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """See ``SamplingAgent``."""
        policy = np.zeros(masks.shape)
        drafting = masks[:, rules.KEEP] == 1
        draft, battle = np.flatnonzero(drafting), np.flatnonzero(~drafting)
        if is_small(self._game):
            policy[draft] = self._recruit(observations[draft])
        else:
            estimate_rows(self._game.template, observations, draft, policy)
        policy[battle] = self._fight(observations[battle])
        return policy

    def _recruit(self, observations: np.ndarray) -> np.ndarray:
        """What is best in the draft of a small deck."""
        drafts, cards = solve_duel(self._game).drafts, self._game.num_cards
        digits = 3 ** np.arange(cards)
        own, rival, turned_up = (
            (observations[:, section * cards : (section + 1) * cards] > 0) @ digits
            for section in (0, 1, 3)
        )
        at = 5 * cards + 4
        finished = observations[:, at : at + self._game.options.values_per_type].sum(1)
        # The observer recruits, so it is the active seat: seat 1 in rounds 1, 3, ...
        seat = finished.astype(np.int64) % 2
        code = (1 + seat) * own + (2 - seat) * rival
        keep = drafts[code + (1 + seat) * turned_up]
        refuse = drafts[code + (2 - seat) * turned_up]
        policy = np.zeros((len(observations), self._game.num_actions))
        better = np.where(seat == 0, keep >= refuse, keep <= refuse)
        policy[np.arange(len(policy)), np.where(better, rules.KEEP, rules.REFUSE)] = 1
        return policy

    def _fight(self, observations: np.ndarray) -> np.ndarray:
        """The equilibrium of battles, solved where it is not known yet."""
        cards, target = self._game.num_cards, self._game.options.target
        at = 5 * cards + 4 + self._game.options.values_per_type
        own, rival = observations[:, :cards] > 0, observations[:, cards : 2 * cards] > 0
        scores = observations[:, at : at + 2 * target].reshape(-1, 2, target).sum(2)
        scores = scores.astype(np.int64)
        policy = np.zeros((len(observations), self._game.num_actions))
        waiting = np.ones(len(policy), np.bool_)

        def answer(solution: BattleSolution) -> None:
            """Who is which seat does not matter in a battle, so a solution is good for both players."""
            for seat, hands in enumerate([(own, rival), (rival, own)]):
                places = solution.table.locate(*hands, scores if seat == 0 else scores[:, ::-1])
                rows = np.flatnonzero(waiting & places.here)
                policy[rows] = solution.strategies(places.some(rows), seat)
                waiting[rows] = False

        known = [solve_duel(self._game).battles] if is_small(self._game) else self._solutions
        for solution in list(known):
            answer(solution)
        while waiting.any():
            row = int(waiting.argmax())
            hands = np.flatnonzero(own[row]), np.flatnonzero(rival[row])
            start = int(scores[row, 0]), int(scores[row, 1])
            self.remember(solve_from(self._game, hands, start))
            answer(self._solutions[0])
        return policy


@kernel
def estimate_rows(template, observations, rows, policy):
    """Recruit by ``drafting.worth`` in ``rows``: ``policy`` ``[all rows, num_actions]``, 0 on entry."""
    observations, policy = borrowed(observations), borrowed(policy)
    for row in rows:
        policy[row, recruit(template[0], observations[row])] = 1
