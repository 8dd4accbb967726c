from tkm_env.evaluation import evaluate

outcome = evaluate("greedy", "random", games=100, chapters="growth")
print(outcome.score, outcome.elo)
print(outcome)
