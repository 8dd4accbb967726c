from tkm_env import ACTIONS
from tkm_env.games.tkm.symmetries import SYMMETRIES, Symmetry

turned = Symmetry(quarters=1)
print(turned.text, len(SYMMETRIES))
print(ACTIONS[turned.actions()[ACTIONS.index("move north")]])
