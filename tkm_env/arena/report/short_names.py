"""Shortening names to the width of a column, so that they stay different."""

from collections.abc import Sequence


def short_names(names: Sequence[str], width: int) -> list[str]:
    """Shorten names to a width; different names stay different.

    A name that is too long loses its middle. Names that would then look the same show the part
    where they begin to differ; if that is not enough, they end in a number.

    Args:
        names: the names.
        width: the most characters of a name, at least 12.

    Returns:
        The short names, in the same order.
    """
    found = [_cut_middle(name, width) for name in names]
    for shorten in (_show_difference, _append_number):
        for name in dict.fromkeys(found):
            alike = [number for number, short in enumerate(found) if short == name]
            full = [names[number] for number in alike]
            if len(set(full)) > 1:
                for number in alike:
                    found[number] = shorten(names[number], full, width)
    return found


def _cut_middle(name: str, width: int) -> str:
    """Keep the beginning and the end of a name that is too long."""
    if len(name) <= width:
        return name
    end = width // 2
    return f"{name[: width - 1 - end]}…{name[len(name) - end :]}"


def _show_difference(name: str, alike: Sequence[str], width: int) -> str:
    """Keep the beginning of a name, and the part where it begins to differ from the others."""
    head = width // 4
    room = width - head - 1
    same = min(map(len, alike))
    same = next(
        (place for place, letters in enumerate(zip(*alike, strict=False)) if len(set(letters)) > 1),
        same,
    )
    begin = max(head, same - room // 2)
    rest = name[begin:]
    return f"{name[:head]}…{rest if len(rest) <= room else f'{rest[: room - 1]}…'}"


def _append_number(name: str, alike: Sequence[str], width: int) -> str:
    number = f"…{list(dict.fromkeys(alike)).index(name) + 1}"
    return f"{name[: width - len(number)]}{number}"
