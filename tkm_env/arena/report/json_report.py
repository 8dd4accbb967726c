"""The outcome of a match, and reports, as JSON objects."""

import dataclasses
import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final

from tkm_env.arena.match import Match, Standing
from tkm_env.arena.rating import Ratings
from tkm_env.arena.report.model_table import ModelUse, PromptEffect
from tkm_env.arena.report.report import Report, ReportPart, ReportSection
from tkm_env.arena.sprt import SPRT
from tkm_env.core.settings import changed_settings
from tkm_env.evaluation.score import Elo, Interval, PairResults

# The kinds of files, as in their key "kind".
OUTCOME: Final = "tkm_env match outcome"
REPORT: Final = "tkm_env report"


def match_as_json(
    match: Match, standings: Sequence[Standing], sprt: SPRT | None = None
) -> dict[str, Any]:
    """Return what was played and how it ended: scores, pairs, Elo and the verdict of the test.

    Args:
        match: the match.
        standings: the standings of its two players.
        sprt: the test of the match; None for none.

    Returns:
        The object. Shares of points are from 0 to 1, times are in seconds. Elo and scores are those
            of the player against the other one, with 95% intervals from pairs. An infinite bound of
            Elo is null, and so is the seed until the match is over.
    """
    first = standings[0]
    accepted = None if sprt is None else sprt.accepted(first.pairs)
    return {
        "game": match.game,
        "config": changed_settings(match.config),
        "seed": match.seed
        if first.games + first.repeated == match.games or accepted is not None
        else None,
        "opening_turns": match.opening_turns,
        "games": first.games,
        "repeated": first.repeated,
        "games_planned": match.games,
        "turns": first.turns,
        "players": [
            {
                "player": row.player,
                "by_side": {
                    side: dict(zip(("wins", "draws", "losses"), counts, strict=True))
                    for side, counts in row.by_side.items()
                },
                **_pairs(row.pairs),
                "normalized_elo": elo_as_json(row.pairs.normalized_elo),
                "seconds": row.seconds,
            }
            for row in standings
        ],
        "sprt": None
        if sprt is None
        else {
            **dataclasses.asdict(sprt),
            "llr": sprt.llr(first.pairs),
            "bounds": list(sprt.bounds),
            "accepted": accepted,
        },
    }


def _ratings(ratings: Ratings) -> dict[str, Any]:
    """Return everything that `tkm_env.arena.rating.fit` finds.

    This includes the difference between any two players who can be compared.
    """
    return {
        "games": ratings.games,
        "converged": ratings.converged,
        "first_move": elo_as_json(ratings.first_move),
        "draws": ratings.draws._asdict(),
        "groups": [list(group) for group in ratings.groups],
        "players": [
            {
                "rank": rank,
                "player": rating.player,
                "elo": elo_as_json(rating.elo),
                "games": rating.games,
                "points": rating.points,
                "bounded": rating.is_bounded,
            }
            for rank, rating in enumerate(ratings.players, 1)
        ],
        "tiers": [
            {
                "players": [rating.player for rating in part.ratings],
                "why": part.why,
                "gap": part.gap,
            }
            for part in ratings.parts
        ],
        "differences": [
            {
                "player": one.player,
                "other": other.player,
                "elo": elo_as_json(ratings.difference(one.player, other.player)),
            }
            for one, other in combinations(ratings.players, 2)
            if ratings.connects(one.player, other.player)
        ],
    }


def report_as_json(report: Report) -> dict[str, Any]:
    """Return everything that a report says; games are numbers of records, counted from 1."""
    return {
        "games": len(report.games),
        "unfinished": report.unfinished,
        "repeated": report.repeated,
        "growing": list(report.growing),
        "anchor": None
        if report.anchor is None
        else {"player": report.anchor[0], "elo": report.anchor[1]},
        "event": None
        if report.event is None
        else {
            "columns": list(report.event.columns),
            "rows": [row._asdict() for row in report.event.rows],
            "how": report.event.how,
            "is_over": report.event.is_over,
        },
        "sections": [_section(section) for section in report.sections],
    }


def _section(section: ReportSection) -> dict[str, Any]:
    return {
        "game": section.game,
        "parts": [_part(part) for part in section.parts],
        "gains": [
            {"player": gain.player, "before": gain.before, "elo": elo_as_json(gain.elo)}
            for gain in section.gains
        ],
        "cross": [
            {"player": one, "other": other, **_pairs(pairs)}
            for (one, other), pairs in section.cross.items()
        ],
        "slowest": [thought._asdict() for thought in section.slowest],
        "faults": [lost._asdict() for lost in section.lost],
        "models": [_fields(use) for use in section.models.uses],
        "prompts": [_fields(effect) for effect in section.models.effects],
    }


def _part(part: ReportPart) -> dict[str, Any]:
    return {
        "config": part.config,
        **_ratings(part.ratings),
        "head_to_head": part.head_to_head and part.head_to_head.as_json(),
        "first_mover": part.first_move._asdict(),
        "results": dict(part.results),
        "faulty": part.faulty,
        "adjudicated": part.adjudicated,
        "turns": part.turns,
        "conduct": [
            dataclasses.asdict(conduct) | {"slowest": conduct.slowest and conduct.slowest._asdict()}
            for conduct in part.players
        ],
    }


def _pairs(pairs: PairResults) -> dict[str, Any]:
    return {
        "pairs": list(pairs.counts),
        "single": list(pairs.single),
        "score": pairs.score._asdict(),
        "elo": elo_as_json(pairs.elo),
    }


def _fields(row: ModelUse | PromptEffect) -> dict[str, Any]:
    """Return the fields of a row; Elo and shares come with their intervals."""
    values = row._asdict().items()
    return {
        name: elo_as_json(value) if isinstance(value, (Elo, Interval)) else value
        for name, value in values
    }


def elo_as_json(elo: Elo | Interval) -> dict[str, float | None]:
    """Return Elo with its interval; None for infinity, which JSON cannot express."""
    return {name: value if math.isfinite(value) else None for name, value in elo._asdict().items()}
