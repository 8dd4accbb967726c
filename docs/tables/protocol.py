"""The protocol: bots to begin from."""

from __future__ import annotations

from collections.abc import Callable

from tables.markdown import table
from tkm_env.arena.bot_templates import LANGUAGES, template_of


def languages() -> str:
    """The languages of `tkm bot new`, with links to what it writes."""
    rows = []
    for language, row in LANGUAGES.items():
        names = [f"[`{name}`](../tkm_env/arena/bots/{language}/{name})" for name in template_of(language)]
        needs = ", ".join(f"`{tool}`" for tool in row["needs"])
        rows.append((f"`{language}`", row["title"], row["meaning"], ", ".join(names), needs))
    return table(("LANGUAGE", "", "what it is", "files", "needs"), rows)


def template(language: str, name: str, marked_as: str) -> str:
    """A file of a template."""
    return f"```{marked_as}\n{template_of(language)[name].decode().strip()}\n```"


BLOCKS: dict[str, Callable[[], str]] = {
    "bot languages": languages,
    "bot in Python": lambda: template("python-program", "run", "py"),
}
