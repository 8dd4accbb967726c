"""Opponents for self-play: earlier copies of the learner, and fixed players."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from tkm_env.envs.opponent_pool import OpponentPool, Tally
from tkm_env.envs.opponents import OpponentLike
from tkm_env.foundations.checks import checked_choice, checked_integer, checked_number
from tkm_env.foundations.errors import ConfigError

_MOST_KEPT: Final = 10_000

#: The ways to sample snapshots: functions of the tallies against them, from the oldest to the
#: latest. Prioritised snapshots are met in proportion to the share of points that the learner
#: recently lost to each, counting one more win and one more loss. So a snapshot never met counts
#: one half, and one that always loses is still met sometimes, which shows when that changes.
SAMPLING: Final[Mapping[str, Callable[[Sequence[Tally]], list[float]]]] = MappingProxyType(
    {
        "uniform": lambda tallies: [1.0] * len(tallies),
        "latest": lambda tallies: [0.0] * (len(tallies) - 1) + [1.0],
        "prioritised": lambda tallies: [
            (tally.losses + tally.draws / 2 + 1) / (tally.games + 2) for tally in tallies
        ],
    }
)


class Snapshots:
    """A `tkm_env.OpponentPool` of fixed anchors and of copies of the learner.

    Each anchor plays a fixed share of the games. The copies, called snapshots, play the others.

    A learner that only plays its latest self may go in circles and forget how to beat earlier
    opponents, which older snapshots and anchors prevent. Prioritised sampling is the prioritised
    fictitious self-play of Vinyals et al., "Grandmaster level in StarCraft II using multi-agent
    reinforcement learning" (2019). Until there is a snapshot, anchors play all games.

    Args:
        anchors: players' names, as in `tkm_env.players`, and the share of the games that each
            plays: above 0, together below 1.
        keep: the number of snapshots to keep; the oldest are removed.
        sampling: ``"uniform"``; ``"latest"``; or ``"prioritised"``, by the points that the learner
            lost to each snapshot since the last one was added, when `OpponentPool.tallies` are
            cleared.

    Attributes:
        pool: the pool, to be passed to environments as their ``opponent``.

    Raises:
        ConfigError: naming the argument that is invalid.

    >>> snapshots = Snapshots({"random": 0.2}, keep=2)
    >>> for _ in range(3):
    ...     name = snapshots.add(lambda observation, info: info["action_mask"].argmax(-1))
    >>> name, snapshots.pool.weights
    ('snapshot 3', {'random': 0.2, 'snapshot 2': 0.4, 'snapshot 3': 0.4})
    """

    def __init__(
        self,
        anchors: Mapping[str, float] = MappingProxyType({"random": 0.1}),
        *,
        keep: int = 10,
        sampling: str = "uniform",
    ) -> None:
        if not isinstance(anchors, Mapping) or not anchors:
            raise ConfigError(
                "anchors", anchors, "it must be a non-empty dict of players' names and shares"
            )
        shares = [checked_number("anchors", share, high=1) for share in anchors.values()]
        if sum(shares) >= 1:
            raise ConfigError("anchors", dict(anchors), "the sum of shares must be below 1")
        self._keep = checked_integer("keep", keep, 1, _MOST_KEPT)
        self._sampling = SAMPLING[checked_choice("sampling", sampling, SAMPLING)]
        self.pool = OpponentPool([*anchors], shares)
        self._share = 1 - sum(shares)
        self._names: list[str] = []
        self._added = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The snapshots in the pool, from the oldest to the latest."""
        return tuple(self._names)

    def add(self, player: OpponentLike) -> str:
        """Add a snapshot, remove the oldest if there are too many, and recompute the weights.

        Args:
            player: the snapshot, which must not change any more.

        Returns:
            Its name in the pool.

        Raises:
            ConfigError: if it is not a player; the pool is unchanged.
        """
        name = f"snapshot {self._added + 1}"
        self.pool.add(name, player, weight=0)
        self._added += 1
        self._names.append(name)
        if len(self._names) > self._keep:
            self.pool.remove(self._names.pop(0))
        tallies = self.pool.tallies
        parts = self._sampling([tallies[one] for one in self._names])
        self.pool.set_weights(
            {
                one: self._share * part / sum(parts)
                for one, part in zip(self._names, parts, strict=True)
            }
        )
        self.pool.clear_tallies()
        return name
