from tkm_env.play.notebook import play_widget

play_widget("tkm", opponent="greedy", side="white", seed=1)  # the last line of a cell
