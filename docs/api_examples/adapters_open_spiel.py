import pyspiel
import tkm_env.adapters.open_spiel

game = pyspiel.load_game("tkm_env/tkm-v0(chapters=growth)")
state = game.new_initial_state()
state.apply_action(state.legal_actions()[0])
print(state.as_game().position)
