from tkm_env import Game, events

game = Game()
for action in ("choose 1", "move east"):
    game.play(action)
for event in game.events:
    print(isinstance(event, events.Moved), event)
