"""Nash averaging: how good players are against the mix of players that is hardest to beat."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tkm_env.checks import describe
from tkm_env.errors import ArrayError
from tkm_env.extras import extra

#: A smaller share, on average over extreme equilibria, is taken for none.
_LEAST: float = 1e-9


def nash_average(advantages: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mix of players that no player beats, and how each does against it.

    Balduzzi et al., "Re-evaluating Evaluation" (2018): where both sides choose a player, the choice has a symmetric equilibrium; of several
    it is the one of maximum entropy. Adding a copy of a player changes no other's share and nobody's advantage, as long as there is one
    equilibrium only, which is so but for coincidences: the copies share what the player had. Who is always beaten by some others has no
    share.

    Args:
        advantages: what the player of each row gains against that of each column, as points above one half: antisymmetric, of shape (n, n).

    Returns:
        The shares, which add up to 1, and each player's advantage over the mix, 0 for those who have a share and at most 0 for all: float64
        of shape (n,).

    Raises:
        ArrayError: if the matrix is anything else.
        MissingExtraError: without the extra ``[arena]``.

    >>> shares, skills = nash_average([[0, 0.5, -0.5, 0.4], [-0.5, 0, 0.5, 0.4], [0.5, -0.5, 0, 0.4], [-0.4, -0.4, -0.4, 0]])
    >>> shares.round(3).tolist(), (skills.round(3) + 0).tolist()
    ([0.333, 0.333, 0.333, 0.0], [0.0, 0.0, 0.0, -0.4])
    """
    with extra("arena"):
        from scipy.optimize import LinearConstraint, linprog, minimize
    gains = np.asarray(advantages, np.float64)
    if gains.ndim != 2 or gains.shape != gains.T.shape or not len(gains) or not np.allclose(gains, -gains.T):
        raise ArrayError("advantages", f"shape {gains.shape}", "an antisymmetric matrix")
    players = len(gains)
    # The shares of the equilibria: a polytope, from whose corners a point within it is made.
    slack = 1e-12 * (1 + np.abs(gains).max())
    corners = [
        linprog(-corner, A_ub=gains, b_ub=np.full(players, slack), A_eq=np.ones((1, players)), b_eq=[1]).x
        for corner in np.eye(players)
    ]
    inside = np.mean(corners, axis=0)
    has_share = inside > _LEAST
    among = gains[:, has_share]
    begin = inside[has_share] / inside[has_share].sum()
    found = minimize(
        lambda shares: float(shares @ np.log(shares)),
        begin,
        jac=lambda shares: np.log(shares) + 1,
        method="SLSQP",
        bounds=[(_LEAST / 10, 1)] * len(begin),
        constraints=[
            LinearConstraint(np.ones((1, len(begin))), 1, 1),
            LinearConstraint(among, -np.inf, slack),
        ],
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    shares = np.zeros(players)
    if not found.success:
        raise ArrayError("advantages", describe(gains), f"one that the optimisation can solve ({found.message})")
    shares[has_share] = found.x / found.x.sum()
    return shares, gains @ shares
