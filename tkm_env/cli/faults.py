"""What commands say about players' faults."""

from __future__ import annotations

from tkm_env.arena.match import Standing
from tkm_env.arena.report import Conduct


def faults_of(row: Standing | Conduct) -> str:
    """A sentence on a player's faults; empty if there are none."""
    parts = [f"{count} by {kind}" for kind, count in sorted(row.faults.items())]
    if row.failed_starts:
        parts.append(f"{row.failed_starts} without having started")
    return f"{row.player} lost {', '.join(parts)}" if parts else ""
