from tkm_env.questions import make_question

question = make_question("legal", difficulty=2, seed=1, chapters="growth")
print(question.prompt.user)
print(question.mark(f"ANSWER: {question.answer}"))
