"""Plays any legal action, in Python without this package: ``tkm match "cmd:python3 examples/bots/random_bot.py" random``."""

import random
import sys

for line in sys.stdin:
    head, *_ = line.strip().split(" | ")
    verb, *rest = head.split(" ")
    words = dict(word.split("=", 1) for word in rest if "=" in word)
    if verb == "tkm":
        print("tkm 1 name=random-python version=1", flush=True)
    elif verb == "go":
        generator = random.Random(int(words["seed"]))
        print("play", generator.choice(words["legal"].split(",")), flush=True)
    elif verb == "quit":
        break
