from tkm_env.core.action_groups import ActionGroup

moves = ActionGroup(("move north", "move east"), "step one space", "always", "§3")
print(len(moves.names), moves.meaning)
