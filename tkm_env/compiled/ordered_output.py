"""How threads write one list, whose items have unknown numbers of rows, as one would.

Threads claim chunks of items from the front. A chunk's rows lie behind those of all chunks before
it, so their place is known only once these are counted. Until then a thread keeps the rows in
memory of its own and goes on with the next chunk. With one thread there is one chunk.
"""

from typing import Final

from tkm_env.compiled.array_types import Control
from tkm_env.compiled.atomics import atomic_load, compare_exchange
from tkm_env.compiled.decorators import inlined
from tkm_env.compiled.work_sharing import new_control, spare_words, wait_for_change, wake

# The spare words of the control array.
_CLAIMED: Final = 0  # how many chunks are claimed
_ITEMS: Final = 8
_THREADS: Final = 9
_CHUNK: Final = 10  # the number of items in a chunk
#: For each chunk, the number of its rows; -1 until it is known.
_ROWS: Final = 16

#: Items in a chunk for several threads. Claiming fewer would take more time, and the rows of more
#: would leave the processor's cache before they are moved.
_ITEMS_PER_CHUNK: Final = 8


def new_list(items: int, threads: int) -> Control:
    """The control array of a list.

    Args:
        items: the number of items.
        threads: the number of threads that write the list.

    Returns:
        The array: int64.
    """
    chunk = max(items, 1) if threads == 1 else _ITEMS_PER_CHUNK
    words = _ROWS + -(-items // chunk)
    control = new_control(items, threads, words)
    spare = control[-words:]
    spare[[_ITEMS, _THREADS, _CHUNK]] = items, threads, chunk
    spare[_ROWS:] = -1
    return control


@inlined
def claim_chunk(control: Control) -> int:
    """Claim the next chunk.

    Args:
        control: the control array.

    Returns:
        The index of the chunk, which has no items if none is left.
    """
    spare = spare_words(control)
    while True:
        chunk = atomic_load(control, spare + _CLAIMED)
        if chunk * control[spare + _CHUNK] >= control[spare + _ITEMS] or compare_exchange(
            control, spare + _CLAIMED, chunk, chunk + 1
        ):
            return chunk


@inlined
def items_of_chunk(control: Control, chunk: int) -> tuple[int, int]:
    """Which items a chunk has.

    Args:
        control: the control array.
        chunk: the chunk.

    Returns:
        The first of them, and the end of the range.
    """
    spare = spare_words(control)
    size, items = control[spare + _CHUNK], control[spare + _ITEMS]
    return min(chunk * size, items), min((chunk + 1) * size, items)


@inlined
def rows_of_chunk(control: Control, chunk: int) -> int:
    """How many rows a chunk has.

    Args:
        control: the control array.
        chunk: the chunk.

    Returns:
        Their number; -1 if it is not known yet.
    """
    return atomic_load(control, spare_words(control) + _ROWS + chunk)


@inlined
def wait_for_rows(control: Control, thread: int, chunk: int) -> None:
    """Wait until the number of a chunk's rows is known.

    Args:
        control: the control array.
        thread: the index of the calling thread.
        chunk: a chunk that is claimed.
    """
    wait_for_change(control, thread, spare_words(control) + _ROWS + chunk, -1)


@inlined
def note_rows(control: Control, chunk: int, rows: int) -> None:
    """Tell the other threads the number of a chunk's rows.

    Args:
        control: the control array.
        chunk: the chunk.
        rows: the number of its rows.
    """
    spare = spare_words(control)
    compare_exchange(control, spare + _ROWS + chunk, -1, rows)
    for thread in range(control[spare + _THREADS]):
        wake(control, thread)
