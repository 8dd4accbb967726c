# Has its library warn of the same thing at every call: 20,000 times.
# all: refused (it goes on)
import warnings

from attack import say

warnings.simplefilter("always")
for number in range(20_000):
    warnings.warn(f"overflow encountered in step {number}", RuntimeWarning, stacklevel=1)
say("tried")
