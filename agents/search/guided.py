"""Search that a trained network guides: everybody plays on by its policy, its values end that.

In worlds that its seat may be in, every action is tried, and all seats go on by the policy until the
game is over or the seat has decided a few times more; there the value stands for the rest. This
is policy improvement by truncated rollouts (Tesauro and Galperin, "On-line policy improvement using
Monte-Carlo search", 1996). The means are noisy, so they are weighed against the policy itself: the
best action is the likeliest of the policy that gains most for how far it is from the network's
(Grill et al., "Monte-Carlo tree search as regularized policy optimization", 2020).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import torch

from ...envs.core import threads
from ...envs.core.compilation import borrowed, kernel
from ...envs.core.dispatch import apply, resample, retract, returns
from ...envs.core.errors import OptionError
from ...envs.core.game import Game
from ...envs.core.loops import advance, play_forced, view
from ...envs.core.randomness import random_word
from ..neural import PolicyValueNet, single_threaded_torch
from ..parameters import Parameter, amount, count, read
from .agent import PositionAgent
from .playing import ROLLOUTS, WORLDS

CHUNK = 2048
"""Games that the network is asked about at once, or a few more: all that one decision takes."""
MOST_WORLDS = 4096
"""All of them are in memory at once, with a copy for every action."""


def _worlds(text: str) -> int:
    """A number of worlds; raises ``ValueError``."""
    value = count(text)
    if value > MOST_WORLDS:
        raise ValueError
    return value


class GuidedAgent(PositionAgent):
    """Plays what does best when everybody goes on by the policy of its network.

    It is given states, and looks at them through ``resample`` alone. The same seed gives the same
    moves on any number of threads, as far as the arithmetic of the network goes.
    """

    PARAMETERS: ClassVar[Mapping[str, Parameter]] = {
        "worlds": Parameter(16, _worlds, f"a whole number from 1 to {MOST_WORLDS:,}"),
        "depth": Parameter(4, count, "a whole number of at least 1"),
        "temperature": Parameter(0.03, amount, "a number of at least 0"),
    }
    """``worlds``: in how many of them every legal action is tried. ``depth``: at which of its seat's
    decisions after this one the value stands for the rest; forced moves are none. ``temperature``:
    how much better, in units of the returns, an action has to be for each factor of e that the policy
    has it less likely; with 0 the policy does not count."""

    def __init__(self, net: PolicyValueNet, game: Game, name: str, **parameters: object) -> None:
        """An agent that plays ``game`` with ``net`` and other values of its ``PARAMETERS``.

        Raises:
            OptionError: There is no such parameter, or it cannot have this value.
        """
        values = read(name, self.PARAMETERS, parameters)
        self.net = net.eval()
        self.game = game
        self.name = f"{name}:{','.join(f'{key}={value}' for key, value in parameters.items())}"
        self.worlds: int = values["worlds"]
        self.depth: int = values["depth"]
        self.temperature: float = values["temperature"]

    def check(self, game: Game) -> None:
        """Raise ``OptionError`` if the network was trained on anything but ``game``."""
        if game != self.game:
            raise OptionError(f"{self.name} was trained on {self.game.label}, not {game.label}")

    def _prepare(self, game: Game, seeds: np.ndarray) -> None:
        self._seeds, self._words = seeds.copy(), np.zeros(len(seeds), np.int64)

    def _search(
        self, states: np.ndarray, rows: np.ndarray, actions: np.ndarray, num_threads: int | None
    ) -> None:
        observations, masks = self._room(len(rows))
        view_some(states, rows, observations, masks)
        actions[rows] = masks.argmax(1)
        # What a row is searched with must not depend on the number of threads.
        options = masks.sum(1, dtype=np.int64)
        open_rows = np.flatnonzero(options > 1)
        parts = np.cumsum(options[open_rows] * self.worlds) // CHUNK
        split = np.split(open_rows, np.flatnonzero(np.diff(parts)) + 1)
        chunks = [some for some in split if len(some)]

        def search(_: int, low: int, high: int) -> None:
            for some in chunks[low:high]:
                found = self._best(states, rows[some], observations[some], masks[some])
                actions[rows[some]] = found

        with single_threaded_torch():
            slices = max(1, min(num_threads or threads.num_cores(), len(chunks)))
            threads.run(search, len(chunks), slices)
        self._words[rows] += 1

    def _best(
        self, states: np.ndarray, rows: np.ndarray, observations: np.ndarray, masks: np.ndarray
    ) -> np.ndarray:
        """The best actions in ``rows``, int64 ``[m]``, whose decisions look as given."""
        worlds = np.zeros(len(rows) * self.worlds, self.game.record)
        seats = np.zeros(len(worlds), np.int64)
        seeds = np.zeros(len(worlds), np.uint64)
        draw_worlds(states, rows, self._seeds, self._words, worlds, seats, seeds)
        self._play_on(worlds, seats, seeds, None)
        # Every action meets the same worlds and the same luck.
        origins, tried = np.repeat(masks, self.worlds, axis=0).nonzero()
        branches = np.zeros(len(origins), self.game.record)
        copy_rows(worlds, origins, branches)
        found = self._play_on(branches, seats[origins], seeds[origins], tried)
        means = np.zeros(masks.shape)
        np.add.at(means, (origins // self.worlds, tried), found / self.worlds)
        if self.temperature:
            logs, _ = self._think(observations, masks)
            means = logs + means / self.temperature
        return np.where(masks, means, -np.inf).argmax(1)

    def _play_on(
        self,
        states: np.ndarray,
        seats: np.ndarray,
        seeds: np.ndarray,
        actions: np.ndarray | None,
    ) -> np.ndarray:
        """Play games on by the policy, from ``actions`` on until ``depth`` is reached.

        Args:
            states: Records ``[n]``, which are changed.
            seats: int64 ``[n]``, for whom.
            seeds: uint64 ``[n]``, what the policy's choices are drawn from.
            actions: int64 ``[n]``; None only lets rivals choose what they choose before the seat.

        Returns:
            What the seats get or may expect at the end, float32 ``[n]``.
        """
        found = np.zeros(len(states), np.float32)
        left = np.full(len(states), 1 if actions is None else self.depth)
        observations, masks = self._room(len(states))
        weights = np.zeros(self.game.facts.num_chance_outcomes, np.int32)
        payoffs = np.zeros(self.game.num_players, np.float32)
        going = np.arange(len(states))
        stream = int(actions is None)
        if actions is None:
            going = np.flatnonzero(states["player"] != seats)
            view_some(states, going, observations, masks)
        step = 0
        while len(going):
            if actions is not None:
                count = move_on(
                    states, going, actions, seats, found, observations, masks, weights, payoffs
                )
                going = going[:count]
            logs, values = self._think(observations[: len(going)], masks[: len(going)])
            actions = np.zeros(len(going), np.int64)
            count = choose_on(
                states, going, seats, left, seeds, stream, step, logs, values, masks, found, actions
            )
            going, actions = going[:count], actions[:count]
            step += 1
        return found

    def _room(self, rows: int) -> tuple[np.ndarray, np.ndarray]:
        """Observations and masks of so many decisions, to be written."""
        game = self.game
        return (
            np.zeros((rows, game.observation_size), np.float32),
            np.zeros((rows, game.num_actions), np.int8),
        )

    def _think(self, observations: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Log-probabilities ``[m, num_actions]`` and values ``[m]`` of decisions."""
        with torch.inference_mode():
            logs, values = self.net(torch.from_numpy(observations), torch.from_numpy(masks))
        return logs.numpy(), values.numpy()


@kernel
def view_some(states, rows, observations, masks):
    """Write the views of the decisions that are due in ``rows``: arrays ``[m, ...]``."""
    observations, masks = borrowed(observations), borrowed(masks)
    for index in range(rows.shape[0]):
        view(states[rows[index]], observations[index], masks[index])


@kernel
def copy_rows(states, rows, copies):
    """``copies[:] = states[rows]``, which NumPy does field by field."""
    for index in range(rows.shape[0]):
        copies[index] = states[rows[index]]


@kernel
def draw_worlds(states, rows, seeds, words, worlds, seats, luck):
    """Lay out equally many worlds of each of ``rows``, one row after the other.

    What a rival has chosen at the same time is undecided again. ``seats`` int64 and ``luck`` uint64
    ``[worlds]`` get who is to decide and a seed for what is chosen in the world.
    """
    each = worlds.shape[0] // rows.shape[0]
    for index in range(worlds.shape[0]):
        row, number = rows[index // each], index % each
        seed = random_word(seeds[row], 3, words[row])
        seats[index] = states[row].player
        luck[index] = random_word(seed, ROLLOUTS, number)
        worlds[index] = states[row]
        resample(worlds[index], seats[index], random_word(seed, WORLDS, number))
        retract(worlds[index], seats[index])


@kernel
def move_on(states, going, actions, seats, found, observations, masks, weights, payoffs):
    """Make ``actions`` int64 ``[m]`` in the games ``going`` int64 ``[m]``, and what is forced after them.

    Of those that are over, ``found`` gets the return of their seat. The others move to the front of
    ``going``, and so do their views.

    Returns:
        How many go on.
    """
    observations, masks = borrowed(observations), borrowed(masks)
    kept = 0
    for index in range(going.shape[0]):
        row = going[index]
        state = states[row]
        apply(state, actions[index])
        advance(state, weights)
        play_forced(state, masks[kept], weights)
        if state.player < 0:
            payoffs[:] = 0
            returns(state, payoffs)
            found[row] = payoffs[seats[row]]
        else:
            view(state, observations[kept], masks[kept])
            going[kept] = row
            kept += 1
    return kept


@kernel
def choose_on(states, going, seats, left, seeds, stream, step, logs, values, masks, found, actions):
    """Count the decisions of each game's seat and sample ``actions`` where the play goes on.

    Where none is ``left``, ``found`` gets the value. The other games move to the front of ``going``.

    Returns:
        How many go on.
    """
    kept = 0
    for index in range(going.shape[0]):
        row = going[index]
        if states[row].player == seats[row]:
            left[row] -= 1
            if left[row] == 0:
                found[row] = values[index]
                continue
        chance = (random_word(seeds[row], stream, step) >> np.uint64(40)) / 2**24
        for action in range(masks.shape[1]):
            if masks[index, action]:
                # The last legal action also takes what rounding leaves over.
                actions[kept] = action
                chance -= np.exp(logs[index, action])
                if chance < 0:
                    break
        going[kept] = row
        kept += 1
    return kept
