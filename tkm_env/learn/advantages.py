"""Advantages in self-play in which each of two players may take several steps in a row."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tkm_env.foundations.checks import as_array, checked_number
from tkm_env.foundations.errors import ArrayError


def zero_sum_gae(
    rewards: ArrayLike,
    values: ArrayLike,
    done: ArrayLike,
    to_act: ArrayLike,
    *,
    gamma: float = 1.0,
    lam: float = 0.95,
    final_values: ArrayLike | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Generalised advantage estimates for zero-sum self-play, over T steps of n games.

    Each step is seen by the player who took it. Where the player to act changes from one step to
    the next, the sign of what follows flips; within a turn of several steps it does not:

        delta[t] = r[t] + gamma s[t] v[t+1] - v[t]
        A[t] = delta[t] + gamma lam s[t] A[t+1]
        s[t] = 1 if to_act[t+1] is to_act[t], else -1

    with nothing after a step that ended its game. For a single player it is the estimator of
    Schulman, Moritz, Levine, Jordan and Abbeel, "High-Dimensional Continuous Control Using
    Generalized Advantage Estimation" (2016), equations 11 to 16.

    With ``AutoresetMode.NEXT_STEP``, exclude from the loss the rows after ``done``, in which games
    are reset: they hold no player's step, and do not affect other rows.

    Args:
        rewards: of shape (T, n): the reward of each step for the player who took it, as
            environments with ``opponent="self"`` return it.
        values: of shape (T + 1, n): the value of each position for the player to act; the last row
            is after the last step.
        done: bool of shape (T, n): whether the step ended the game, for whatever reason.
        to_act: integers of shape (T + 1, n): the player to act in each position,
            ``info["to_act"]``.
        gamma: the discount per step, 0 to 1.
        lam: how far estimates look ahead, from 0 (one step) to 1 (to the end).
        final_values: of shape (T, n): where a step truncated a game, the value of the final
            position for the player who took the step; 0 where the game was decided. Other elements
            are ignored. None for 0 everywhere.

    Returns:
        The advantages and the returns (the advantages plus the values), float64 of shape (T, n),
        each for the player who took the step.

    Raises:
        ArrayError: if an array has the wrong shape, or holds anything but finite numbers.
        ConfigError: if ``gamma`` or ``lam`` is not a number from 0 to 1.

    >>> # One game: white takes two steps, then black takes one and wins.
    >>> rewards, values, done = [[0], [0], [1]], [[0.0]] * 4, [[False], [False], [True]]
    >>> advantages, returns = zero_sum_gae(rewards, values, done, [[0], [0], [1], [0]], lam=1.0)
    >>> returns.ravel().tolist()
    [-1.0, -1.0, 1.0]
    """
    gamma, lam = (
        checked_number(name, given, 0, 1, from_low=True)
        for name, given in (("gamma", gamma), ("lam", lam))
    )
    earned = _numbers("rewards", rewards)
    if earned.ndim != 2:
        raise ArrayError("rewards", f"shape {earned.shape}", "an array of shape (steps, games)")
    steps, games = earned.shape
    worth = _numbers("values", values, (steps + 1, games))
    players = _numbers("to_act", to_act, (steps + 1, games))
    ended = as_array(done)
    if ended.shape != earned.shape or ended.dtype != np.bool_:
        raise ArrayError(
            "done", f"shape {ended.shape} and dtype {ended.dtype}", f"bool of shape {earned.shape}"
        )
    final = (
        np.zeros_like(earned)
        if final_values is None
        else _numbers("final_values", final_values, earned.shape)
    )
    signs = np.where(players[1:] == players[:-1], 1.0, -1.0)
    differences = earned + gamma * np.where(ended, final, signs * worth[1:]) - worth[:-1]
    carried = np.where(ended, 0.0, gamma * lam * signs)
    advantages = np.empty_like(earned)
    following = np.zeros(games)
    for step in reversed(range(steps)):
        following = differences[step] + carried[step] * following
        advantages[step] = following
    return advantages, advantages + worth[:-1]


def _numbers(name: str, given: object, shape: tuple[int, ...] | None = None) -> NDArray[np.float64]:
    """Convert an array to float64.

    Raises:
        ArrayError: if it is not of finite numbers, or has another shape.
    """
    array = as_array(given)
    wanted = "finite numbers" if shape is None else f"finite numbers of shape {shape}"
    if array.dtype.kind not in "iuf" or (shape is not None and array.shape != shape):
        raise ArrayError(name, f"shape {array.shape} and dtype {array.dtype}", wanted)
    if not np.isfinite(array).all():
        raise ArrayError(name, "numbers that are not finite", wanted)
    return array.astype(np.float64)
