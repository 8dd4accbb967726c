"""Pictures of positions: what is sent, what it stands for, and what it is estimated to cost."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest

from tests.text.chat_server import completion, serving
from tests.text.test_prompt import played
from tkm_env import ConfigError, Game
from tkm_env.players import make_agent
from tkm_env.questions import BestTurnEnv
from tkm_env.text import TextOptions, prompt_for
from tkm_env.text.env import TextEnv
from tkm_env.text.picture import messages_of, picture_of
from tkm_env.text.prompt import image_of

GAME = played(Game(chapters="growth"), 16)
SEEN, BOTH = TextOptions(board="picture"), TextOptions(board="both")


def test_a_prompt_has_the_position_as_text_or_says_where_it_is() -> None:
    told = {
        board: prompt_for(GAME, TextOptions(board=board)).user
        for board in ("text", "picture", "both")
    }
    assert GAME.position in told["text"]
    assert GAME.position in told["both"]
    assert GAME.position not in told["picture"]
    assert "The position, drawn" not in told["picture"]
    for board, user in told.items():
        assert ("in the picture" in user) == (board != "text")
    terse = prompt_for(GAME, TextOptions(board="picture", style="terse")).user
    assert "position: in the picture" in terse


def test_the_picture_is_of_the_position_that_is_told() -> None:
    image = pytest.importorskip("PIL.Image", reason="needs the extra [render]")
    from io import BytesIO

    from tkm_env.render.raster import pixels

    picture = picture_of(GAME)
    assert picture.startswith(b"\x89PNG")
    assert picture == picture_of(GAME.restart()), "the history is not in it"
    drawn = np.array(image.open(BytesIO(picture)).convert("RGB"))
    assert (drawn == pixels(GAME.restart().svg(size=960, last=False))).all()
    turned = TextOptions(turned=3)
    assert picture_of(GAME, turned) == picture_of(image_of(GAME, turned).game) != picture


@pytest.mark.usefixtures("chat_key")
def test_a_model_that_sees_gets_the_picture_with_the_words() -> None:
    pytest.importorskip("openai", reason="needs the extra [llm]")
    pytest.importorskip("resvg_py", reason="needs the extra [render]")

    def model(asked: dict[str, Any], handler: Any) -> Any:
        if asked["messages"][0]["role"] == "system":
            return handler.reply(400, {"error": {"message": "System role not supported"}})
        body = completion("TURN: 1", asked | {"messages": []})
        del body["usage"]
        return body

    with serving(model) as server:
        player: Any = make_agent(f"llm:seer:board=both,base_url={server.url}")
        player.reset(1)
        assert player.act(GAME) in GAME.legal_actions()
    with_system, merged = (asked["messages"] for asked in server.asked)
    assert isinstance(with_system[0]["content"], str)
    words, seen = with_system[1]["content"]
    assert words == {"type": "text", "text": prompt_for(GAME, BOTH).user}
    kind, data = seen["image_url"]["url"].split(",")
    assert kind == "data:image/png;base64"
    assert base64.b64decode(data) == picture_of(GAME, BOTH)
    (only,) = merged
    assert only["content"][0]["text"].startswith(prompt_for(GAME, BOTH).system)
    assert only["content"][1] == seen
    plain = messages_of(prompt_for(GAME, BOTH))
    assert [type(message["content"]) for message in plain] == [str, str]


@pytest.mark.usefixtures("chat_key")
def test_a_picture_counts_in_an_estimate() -> None:
    from tkm_env.text.completion import Completion

    unknown = Completion("TURN: 1", "stop", (None, None), "", 0.0)
    prompt = prompt_for(GAME, SEEN)
    words, seen = (
        unknown.estimated(messages_of(prompt, picture)).estimate for picture in (b"", b"PNG")
    )
    assert words is not None
    assert seen == (words[0] + 1_500, words[1])


@pytest.mark.parametrize(
    "options", [{"rename": 1}, {"eras": 1}, {"board": "braille"}], ids="-".join
)
def test_what_does_not_go_with_a_picture_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="board"):
        TextOptions(**{"board": "picture", **options})


@pytest.mark.parametrize("make", [TextEnv, BestTurnEnv])
def test_what_gives_text_only_takes_no_pictures(make: type[TextEnv | BestTurnEnv]) -> None:
    with pytest.raises(ConfigError, match="pictures are for players and benchmarks only"):
        make(options=SEEN)
