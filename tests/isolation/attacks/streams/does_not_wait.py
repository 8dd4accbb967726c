# Has its streams not wait, which could be those of the judge, too.
# all: refused
import os

from attack import say

for number in range(3):
    os.set_blocking(number, False)
say("tried")
