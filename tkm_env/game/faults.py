"""The kinds of faults that end a game early."""

from __future__ import annotations

from typing import Final

#: The kinds of faults, as records name them, with their meaning.
FAULTS: Final = {
    "illegal": "an action that is not legal, does not exist, or comes after the end of its turn",
    "timeout": "no answer in time",
    "crash": "it raised an exception, ended, or was killed",
    "protocol": "a line that the protocol does not know, or one that nobody asked for",
    "memory": "more memory, or more processes, than it may have",
    "output": "more output than it may write",
}

#: The ply of a fault that came before the player was first asked for an action.
START: Final = 0
