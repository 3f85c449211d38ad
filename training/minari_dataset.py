"""Recorded games as a data set of Minari, for offline learning.

Minari holds episodes of a single agent. So every seat of every game becomes one episode: what that seat
saw when it had to decide, with its action mask, what it did, and its return as the reward of its
last decision. What others did in between shows in the next observation, as in ``gymnasium``
environments with the opponents inside. What only others saw is not in an episode.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..envs.core.errors import OptionError
from ..envs.core.game import Game
from ..envs.core.game_records import GameRecord, moves_of

if TYPE_CHECKING:
    from minari import MinariDataset


def create_dataset(
    dataset_id: str, game: Game, records: Iterable[GameRecord], **about: Any
) -> MinariDataset:
    """Store recorded games as the data set ``dataset_id``, in the folder ``MINARI_DATASETS_PATH``.

    Observations are dictionaries as in the AEC environment, one more than there are actions: the last
    one is what the seat knows at the end, with an empty mask. Each episode has the seed of its game,
    and in its options ``game``, the number of the record, ``seat`` and ``agent``. A seat that never
    had to decide has no episode.

    Args:
        dataset_id: Such as ``gem_duel/reasoner-v0``.
        game: What all the records are of.
        records: The games.
        **about: What else ``minari.create_dataset_from_buffers`` takes: ``author``, ``algorithm_name``,
            ``description``, ...

    Raises:
        OptionError: Minari is not installed, or has such a data set already.
        RecordError: A record is of another game, or the rules do not bear it out.
    """
    try:
        import h5py  # noqa: F401
        import minari
        from minari.data_collector import EpisodeBuffer
    except ModuleNotFoundError as error:
        raise OptionError(f"data sets need {error.name}: pip install 'duelgym[minari]'") from None
    env = game.env()
    agent = env.possible_agents[0]
    episodes = [
        EpisodeBuffer(**episode)
        for number, record in enumerate(records)
        for episode in _episodes(number, record, game)
    ]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="env_spec is None")
        try:
            return minari.create_dataset_from_buffers(
                dataset_id,
                episodes,
                observation_space=env.observation_space(agent),
                action_space=env.action_space(agent),
                **{"description": f"Games of {game.label}, an episode for each seat.", **about},
            )
        except ValueError as error:
            raise OptionError(str(error)) from None


def _episodes(number: int, record: GameRecord, game: Game) -> Iterator[dict[str, Any]]:
    """What each seat that had to decide went through."""
    moves = moves_of(record, game)
    state = game.start(record.seed)
    seen: list[list[np.ndarray]] = [[] for _ in record.agents]
    masks: list[list[np.ndarray]] = [[] for _ in record.agents]
    actions: list[list[int]] = [[] for _ in record.agents]
    for action in moves:
        seat = state.player
        seen[seat].append(state.observation())
        masks[seat].append(state.legal_mask())
        actions[seat].append(action)
        state.apply(action)
    for seat, agent in enumerate(record.agents):
        steps = len(actions[seat])
        if not steps:
            continue
        last = np.arange(steps) == steps - 1
        yield {
            "seed": record.seed,
            "options": {"game": number, "seat": seat, "agent": agent or ""},
            "observations": {
                "observation": np.array([*seen[seat], state.observation(seat)]),
                "action_mask": np.array([*masks[seat], np.zeros(game.num_actions, np.int8)]),
            },
            "actions": np.array(actions[seat]),
            "rewards": last * record.returns[seat],
            "terminations": last & (not record.truncated),
            "truncations": last & record.truncated,
        }
