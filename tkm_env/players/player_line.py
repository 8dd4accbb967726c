"""What a line that names a player says: the kind of player it is, and where its file, its command or its options stand.

A file's name may hold colons. A Python file's name ends with the first ``.py`` before a colon up to which there is a file, a
policy's with the first colon up to which there is one. A path that begins like another kind of line, such as ``greedy:1.py``,
is written ``./greedy:1.py``.
"""

import os
import re
from typing import Final, NamedTuple

from tkm_env.core.registry import registered_games
from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.files import split_python_file

# The kinds of lines, which are what those begin with that hold a command, a trained policy, a player to beat or a language model.
COMMAND: Final = "cmd"
POLICY: Final = "policy"
EXPLOIT: Final = "exploit"
LLM: Final = "llm"
#: A Python file with a class or function, and one of a game's own agents.
PYTHON: Final = "python"
AGENT: Final = "agent"

_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")
#: Where options begin, or the end.
_OPTIONS: Final = re.compile(r":(?=\w+=)|$")


class PlayerLine(NamedTuple):
    """The parts of a line.

    kind: one of the constants of this module.
    subject: the agent's name, the file's path, the command, the model's name, or the line of the player to beat.
    name: of the class or function in a Python file; "" for others.
    options: as they stand in the line, separated by commas; "" for none.
    """

    kind: str
    subject: str
    name: str = ""
    options: str = ""


def parsed_line(line: object, keyword: str = "agent") -> PlayerLine:
    """Take a line apart, without a look at what is in a file or whether there is such a player.

    Args:
        line: the text, such as ``"alphabeta:depth=3"`` or ``"bots/mine.py:Bot"``.
        keyword: the argument's name in an error's message.

    Raises:
        ConfigError: if it is no text.

    >>> parsed_line("alphabeta:depth=3")
    PlayerLine(kind='agent', subject='alphabeta', name='', options='depth=3')
    >>> parsed_line("2:1.py:Bot:depth=3")
    PlayerLine(kind='python', subject='2:1.py', name='Bot', options='depth=3')
    """
    if not isinstance(line, str):
        players = "a player's name, FILE.py:NAME or policy:FILE, with options after a colon"
        raise ConfigError(keyword, line, f"it must be a line of text: {players}")
    first, _, rest = line.partition(":")
    if first == COMMAND:
        return PlayerLine(COMMAND, rest)
    if first == EXPLOIT:
        options, _, player = rest.partition(":")
        has_options = re.match(r"\w+=", options) is not None
        return (
            PlayerLine(EXPLOIT, player, options=options)
            if has_options
            else PlayerLine(EXPLOIT, rest)
        )
    if first == POLICY:
        return _policy(rest)
    if first == LLM:
        model, options = _OPTIONS.split(rest, maxsplit=1)  # a model's name may hold colons
        return PlayerLine(LLM, model, options=options)
    is_agent = any(first in spec.agents for spec in registered_games().values())
    if not is_agent and (found := split_python_file(line)) is not None:
        path, more = found
        name, _, options = more.partition(":")
        return PlayerLine(PYTHON, path, name, options)
    return PlayerLine(AGENT, first, options=rest)


def _policy(text: str) -> PlayerLine:
    ends = [place for place, letter in enumerate(text) if letter == ":"] + [len(text)]
    drive = 2 if _DRIVE.match(text) else 0
    end = next(
        (end for end in ends if os.path.isfile(text[:end])),
        next(end for end in ends if end >= drive),
    )
    return PlayerLine(POLICY, text[:end], options=text[end + 1 :])
