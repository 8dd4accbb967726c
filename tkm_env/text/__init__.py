r"""Games in words, for language models: what a player is told, and how its reply is read.

A reply is a whole turn.

>>> from tkm_env import Game
>>> from tkm_env.text import TextOptions, prompt_for, read_reply
>>> options = TextOptions(legal="counted", style="terse")
>>> print(prompt_for(Game(), options).user.splitlines()[1])
position: W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w c PF - 4/4 - ---/--- -/- 1
>>> read_reply(Game(), "I go east.\nTURN: choose 1; move east; move west; focus present", options)
(0, 17, 19, 59)
>>> print(read_reply(Game(), "I go east twice.", options).sentence)
The reply has no turn: there is neither a JSON object with "turn" nor a line that begins with TURN:.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
