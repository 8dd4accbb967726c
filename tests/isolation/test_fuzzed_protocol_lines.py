"""Whatever a bot or a referee writes is read exactly, or refused with the reason."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.refusals import accepted
from tests.isolation.test_bot_protocol import ANSWERS, REQUESTS
from tkm_env.isolation.bot_protocol import parse_answer, parse_request

LINES = st.sampled_from([str(line) for line in (*REQUESTS, *ANSWERS)])
PIECES = st.one_of(
    st.sampled_from(
        [
            " ",
            " | ",
            "|",
            ";",
            "; ",
            "=",
            ",",
            "name=",
            "legal=",
            "seed=",
            "{",
            "-1",
            "9" * 30,
            "\0",
            "é",
        ]
    ),
    st.text(),
)
#: Real lines of which a part is replaced by something else, and lines of nothing real.
MUTATED = st.builds(
    lambda line, start, length, piece: (
        line[: start % len(line)] + piece + line[start % len(line) + length :]
    ),
    LINES,
    st.integers(0, 400),
    st.integers(0, 20),
    PIECES,
)


@given(st.one_of(MUTATED, PIECES))
def test_any_line_is_read_exactly_or_refused(line: str) -> None:
    for parse in (parse_answer, parse_request):
        read = accepted(lambda parse=parse: parse(line))
        if read is not None:
            assert parse(str(read)) == read, "what was read is written as something else"
