"""Information-set Monte Carlo tree search.

After Cowling, Powley and Whitehouse, "Information set Monte Carlo tree search" (2012): each
iteration draws a world that the seat to move may be in, goes down a tree of decisions by upper
confidence bounds that count how often an action was available, adds a decision to the tree, plays
the world out and learns from its returns.

A decision in the tree is what its own mover has seen since the root, so nobody answers what is
hidden from it: a rival's choice that is made at the same time, but played later, is learnt once
for all of ours. (The paper calls this the variant with multiple observers. Its single observer
lets the rivals see what we do in secret, and takes a rival's draws and choices that we do not see
for one.) What the rivals hold at the root is not told apart: a rival has one plan for all its
hands, made of those of its actions that are available. After few visits such a plan is poor play, and
an answer to poor play is poor too. So below the root the rollout policy, which sees the hand in the
world at hand, decides until a node has some visits, and the tree learns from what it does: the
threshold of Chaslot and others, "Progressive strategies for Monte-Carlo tree search" (2008).

Where rivals have already chosen what they choose at the same time as the seat to move, the search
begins with their choice, so that they choose what is good for them and not just anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log, sqrt
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numba import njit

from ...envs.core.compilation import kernel
from ...envs.core.dispatch import apply, seen
from ...envs.core.game import Game
from ...envs.core.loops import draw_chance, fill_mask, take_chance
from ...envs.core.randomness import GOLDEN, below, mix64, pick_legal, pick_weighted, random_word
from ...envs.core.records import CHANCE
from ..parameters import Parameter, amount, count, one_of
from .agent import SearchAgent
from .playing import CHOICES, FINAL, considered, lay_out, play_out

NO_NODE = UNKNOWN = -1
MAX_NODES = 50_000
"""When there are as many, the tree grows no further; the statistics do."""


class Tree(NamedTuple):
    """Statistics of every action at every decision met in the search of one thread.

    A decision, or node, is found by its key, a hash of its mover and what it has seen since the
    root; so no node knows its children.
    """

    keys: np.ndarray  # uint64 [slots], 0 where free
    nodes: np.ndarray  # int32 [slots], the node with this key
    size: np.ndarray  # int64 [1], nodes in use
    visits: np.ndarray  # int32 [nodes, actions]
    available: np.ndarray  # int32 [nodes, actions], visits of the node with this action legal
    totals: np.ndarray  # float64 [nodes, actions], of the mover's returns
    views: np.ndarray  # uint64 [seats], a hash of what each seat has seen since the root
    root: np.ndarray  # int64 [1], the node of the decision that is searched
    path: np.ndarray  # int64 [decisions, 3]: node, action, mover
    bounds: np.ndarray  # float64 [2], least and greatest return met


@kernel
def ismcts_rows(
    states,
    rows,
    seeds,
    words,
    table,
    tree,
    exploration,
    threshold,
    mixed,
    first,
    last,
    actions,
    low,
    high,
):
    """Iterations ``first`` to ``last - 1`` in every row, and the action found so far.

    Returns:
        Whether there was more than one legal action in the last row.
    """
    count = 0
    for index in range(low, high):
        row = rows[index]
        seat = np.int64(states[row].player)
        seed = random_word(seeds[row], 3, words[row])
        count = fill_mask(states[row], table.mask)
        if count == 1:
            actions[row] = pick_legal(table.mask, np.uint64(0))
            continue
        if first == 0:
            clear(tree)
        for iteration in range(first, last):
            lay_out(table, states[row], seat, seed, iteration)
            word = random_word(seed, CHOICES, iteration)
            depth = descend(tree, table, seat, exploration, threshold, word)
            play_out(table)
            learn(tree, table.returns, depth)
        visits = tree.visits[tree.root[0]]
        if mixed:
            actions[row] = pick_weighted(visits, visits.sum(), random_word(seed, FINAL, 0))
        else:
            actions[row] = visits.argmax()
    return count > 1


@njit(cache=True)
def clear(tree):
    """Forget everything."""
    tree.keys[:] = 0
    tree.size[0] = 0
    tree.bounds[0] = np.inf
    tree.bounds[1] = -np.inf


@njit  # without a cache of its own, which would not notice an edit of ``playing``
def descend(tree, table, seat, exploration, threshold, seed):
    """Go down the tree and one step beyond it; returns the number of decisions on the way.

    Except at the root the rollout agent decides at nodes of fewer visits than ``threshold``. Rivals
    that choose at the same time as ``seat`` come before the root, which is on every way.
    """
    state = table.world[0]
    for viewer in range(tree.views.shape[0]):
        tree.views[viewer] = 1 + viewer
    depth, reached = 0, False
    while state.player >= 0:
        count = fill_mask(state, table.mask)
        if count == 1:
            move(tree, table, pick_legal(table.mask, np.uint64(0)))
            continue
        node = find(tree, tree.views[state.player])
        if node == NO_NODE:
            break
        start = below(random_word(seed, 0, depth), table.mask.shape[0])
        least = threshold
        if state.player == seat and not reached:
            tree.root[0] = node
            reached, least = True, 1
        action = most_promising(tree, node, table.mask, exploration, least, start)
        if action == UNKNOWN:
            action = considered(table, count)
        is_leaf = tree.visits[node, action] == 0
        tree.path[depth, 0] = node
        tree.path[depth, 1] = action
        tree.path[depth, 2] = state.player
        depth += 1
        move(tree, table, action)
        if is_leaf and reached:
            break
    return depth


@njit(cache=True)
def move(tree, table, action):
    """Make a move and let chance happen, and let every seat see of it what it may."""
    state = table.world[0]
    look(tree, state, action)
    apply(state, action)
    while state.player == CHANCE:
        outcome = draw_chance(state, table.weights)
        look(tree, state, outcome)
        take_chance(state, outcome)


@njit(cache=True)
def look(tree, state, action):
    """Add what is seen of a move or an outcome to every seat's view."""
    for seat in range(tree.views.shape[0]):
        code = seen(state, action, seat)
        if code:
            tree.views[seat] = mix64(tree.views[seat] + np.uint64(code) * GOLDEN)


@njit(cache=True)
def find(tree, key):
    """The node with a key, a new one if there is none; ``NO_NODE`` if the tree is full."""
    last = np.uint64(tree.keys.shape[0] - 1)
    slot = key & last
    while tree.keys[slot] != 0:
        if tree.keys[slot] == key:
            return np.int64(tree.nodes[slot])
        slot = (slot + np.uint64(1)) & last
    node = tree.size[0]
    if node == tree.visits.shape[0]:
        return NO_NODE
    tree.size[0] += 1
    tree.keys[slot] = key
    tree.nodes[slot] = node
    tree.visits[node] = 0
    tree.available[node] = 0
    tree.totals[node] = 0
    return node


@njit(cache=True)
def most_promising(tree, node, mask, exploration, least, start):
    """Count the legal actions as available; the one of the highest upper confidence bound.

    Means are scaled to lie between 0 and 1 by the least and the greatest return met so far. An
    action that was never tried counts as one tried once, with the mean of the others. Of equally
    promising ones it is the first from ``start`` on. ``UNKNOWN`` until all together were tried
    ``least`` times.
    """
    low, high = tree.bounds
    scale = 1 / (high - low) if high > low else 0.0
    visits, total = 0, 0.0
    for action in range(mask.shape[0]):
        if mask[action]:
            tree.available[node, action] += 1
            visits += tree.visits[node, action]
            total += tree.totals[node, action]
    if visits < least:
        return UNKNOWN
    best, best_bound = UNKNOWN, -np.inf
    for number in range(mask.shape[0]):
        action = (start + number) % mask.shape[0]
        if mask[action]:
            tries, value = tree.visits[node, action], total / visits
            if tries:
                value = tree.totals[node, action] / tries
            bound = (value - low) * scale
            bound += exploration * sqrt(log(tree.available[node, action]) / max(1, tries))
            if bound > best_bound:
                best, best_bound = action, bound
    return best


@njit(cache=True)
def learn(tree, returns, depth):
    """Count a playout for all that was decided on the way to it; each mover goes by its own return."""
    for seat in range(returns.shape[0]):
        tree.bounds[0] = min(tree.bounds[0], returns[seat])
        tree.bounds[1] = max(tree.bounds[1], returns[seat])
    for step in range(depth):
        node, action, mover = tree.path[step]
        tree.visits[node, action] += 1
        tree.totals[node, action] += returns[mover]


class InformationSetMCTS(SearchAgent):
    """Searches a tree of what every player may see and do, in worlds that the seat may be in.

    Its weakness: it takes the rivals to know no more of the worlds it imagines than their own
    actions tell, and to hold any cards with equal chance that its seat cannot exclude.
    """

    name = "ismcts"
    PARAMETERS: ClassVar[Mapping[str, Parameter]] = {
        **SearchAgent.PARAMETERS,
        "exploration": Parameter(0.7, amount, "a number of at least 0"),
        "threshold": Parameter(500, count, "a whole number of at least 1"),
        "final": Parameter(
            "most_visited", one_of("most_visited", "mixed"), "most_visited or mixed"
        ),
    }

    def _make_scratch(self, game: Game) -> tuple[Any, ...]:
        iterations = self.parameters["iterations"] or MAX_NODES
        nodes = min(iterations + game.num_players - 1, MAX_NODES)
        return self._make_table(game), make_tree(game, nodes)

    def _grow(
        self,
        states: np.ndarray,
        rows: np.ndarray,
        actions: np.ndarray,
        scratch: tuple[Any, ...],
        iterations: tuple[int, int],
        part: tuple[int, int],
    ) -> bool:
        return ismcts_rows(
            states,
            rows,
            self._seeds,
            self._words,
            *scratch,
            self.parameters["exploration"],
            self.parameters["threshold"],
            self.parameters["final"] == "mixed",
            *iterations,
            actions,
            *part,
        )


def make_tree(game: Game, nodes: int) -> Tree:
    """Room for a tree of ``nodes`` decisions; memory is used as far as it grows."""
    slots = 1 << (2 * nodes).bit_length()
    shape = nodes, game.num_actions
    return Tree(
        keys=np.zeros(slots, np.uint64),
        nodes=np.zeros(slots, np.int32),
        size=np.zeros(1, np.int64),
        visits=np.zeros(shape, np.int32),
        available=np.zeros(shape, np.int32),
        totals=np.zeros(shape),
        views=np.zeros(game.num_players, np.uint64),
        root=np.zeros(1, np.int64),
        path=np.zeros((game.facts.max_decisions + 1, 3), np.int64),
        bounds=np.zeros(2),
    )
