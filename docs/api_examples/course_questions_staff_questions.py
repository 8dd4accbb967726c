from tkm_env.course.questions.staff_questions import Judgement, StaffQuestion


class Ways(StaffQuestion):
    """`ways(game)` returns the number of ways to play the turn."""

    def judge(self, game, student):
        answer, right = student.number("ways", game), len(game.turns())
        return answer == right or Judgement(0, f"there are {right} ways, not {answer}")


print(Judgement(0.5, "half of it is right").share)
