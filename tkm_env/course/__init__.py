"""Assignments: what a teacher hands out, how it is graded, and what students use in it.

`Node` is a position in a game tree, as the functions of an assignment receive it; `GameNode` makes
one from a game.
"""

from __future__ import annotations

from tkm_env.course.student_nodes import GameNode, Node

__all__ = ["GameNode", "Node"]
