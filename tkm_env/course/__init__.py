"""Assignments: what a teacher hands out, how submissions are graded behind the wall, and what students use in them.

`Node` is a position in a tree of play, as the functions of an assignment are given it; `GameNode` makes one of a game.
"""

from __future__ import annotations

from tkm_env.course.nodes import GameNode, Node

__all__ = ["GameNode", "Node"]
