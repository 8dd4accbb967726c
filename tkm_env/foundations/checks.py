"""Checks of arguments.

Each ``checked_`` function returns a valid argument in one form, or raises a `ConfigError`.
"""

import math
import operator
from collections.abc import Collection
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.foundations.errors import ArrayError, ConfigError, did_you_mean

Kind = TypeVar("Kind")


def whole_number(given: object) -> int | None:
    """``given`` as an int if it is an integer of any kind, such as one of numpy's; None if not.

    Truth values do not count.

    >>> whole_number(np.int8(3)), whole_number(3.0), whole_number(True)
    (3, None, None)
    """
    # Before numpy 2.3 its truth values passed as indices; masked elements still do.
    if isinstance(given, (bool, np.bool_, np.ma.MaskedArray)):
        return None
    try:
        return operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        return None


def real_number(given: object) -> float | None:
    """``given`` as a float if it is a number of any kind, such as one of numpy's; None if not.

    Neither truth values nor texts count.

    >>> real_number(np.float32(0.5)), real_number(3), real_number("3"), real_number(True)
    (0.5, 3.0, None, None)
    """
    if isinstance(given, (bool, np.bool_, str, bytes, bytearray)):
        return None
    try:
        return float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def checked_integer(keyword: str, value: object, low: int, high: int, given: object = None) -> int:
    """An integer within bounds.

    Args:
        keyword: the argument's name.
        value: what must be an integer, of Python's kind or numpy's.
        low: the smallest that is allowed.
        high: the largest that is allowed.
        given: what a refusal shows, by default the value itself.

    Returns:
        The value as an int.

    Raises:
        ConfigError: if it is no integer, or outside the bounds.
    """
    number = whole_number(value)
    if number is None or not low <= number <= high:
        raise ConfigError(
            keyword,
            value if given is None else given,
            f"it must be an integer from {low} to {high}",
        )
    return number


def checked_number(
    keyword: str, given: object, low: float = 0, high: float = math.inf, *, from_low: bool = False
) -> float:
    """A finite number within bounds.

    Args:
        keyword: the argument's name.
        given: what must be a number, of Python's kind or numpy's.
        low: what it must be above.
        high: the largest that is allowed.
        from_low: whether ``low`` itself is allowed.

    Returns:
        The number as a float.

    Raises:
        ConfigError: if it is no number, not finite or outside the bounds.
    """
    is_number = isinstance(given, (int, float, np.integer, np.floating)) and not isinstance(
        given, (bool, np.timedelta64)
    )
    try:
        number = float(given) if is_number else math.nan  # type: ignore[arg-type]
    except OverflowError:
        number = math.inf
    if not (low < number or (from_low and number == low)) or number > high or number == math.inf:
        most = "" if high == math.inf else f" and at most {high:g}"
        raise ConfigError(
            keyword, given, f"it must be a number {'from' if from_low else 'above'} {low:g}{most}"
        )
    return number


def checked_choice(keyword: str, given: object, allowed: Collection[str]) -> str:
    """One of the texts that are allowed.

    Args:
        keyword: the argument's name.
        given: what must be one of them.
        allowed: the texts.

    Returns:
        What was given.

    Raises:
        ConfigError: if it is none of them, with the one that looks like it.
    """
    if not isinstance(given, str) or given not in allowed:
        *others, last = map(repr, allowed)
        wanted = f"{', '.join(others)} or {last}" if others else last
        raise ConfigError(keyword, given, f"it must be {wanted}{did_you_mean(given, allowed)}")
    return given


def checked_flag(keyword: str, given: object) -> bool:
    """A truth value.

    Args:
        keyword: the argument's name.
        given: what must be False or True, of Python's kind or numpy's.

    Returns:
        The value as a bool.

    Raises:
        ConfigError: if it is anything else, such as 1.
    """
    if not isinstance(given, (bool, np.bool_)):
        raise ConfigError(keyword, given, "it must be False or True")
    return bool(given)


def checked_seed(given: object) -> Any:
    """A seed for `numpy.random.default_rng`: an integer from 0, None, or a generator of numpy's.

    Raises:
        ConfigError: if it is anything else.
    """
    if given is None or isinstance(
        given, (np.random.Generator, np.random.BitGenerator, np.random.SeedSequence)
    ):
        return given
    number = whole_number(given)
    if number is None or number < 0:
        raise ConfigError(
            "seed", given, "it must be an integer from 0, a numpy.random.Generator, or None"
        )
    return number


def as_array(given: object) -> NDArray[Any]:
    """``given`` as a numpy array; of dtype object, and shape (), where numpy cannot convert it.

    That is so for ragged rows, and if some elements are masked.
    """
    if type(given) is np.ndarray:
        return given
    try:
        if np.ma.is_masked(given):
            return np.asarray(None)
        with np.errstate(invalid="ignore"):  # numpy below 2 warns of a list that holds NaN and text
            return np.asarray(given)
    except (ValueError, TypeError, OverflowError, RecursionError, MemoryError):
        return np.asarray(None)


def checked_numbers(
    name: str, given: object, shape: tuple[int, ...], low: int, high: int
) -> NDArray[Any]:
    """Integers as an array.

    Args:
        name: the argument's name.
        given: an array, or what numpy makes one of.
        shape: the shape that it must have.
        low: the smallest number that is allowed.
        high: the largest number that is allowed.

    Returns:
        The array, of any dtype of integers.

    Raises:
        ArrayError: if its shape or dtype is another, or a number is outside the bounds.
    """
    array = as_array(given)
    if array.shape != shape or array.dtype.kind not in "iu":
        raise ArrayError(name, describe(array), f"integers of shape {shape} from {low} to {high}")
    if array.size and (array.min() < low or array.max() > high):
        wrong = int(((array < low) | (array > high)).argmax())
        raise ArrayError(
            name, f"{array.flat[wrong]} at index {wrong}", f"numbers from {low} to {high}"
        )
    return array


def describe(given: object) -> str:
    """How messages describe an array: by its shape and dtype, or its type if it is none."""
    if not isinstance(given, np.ndarray):
        return f"type {type(given).__name__}"
    return f"shape {given.shape} and dtype {given.dtype}"


def checked_instance(keyword: str, given: object, kind: type[Kind]) -> Kind:
    """An instance of a class.

    Args:
        keyword: the argument's name.
        given: what must be an instance.
        kind: the class.

    Returns:
        What was given.

    Raises:
        ConfigError: if it is not.
    """
    if not isinstance(given, kind):
        raise ConfigError(keyword, given, f"it must be a {kind.__name__}")
    return given


def checked_texts(keyword: str, given: object) -> tuple[str, ...]:
    """A tuple of strings.

    Args:
        keyword: the argument's name.
        given: what must be one.

    Returns:
        What was given.

    Raises:
        ConfigError: if it is not.
    """
    if not isinstance(given, tuple) or not all(isinstance(each, str) for each in given):
        raise ConfigError(keyword, given, "it must be a tuple of strings")
    return given


def is_text(value: object) -> bool:
    """Whether it is a string that can be written in UTF-8: without lone surrogates."""
    if not isinstance(value, str):
        return False
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
