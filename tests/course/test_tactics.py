"""Tactics: wins in this turn or the next, which a full search finds and others do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.course.small import assignment, python
from tkm_env.course.grading.grading import grade_submission
from tkm_env.course.questions.marks import Mark

#: Finds a win that is forced in this turn or the next by searching every way to play.
SEARCHER = """
from tkm_env.course import GameNode


class Bot:
    def reset(self, seed):
        self.plan = []

    def act(self, game):
        if not self.plan:
            self.plan = [game.index_of(action) for action in winning_turn(game)]
        return self.plan.pop(0)


def winning_turn(game):
    side, ends = game.to_act, turns(GameNode(game, lambda game: 0))
    for actions, end in ends:
        if wins(end, side):
            return actions
    for actions, end in ends:
        if all(any(wins(last, side) for _, last in turns(reply)) for _, reply in turns(end)):
            return actions
    return ends[0][0]


def wins(node, side):
    return node.is_over and node.game.winner == side


def turns(node):
    if node.is_over:
        return [([], node)]
    side, number, found, seen, waiting = node.game.to_act, node.game.turn, [], set(), [([], node)]
    while waiting:
        actions, now = waiting.pop()
        for action, child in now.children():
            if child.game.position not in seen:
                seen.add(child.game.position)
                is_end = child.is_over or (child.game.to_act, child.game.turn) != (side, number)
                (found if is_end else waiting).append(([*actions, action], child))
    return found
"""
FIRST = """
class Bot:
    def act(self, game):
        return game.legal_actions()[0]
"""


def mark_of(submission: Path, turns: int) -> Mark:
    *_, last = grade_submission(
        submission, assignment({"kind": "tactics", "turns": turns, "positions": 3, "seconds": 60})
    )
    return last.marks[0]


@pytest.mark.slow
def test_a_forced_win_is_found_by_a_search_and_rarely_without_one(tmp_path: Path) -> None:
    for turns in (1, 2):
        assert (
            mark_of(python(tmp_path / "searcher", SEARCHER), turns).words
            == "3 of 3 positions right"
        ), turns
        first = mark_of(python(tmp_path / "first", FIRST), turns)
        assert first.share < 0.5, turns
        assert "can force a win, but not with" in first.findings[0].words, turns
