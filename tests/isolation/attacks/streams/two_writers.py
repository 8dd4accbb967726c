# Has a child write between its lines after it has ended.
# all: refused or fault crash
import os
import signal

from attack import say

if os.fork() == 0:
    signal.alarm(10)
    os.setsid()
    while True:
        os.write(1, b"tried\n")
say("tried")
os._exit(0)
