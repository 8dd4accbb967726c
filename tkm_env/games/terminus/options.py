"""The settings of `TerminusConfig` as commands and forms present them."""

from __future__ import annotations

from typing import Final

from tkm_env.game.settings import Setting

#: The keywords of `TerminusConfig`.
OPTIONS: Final = (Setting("deck", "A deck file, with the cards of Terminus.", "the project's own", "file"),)
