# Leaves threads at work that keep Python from ending.
# all: refused (they end with it)
import threading
import time

from attack import say

for _ in range(4):
    threading.Thread(target=time.sleep, args=(20,)).start()
say("tried")
