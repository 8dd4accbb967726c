"""`contextlib.suppress` for what every start waits for: importing that takes a fifth of it."""

from __future__ import annotations

TYPE_CHECKING = False  # the module typing takes longer to import than all others here
if TYPE_CHECKING:
    from types import TracebackType


class suppress:  # noqa: N801
    """A context in which exceptions of these kinds end what is in it, and nothing else.

    >>> with suppress(KeyError):
    ...     {}["nothing"]
    """

    def __init__(self, *kinds: type[BaseException]) -> None:
        self._kinds = kinds

    def __enter__(self) -> None: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        return kind is not None and issubclass(kind, self._kinds)
