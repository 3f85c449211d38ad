"""Compiled loops over state records, each written once and compiled per game.

They run serially over the rows ``low <= row < high`` of a batch and release the interpreter
lock; ``threads.py`` runs them on slices. Arrays named ``scratch`` are one thread's own.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .compilation import borrowed, kernel
from .dispatch import apply, chance, legal, observe, resample, returns, seen, setup
from .randomness import pick_legal, pick_weighted, random_word
from .records import CHANCE, TERMINAL, TRUNCATED

NO_ERROR = -1


@njit(cache=True)
def draw_chance(state, weights):
    """The outcome of the present chance node that the state's own seed gives."""
    weights[:] = 0
    total = chance(state, weights)
    source = int(state.source)
    word = random_word(state.seed, source, state.draws[source])
    return pick_weighted(weights, total, word)


@njit(cache=True)
def take_chance(state, outcome):
    """Let an outcome happen and count the draw from its source."""
    source = int(state.source)
    state.draws[source] += 1
    apply(state, outcome)


@njit(cache=True)
def advance(state, weights):
    """Let chance happen until somebody has to decide or the game is over."""
    while state.player == CHANCE:
        take_chance(state, draw_chance(state, weights))


@njit(cache=True)
def begin(states, row, template, seed, weights):
    """Start a new game in a row of ``states`` and advance it to its first decision."""
    states[row] = template[0]
    state = states[row]
    state.seed = seed
    setup(state)
    advance(state, weights)


@njit(cache=True)
def fill_mask(state, mask):
    """Write the legal actions of the player to move and count them."""
    mask[:] = 0
    if state.player >= 0:
        legal(state, mask)
    count = 0
    for action in range(mask.shape[0]):
        count += mask[action]
    return count


@njit(cache=True)
def play_forced(state, mask, weights):
    """Play every decision that has a single legal action; leaves the mask of the next real one."""
    while fill_mask(state, mask) == 1:
        apply(state, pick_legal(mask, np.uint64(0)))
        advance(state, weights)


@njit(cache=True)
def view(state, observation, mask):
    """Write what the seat to move knows and may do."""
    fill_mask(state, mask)
    observation[:] = 0
    observe(state, np.int64(state.player), observation)


@kernel
def play_random(states, template, seeds, steps, finished, scratch_mask, scratch_weights, low, high):
    """Play ``steps`` uniformly random decisions in every row, starting over where a game ends.

    Game ``e`` of a row has the seed ``random_word(seeds[row], 1, e)``, and the moves come from
    stream 0. ``finished`` int64 ``[rows]`` counts the games that each row has finished.
    """
    states, template = borrowed(states), borrowed(template)
    scratch_mask, scratch_weights = borrowed(scratch_mask), borrowed(scratch_weights)
    for row in range(low, high):
        state = states[row]
        begin(states, row, template, random_word(seeds[row], 1, 0), scratch_weights)
        for step in range(steps):
            fill_mask(state, scratch_mask)
            apply(state, pick_legal(scratch_mask, random_word(seeds[row], 0, step)))
            advance(state, scratch_weights)
            if state.player < 0:
                finished[row] += 1
                seed = random_word(seeds[row], 1, finished[row])
                begin(states, row, template, seed, scratch_weights)


@kernel
def begin_rows(
    states,
    template,
    seeds,
    episodes,
    skip_forced,
    observations,
    masks,
    players,
    scratch_weights,
    rows,
    low,
    high,
):
    """Begin game ``episodes[row]`` of some rows and write the view of its first decision.

    It is played from ``random_word(seeds[row], 1, episodes[row])``. Here and below ``rows`` int64
    lists the rows that are meant, those from ``low`` to ``high`` of the list.
    """
    states, template = borrowed(states), borrowed(template)
    observations, masks = borrowed(observations), borrowed(masks)
    scratch_weights = borrowed(scratch_weights)
    for index in range(low, high):
        row = rows[index]
        seed = random_word(seeds[row], 1, episodes[row])
        begin(states, row, template, seed, scratch_weights)
        if skip_forced:
            play_forced(states[row], masks[row], scratch_weights)
        players[row] = states[row].player
        view(states[row], observations[row], masks[row])


@kernel
def view_rows(states, observations, masks, players, low, high):
    """Write the view of the decision that is due in every row."""
    observations, masks = borrowed(observations), borrowed(masks)
    for row in range(low, high):
        players[row] = states[row].player
        view(states[row], observations[row], masks[row])


@kernel
def first_illegal_row(masks, actions, rows):
    """The first of ``rows`` whose action its mask forbids, or ``NO_ERROR``."""
    for index in range(rows.shape[0]):
        row = rows[index]
        action = actions[row]
        if action < 0 or action >= masks.shape[1] or masks[row, action] == 0:
            return row
    return NO_ERROR


@kernel
def step_rows(
    states,
    template,
    actions,
    seeds,
    episodes,
    skip_forced,
    observations,
    masks,
    players,
    rewards,
    terminated,
    truncated,
    final_observations,
    lengths,
    decisions,
    scratch_weights,
    rows,
    low,
    high,
):
    """One checked action in each of ``rows``; games that end are scored and start over in the same step.

    Episode ``e`` of a row plays from ``random_word(seeds[row], 1, e)``. The arrays are those of
    ``VectorEnv``; ``decisions`` int32 ``[rows]`` counts the decisions of the running game.
    ``rewards``, ``terminated`` and ``truncated`` are zero on entry.
    """
    seats = rewards.shape[1]
    states, template = borrowed(states), borrowed(template)
    observations, masks = borrowed(observations), borrowed(masks)
    rewards, final_observations = borrowed(rewards), borrowed(final_observations)
    scratch_weights = borrowed(scratch_weights)
    for index in range(low, high):
        row = rows[index]
        state = states[row]
        apply(state, actions[row])
        advance(state, scratch_weights)
        decisions[row] += 1
        if skip_forced:
            play_forced(state, masks[row], scratch_weights)
        if state.player < 0:
            terminated[row] = state.player == TERMINAL
            truncated[row] = state.player == TRUNCATED
            lengths[row] = decisions[row]
            decisions[row] = 0
            returns(state, rewards[row])
            for seat in range(seats):
                final_observations[row, seat, :] = 0
                observe(state, seat, final_observations[row, seat])
            episodes[row] += 1
            seed = random_word(seeds[row], 1, episodes[row])
            begin(states, row, template, seed, scratch_weights)
            if skip_forced:
                play_forced(state, masks[row], scratch_weights)
        players[row] = state.player
        view(state, observations[row], masks[row])


@kernel
def step_one(states, action, automatic, mask, transitions, scratch_weights):
    """Apply a move or chance outcome to ``states[0]``, then, if ``automatic``, the chance that follows.

    ``mask`` int8 ``[actions]`` gets the legal actions of the next player (zeros at chance and at
    the end). ``transitions`` int64 ``[limit, 1 + seats]`` gets each action or outcome applied and
    what each seat saw of it.

    Returns:
        How many transitions there were.
    """
    state = states[0]
    count = 0
    while count < transitions.shape[0]:
        transitions[count, 0] = action
        for seat in range(transitions.shape[1] - 1):
            transitions[count, 1 + seat] = seen(state, action, seat)
        count += 1
        if state.player == CHANCE:
            take_chance(state, action)
        else:
            apply(state, action)
        if state.player != CHANCE or not automatic:
            break
        action = draw_chance(state, scratch_weights)
    fill_mask(state, mask)
    return count


@kernel
def setup_one(states):
    """Start the game in ``states[0]``, which holds its parameters and seed, without any chance yet."""
    setup(states[0])


@kernel
def begin_one(states, template, seed, mask, weights):
    """Start a new game in ``states[0]`` and advance it to its first decision; writes its mask."""
    begin(states, 0, template, seed, weights)
    fill_mask(states[0], mask)


@kernel
def move_one(states, action, mask, weights):
    """Make a move in ``states[0]`` and advance to the next decision; writes its mask."""
    apply(states[0], action)
    advance(states[0], weights)
    fill_mask(states[0], mask)


@kernel
def chance_one(states, weights):
    """The integer weights of the outcomes at the chance node ``states[0]``; returns their sum."""
    weights[:] = 0
    return chance(states[0], weights)


@kernel
def draw_one(states, weights):
    """The outcome that ``states[0]``'s own seed gives at its chance node."""
    return draw_chance(states[0], weights)


@kernel
def mask_one(states, mask):
    """The legal actions of the player to move in ``states[0]``; returns their number."""
    return fill_mask(states[0], mask)


@kernel
def observe_one(states, seat, out):
    """What a seat knows in ``states[0]``."""
    out[:] = 0
    observe(states[0], seat, out)


@kernel
def returns_one(states, out):
    """The payoffs of the finished game ``states[0]``."""
    out[:] = 0
    returns(states[0], out)


@kernel
def resample_one(states, seat, seed):
    """Redraw in ``states[0]`` everything that a seat does not know."""
    resample(states[0], seat, seed)
