"""Pictures of positions, for language models that see."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, Final

from tkm_env.core.game import BaseGame
from tkm_env.render.raster import png
from tkm_env.text.options import DEFAULT_OPTIONS, TextOptions
from tkm_env.text.prompt import Prompt, image_of

#: The width of a picture, in pixels: a space is about 50 wide.
_WIDTH: Final = 960
_DATA: Final = "data:image/png;base64,"

#: The messages of a request.
Messages = list[dict[str, Any]]


def picture_of(game: BaseGame, options: TextOptions = DEFAULT_OPTIONS) -> bytes:
    """The position as prompts tell it, as the content of a PNG file.

    Args:
        game: the game.
        options: the options of the prompt, of which only ``turned`` counts.

    Returns:
        The content; the same position always has the same.

    Raises:
        MissingExtraError: without the extra ``[render]``.
    """
    told: BaseGame = image_of(game, options).game
    return png(told.restart().svg(size=_WIDTH, last=False))


def messages_of(prompt: Prompt, picture: bytes = b"") -> Messages:
    """A prompt as messages of the chat interface.

    Args:
        prompt: the prompt.
        picture: the content of a PNG file that belongs to it; empty for none.

    Returns:
        The messages of the system and of the user.
    """
    user: Any = prompt.user
    if picture:
        address = _DATA + base64.b64encode(picture).decode("ascii")
        user = [
            {"type": "text", "text": prompt.user},
            {"type": "image_url", "image_url": {"url": address}},
        ]
    return [{"role": "system", "content": prompt.system}, {"role": "user", "content": user}]


def merged(system: str, content: Any) -> Any:
    """The content of a message with the text of the system before it.

    Args:
        system: the text of the system.
        content: text, or parts of which the first one is text.

    Returns:
        The content.
    """
    if isinstance(content, str):
        return f"{system}\n\n{content}"
    first, *others = content
    return [first | {"text": f"{system}\n\n{first['text']}"}, *others]


def size_of(content: str | Sequence[dict[str, Any]]) -> tuple[int, int]:
    """The number of characters in the content of a message, and that of its pictures."""
    if isinstance(content, str):
        return len(content), 0
    texts = [part["text"] for part in content if part["type"] == "text"]
    return sum(map(len, texts)), len(content) - len(texts)
