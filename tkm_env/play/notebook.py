"""Play in a notebook cell; needs anywidget, from the extra ``[notebook]``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tkm_env.core.registry import default_game, game_spec
from tkm_env.foundations.errors import TKMError, extra
from tkm_env.foundations.files import packaged_text
from tkm_env.play.adapter import Board
from tkm_env.play.session import Session, settings_for_people

with extra("notebook"):
    import anywidget
    import traitlets


def _places(boards: Sequence[Board]) -> Iterator[dict[str, Any]]:
    """Yield the name, the label and the rectangle of each place of the drawing."""
    for board in boards:
        for place in (board, *(cell for row in board.rows for cell in row)):
            yield {
                name: getattr(place, name)
                for name in ("name", "label", "x", "y", "width", "height")
            }


class PlayWidget(anywidget.AnyWidget):
    """A session in a notebook: a drawing to click on, and a button for every legal action.

    Experimental: it may change in any minor version.

    Args:
        session: the game and its players.
        theme: ``"light"`` or ``"dark"``.

    Attributes:
        session: the session, whose ``game`` is the current one.

    Raises:
        ConfigError: if there is no such theme.

    >>> widget = play_widget(opponent="random", seed=1, chapters="growth")
    >>> widget.session.game.legal_names()
    ['choose 1', 'concede']
    """

    _esm = packaged_text("tkm_env.play", "notebook.js")
    _css = packaged_text("tkm_env.play", "notebook.css")
    state = traitlets.Dict().tag(sync=True)

    def __init__(self, session: Session[Any], *, theme: str = "light") -> None:
        self.session = session
        self._theme = theme
        super().__init__(state=self._page_state())
        self.on_msg(self._follow)
        self._let_agent_play()

    def _page_state(self, text: str = "") -> dict[str, Any]:
        """What the page shows of the session.

        ``text``, if any, replaces the line that says whose turn it is.
        """
        session = self.session
        parts = session.adapter.parts(session.game, hints=session.waits_for_person)
        choices = session.adapter.choices(session.game) if session.waits_for_person else []
        thinking = (
            f"{session.game.to_act} ({session.players[session.game.to_act]}) is thinking"
            if session.waits_for_agent
            else ""
        )
        wanted = {choice.place for choice in choices}
        return {
            "svg": session.game.renderer().canvas.document(
                parts, theme=self._theme, title=session.game.situation
            ),
            "colours": session.game.renderer().canvas.themes[self._theme],
            "places": [
                place
                for place in _places(session.adapter.boards(session.game))
                if place["name"] in wanted
            ],
            "choices": [choice._asdict() for choice in choices],
            "text": text or thinking or session.game.situation,
            "can_undo": session.can_undo,
        }

    def _let_agent_play(self) -> None:
        """Let the agent play until a person is to act or the game is over; show each action."""
        self.state = self._page_state()
        while self.session.waits_for_agent:
            self.session.let_agent_play()
            self.state = self._page_state()

    def _follow(self, widget: object, message: Any, buffers: object) -> None:
        """Do what the page asks for; if it is not legal, as on an outdated page, show why."""
        try:
            if message.get("undo"):
                self.session.undo()
            else:
                self.session.play(message.get("play"))
        except TKMError as error:
            self.state = self._page_state(str(error))
        else:
            self._let_agent_play()


def play_widget(
    game: str | None = None,
    *,
    opponent: str = "greedy",
    side: str | None = None,
    seed: int | None = None,
    position: str | None = None,
    theme: str = "light",
    **settings: Any,
) -> PlayWidget:
    """Play a game in a notebook cell: ``play_widget(chapters="growth")``.

    Args:
        game: the name of the game; None for the first in the registry.
        opponent: the other player, as for `tkm_env.play.session.Session`.
        side: the side that you play, as for `tkm_env.play.session.Session`.
        seed: seeds everything left to chance; None draws a seed from the system.
        position: the text of a position to start from; None for the usual start.
        theme: ``"light"`` or ``"dark"``.
        **settings: the keywords of the game's config.

    Returns:
        The widget, which the cell displays.

    Raises:
        ConfigError: naming what is invalid.
        MissingExtraError: at import, without the extra ``[notebook]``.
    """
    spec = game_spec(default_game() if game is None else game)
    settings = settings_for_people(spec, settings, opponent)
    return PlayWidget(
        Session(spec, settings, opponent=opponent, side=side, seed=seed, position=position),
        theme=theme,
    )
