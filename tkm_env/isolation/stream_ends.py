"""The beginning and the end of a program's standard error."""

from __future__ import annotations

import os

from tkm_env.isolation.suppression import suppress

_PIECE = 1 << 16
#: The number of pieces read at a time. Reading must take only a little of the supervisor's time,
#: since no record counts that time.
_PIECES_AT_ONCE = 16


class StreamEnds:
    """The first and the last bytes of a stream, kept in a file that the referee reads.

    Args:
        file: the descriptor of the file.
        most: the number of bytes to keep.
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
            # The disk may be full, and this output is dispensable.
            with suppress(OSError):
                os.pwrite(self._file, head, self._size)
        self._size += len(piece)
        if len(head) < len(piece):
            self._is_written = False
            self._tail += piece[len(head) :]
            if len(self._tail) > 2 * self._half:  # not after each piece, since this moves bytes
                del self._tail[: -self._half]

    def write_end(self) -> None:
        """Write the last bytes after the first ones, if they have changed."""
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
        """Read what is left by processes that have ended, up to a limit: others may still write."""
        for _ in range(_PIECES_AT_ONCE):
            before = self._size
            if not self.read(stream) or self._size == before:
                break
        self.write_end()


def read_available(descriptor: int, most: int = _PIECE) -> bytes | None:
    """Read bytes from a non-blocking descriptor.

    Args:
        descriptor: the descriptor.
        most: the maximum number of bytes to read.

    Returns:
        The bytes; b"" at the end of the stream, None if none are available now.
    """
    try:
        return os.read(descriptor, most)
    except BlockingIOError:
        return None
