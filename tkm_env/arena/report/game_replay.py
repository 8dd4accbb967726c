"""The replay of a game of a match, with everything that its players said."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from tkm_env.core.record_files import from_record
from tkm_env.render.replay import Note, Replay
from tkm_env.text.conversation import replay_with_conversations


def replay_with_reports(record: Mapping[str, Any]) -> Replay:
    """The replay of a recorded game, with the conversations of models and programs' reports.

    Raises:
        RecordError: if the record does not describe a game.
    """
    replay = replay_with_conversations(record)
    if "reports" not in record:
        return replay
    notes = defaultdict(list, {ply: [*some] for ply, some in replay.notes.items()})
    game = from_record(record)
    replayed = game.start.copy()
    for ply, (action, report) in enumerate(zip(game.history, record["reports"], strict=True)):
        if report is not None:
            notes[ply].append(Note(f"{replayed.to_act}: {describe_report(report)}", ""))
        replayed.play(action)
    return replay._replace(notes=notes)


def describe_report(report: Mapping[str, float]) -> str:
    """Describe what a program reported.

    >>> describe_report({"score": 0.25, "depth": 3})
    'score +0.25, depth 3'
    """
    texts = {"score": "score {:+.2f}", "depth": "depth {}"}
    return ", ".join(text.format(report[key]) for key, text in texts.items() if key in report)
