# Takes 120 MB and gives them back, five times.
# all: refused (it goes on)
from attack import say

for _ in range(5):
    numbers = [0] * (15 << 20)
    del numbers
say("tried")
