"""The beginning and the end of what a program writes to its standard error."""

from __future__ import annotations

import os

from tkm_env.isolation.suppression import suppress

_PIECE = 1 << 16
#: How many pieces are read at once. What a program writes must not cost more than a little of the
#: supervisor's time, which nobody's record counts.
_PIECES_AT_ONCE = 16


class StreamEnds:
    """The first and the last bytes of a stream, in a file that the referee reads.

    Args:
        file: the descriptor of the file.
        most: how many bytes are kept.
    """

    def __init__(self, file: int, most: int) -> None:
        self._file, self._half = file, most // 2
        self._size = 0
        self._tail = bytearray()
        self._is_written = True

    def read(self, stream: int) -> bool:
        """Read some of the available bytes; False at the end of the stream."""
        for _ in range(_PIECES_AT_ONCE):
            piece = read_available(stream)
            if piece is None:
                return True
            if not piece:
                return False
            self._keep(piece)
        return True

    def _keep(self, piece: bytes) -> None:
        head = piece[: max(0, self._half - self._size)]
        if head:
            # The disk may be full: what a program says of itself can be done without.
            with suppress(OSError):
                os.pwrite(self._file, head, self._size)
        self._size += len(piece)
        if len(head) < len(piece):
            self._is_written = False
            self._tail += piece[len(head) :]
            if len(self._tail) > 2 * self._half:  # not at each piece, since what is kept moves
                del self._tail[: -self._half]

    def write_end(self) -> None:
        """Write the last bytes behind the first ones, if there are new ones."""
        if self._is_written:
            return
        self._is_written = True
        del self._tail[: -self._half]
        left_out = self._size - self._half - len(self._tail)
        mark = f"\n... {left_out} bytes left out ...\n".encode() if left_out else b""
        end = mark + self._tail
        with suppress(OSError):
            os.pwrite(self._file, end, self._half)
            os.ftruncate(self._file, self._half + len(end))

    def read_rest(self, stream: int) -> None:
        """Read what the dead have left; whoever is alive could write for ever."""
        for _ in range(_PIECES_AT_ONCE):
            before = self._size
            if not self.read(stream) or self._size == before:
                break
        self.write_end()


def read_available(descriptor: int, most: int = _PIECE) -> bytes | None:
    """Read bytes from a descriptor that does not wait.

    Args:
        descriptor: what to read from.
        most: the most bytes.

    Returns:
        The bytes; b"" at the end, None if there are none now.
    """
    try:
        return os.read(descriptor, most)
    except BlockingIOError:
        return None
