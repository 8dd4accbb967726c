"""Questions of one's own, as a teacher writes them, in a file beside an assignment."""

import random

from tkm_env.course.questions.staff_questions import Judgement, StaffMatch, StaffQuestion


class Mobility(StaffQuestion):
    """`mobility(game)` returns how many legal actions there are."""

    positions = 4
    usual_hint = "Count the legal actions, not the turns."
    at_least: int = 2

    def fits(self, game):
        return len(game.legal_actions()) >= self.at_least

    def judge(self, game, student):
        answer, right = student.number("mobility", game), len(game.legal_actions())
        return answer == right or Judgement(0, f"it has {right} legal actions, not {answer}")


class Halves(StaffQuestion):
    """`halves(numbers)` returns half of each number."""

    positions = 2

    def judge(self, game, student):
        return 0.5 if student.numbers("halves", [2, 4]) == [1, 2] else 0


class Nodes(StaffQuestion):
    """`nodes(node, depth)` returns the number of children of the root."""

    positions = 2

    def judge(self, game, student):
        found = student.search("nodes", game, 1)
        return found.answer == len(found.tree.children(0)) and found.visits == 1


class Tidy(StaffQuestion):
    """`Bot` plays a turn that begins with the first legal action."""

    positions = 2

    def fits(self, game):
        return len(game.legal_actions()) > 1

    def judge(self, game, student):
        return student.turn(game).history[0] == game.legal_actions()[0]


class Short(StaffMatch):
    """`Bot` is done within a number of turns."""

    most: int = 200

    def judge(self, game, side):
        return game.turn <= self.most or Judgement(0, f"it took {game.turn} turns")


class Opponent:
    """An opponent of the staff's."""

    def __init__(self, fails=0):
        self.fails = fails

    def act(self, game):
        if self.fails:
            raise ValueError("a mistake of the staff's")
        return random.choice(game.legal_actions())


class NotAQuestion:
    """No question."""


class Unfinished(StaffQuestion):
    """It has no `judge`."""
