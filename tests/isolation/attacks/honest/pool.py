# Shares its work among processes.
# process, sandbox: refused (it goes on)
# restricted: refused (semaphores need a folder that is everybody's there, and it is told)
import multiprocessing

from attack import say


def square(number: int) -> int:
    return number * number


with multiprocessing.get_context("fork").Pool(2) as pool:
    if pool.map(square, range(100)) != [number * number for number in range(100)]:
        raise RuntimeError("wrong results")
say("tried")
