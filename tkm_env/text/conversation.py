"""The replay of a recorded game, with the conversations of language models in it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from tkm_env.core.game import BaseGame
from tkm_env.core.record_files import from_record, replay_of
from tkm_env.foundations.errors import TKMError
from tkm_env.render.replay import Note, Replay
from tkm_env.text.options import TextOptions
from tkm_env.text.prompt import digest, prompt_for
from tkm_env.text.reply import Refusal, read_reply


def replay_with_conversations(record: Mapping[str, Any]) -> Replay:
    """The replay of a recorded game, with what language models were asked and answered.

    Records hold the answers only: what was asked follows from the position, as long as prompts have
    the version that the record states.

    Raises:
        RecordError: if the record does not describe a game.
    """
    replay = replay_of(record)
    if "models" not in record:
        return replay
    game, notes = from_record(record), defaultdict[int, list[Note]](list)
    for side, said in record["models"].items():
        options = _options(type(game), said)
        for answer in said["answers"]:
            if not 0 < answer["ply"] <= len(game.history) + 1:
                continue  # not written by this package
            then, here = game.at(answer["ply"] - 1), notes[answer["ply"] - 1]
            if options is not None and not here:
                system, user = prompt_for(then, options, player=side, tool=_tool(said))
                here += [
                    Note(f"what {side} is always told", system),
                    Note(f"what {side} was asked", user),
                ]
            if answer.get("thoughts"):
                here.append(Note(f"what {side} thought", answer["thoughts"]))
            tokens = "unknown" if answer["tokens"][1] is None else answer["tokens"][1]
            heading = f"{side} answered ({tokens} tokens, {answer['end']})"
            here.append(Note(heading, _said(answer), is_open=True))
            if answer["refused"] is not None:
                why = "" if options is None else _why_refused(then, answer, options, _tool(said))
                flaw = f" ({answer['flaw']})" if answer.get("flaw") else ""
                here.append(Note(f"refused: {answer['refused']}{flaw}", why, is_open=True))
    return replay._replace(notes=notes)


def _said(answer: Mapping[str, Any]) -> str:
    """The text of an answer, and below it the tool calls."""
    return "\n".join(filter(None, (answer["text"], answer.get("calls"))))


def _tool(said: Mapping[str, Any]) -> str:
    """The name of the tool with which a model took its turns; empty if its replies held them."""
    return str(said["asked"].get("tool", ""))


def _why_refused(game: BaseGame, answer: Mapping[str, Any], options: TextOptions, tool: str) -> str:
    read = read_reply(game, _said(answer), options, end=answer["end"], tool=tool)
    return read.sentence if isinstance(read, Refusal) else ""


def _options(game_class: type[BaseGame], said: Mapping[str, Any]) -> TextOptions | None:
    """The options of the prompts in a conversation; None if their version is another one."""
    try:
        own = {field.name for field in fields(TextOptions)}
        options = TextOptions(**{key: said["asked"][key] for key in own & {*said["asked"]}})
    except (LookupError, TKMError):
        return None
    return options if digest(game_class, options) == said["prompt"] else None
