from tkm_env.learn.value_training import TrainingPlan, ValueTraining

plan = TrainingPlan(games=40, round_games=20, width=8, narrow=4)
training = ValueTraining("value.npz", plan=plan, rating_games=4, evaluations=1)
for done in training.run():
    print(done.games, done.positions, done.error)
