"""Hostile bots, and the result of their attacks at each level of isolation.

The tests run this table, and ``docs/sandbox.md`` shows it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

#: The attack fails, and the bot goes on as if nothing had happened.
PLAYS_ON: Final = "it fails"
#: The attack succeeds: this level does not promise to stop it.
NOT_STOPPED: Final = "not stopped"
#: The attack fails where the kernel counts processes; where they are counted now and then, the
#: fault is "memory".
COUNTED: Final = "counted"


class Attack(NamedTuple):
    """What a bot does instead of its first answer.

    Attributes:
        name: in a few words.
        code: the code that it runs. If this ends, or raises an `OSError`, the bot plays on; it may
            exit with the message "reached".
        process: the kind of its fault at this level; or `PLAYS_ON`, `NOT_STOPPED`, or `COUNTED`.
        confined: the same at the levels "restricted" and "sandbox".
    """

    name: str
    code: str
    process: str
    confined: str


def _same(name: str, code: str, outcome: str) -> Attack:
    return Attack(name, code, outcome, outcome)


#: ``JUDGE`` is the referee's process number, ``PARENT`` that of the bot's parent; ``OTHER`` another
#: player's file, ``RESULTS`` the file of results, ``PORT`` a port on which somebody listens;
#: ``answer`` is its honest answer.
ATTACKS: Final = (
    _same("loops for ever", "while True: pass", "timeout"),
    _same("sleeps past its deadline", "time.sleep(600)", "timeout"),
    _same("answers late", "time.sleep(2); say(answer)", "timeout"),
    _same("closes its input and sleeps", "os.close(0); time.sleep(600)", "timeout"),
    _same("exits", "sys.exit()", "crash"),
    _same("raises an exception", "raise ValueError('no idea')", "crash"),
    _same("segfaults", "import ctypes; ctypes.string_at(0)", "crash"),
    _same("kills itself", "os.kill(os.getpid(), 9)", "crash"),
    _same("closes its output", "os.close(1); time.sleep(600)", "crash"),
    Attack("kills its parent", "os.kill(PARENT, 9); time.sleep(600)", "crash", PLAYS_ON),
    Attack(
        "sends signals to the referee",
        "os.kill(JUDGE, 0); sys.exit('reached')",
        NOT_STOPPED,
        PLAYS_ON,
    ),
    # If nothing stops it, it ends by itself: 200 processes, a minute.
    _same(
        "forks and forks",
        "[os.fork() or os._exit(time.sleep(60) or 0) for _ in range(200)] and time.sleep(60)",
        COUNTED,
    ),
    _same(
        "forks 40 processes that sleep",
        "all(os.fork() for _ in range(40)) or time.sleep(600); time.sleep(600)",
        COUNTED,
    ),
    _same(
        "leaves processes in sessions of their own",
        "os.fork() or (os.setsid(), os.fork() and sys.exit(), time.sleep(600))",
        PLAYS_ON,
    ),
    _same(
        "allocates memory",
        "blocks = [b'x' * (8 << 20) for _ in range(60)]; time.sleep(600)",
        "memory",
    ),
    _same("writes 100 MB", "for _ in range(1600): say('info ' + 'x' * 65536)", "output"),
    _same("writes a line without end", "while True: sys.stdout.write('x' * 65536)", "output"),
    _same(
        "writes 100 MB to standard error",
        "for _ in range(1600): sys.stderr.write('x' * 65536)",
        PLAYS_ON,
    ),
    _same("plays an illegal action", "say('play concede'); answer = ''", "illegal"),
    _same("plays an action that does not exist", "say('play fly'); answer = ''", "illegal"),
    _same("plays for the other side, too", "answer += '; focus past' * 40", "illegal"),
    _same("plays nothing", "answer = 'play'", "protocol"),
    _same("answers another question", "answer = 'tkm 1 name=again'", "protocol"),
    _same("answers twice", "answer += '\\n' + answer", "protocol"),
    _same(
        "writes binary junk",
        r"sys.stdout.buffer.write(bytes(range(256)) + b'\n'); sys.stdout.flush(); time.sleep(600)",
        "protocol",
    ),
    _same("writes terminal codes", r"say('play \x1b[2J'); time.sleep(600)", "protocol"),
    _same(
        "writes a pickle",
        r"sys.stdout.buffer.write(b'\x80\x04\x95.\n'); sys.stdout.flush(); time.sleep(600)",
        "protocol",
    ),
    _same(
        "writes half a line and exits",
        "sys.stdout.write('play cho'); sys.stdout.flush(); sys.exit()",
        "crash",
    ),
    _same(
        "writes half a line and sleeps",
        "sys.stdout.write('play cho'); sys.stdout.flush(); time.sleep(600)",
        "timeout",
    ),
    Attack(
        "reads another player's file",
        "open(OTHER).read(); sys.exit('reached')",
        NOT_STOPPED,
        PLAYS_ON,
    ),
    Attack(
        "reads the referee's environment",
        "open(f'/proc/{JUDGE}/environ').read(); sys.exit('reached')",
        NOT_STOPPED,
        PLAYS_ON,
    ),
    Attack(
        "writes the results",
        "open(RESULTS, 'a').write('{}'); sys.exit('reached')",
        NOT_STOPPED,
        PLAYS_ON,
    ),
    Attack(
        "deletes the results",
        "os.unlink(RESULTS); open(RESULTS, 'w').close(); sys.exit('reached')",
        NOT_STOPPED,
        PLAYS_ON,
    ),
    Attack(
        "makes the results unreadable",
        "os.chmod(RESULTS, 0); sys.exit('reached')",
        NOT_STOPPED,
        PLAYS_ON,
    ),
    Attack(
        "opens a socket",
        "import socket; socket.create_connection(('127.0.0.1', PORT)); sys.exit('reached')",
        NOT_STOPPED,
        PLAYS_ON,
    ),
    Attack(
        "patches the referee's memory",
        "open(f'/proc/{JUDGE}/mem', 'r+b'); sys.exit('reached')",
        NOT_STOPPED,
        PLAYS_ON,
    ),
)

_BOT: Final = """
import os, sys, time
JUDGE, PARENT, OTHER, RESULTS, PORT = {referee}, os.getppid(), {other!r}, {results!r}, {port}
def say(line):
    sys.stdout.write(line + "\\n")
    sys.stdout.flush()
attacked = False
for line in sys.stdin:
    if line.startswith("tkm"):
        say("tkm 1 name=hostile")
    elif line.startswith("go"):
        answer = "play " + line.partition("legal=")[2].partition(" ")[0].partition(",")[0]
        if not attacked:
            attacked = True
            try:
                exec({code!r})
            except OSError as error:
                sys.stderr.write(str(error))
        if answer:
            say(answer)
"""


def source_of(attack: Attack, *, referee: int, other: str, results: str, port: int) -> str:
    """The bot's program."""
    return _BOT.format(code=attack.code, referee=referee, other=other, results=results, port=port)
