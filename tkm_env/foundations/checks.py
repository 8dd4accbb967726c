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
from tkm_env.foundations.message import Message

Kind = TypeVar("Kind")


def whole_number(given: object) -> int | None:
    """Convert an integer of any kind to an int; None if it is not an integer.

    NumPy's integers count, truth values do not.

    >>> whole_number(np.int8(3)), whole_number(3.0), whole_number(True)
    (3, None, None)
    """
    if type(given) is int or type(given) is np.int64:  # as they usually are, which is quick
        return int(given)
    # Before NumPy 2.3, its truth values passed as indices; masked elements still do.
    if isinstance(given, (bool, np.bool_, np.ma.MaskedArray)):
        return None
    try:
        return operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        return None


def real_number(given: object) -> float | None:
    """Convert a number of any kind to a float; None if it is not a number.

    NumPy's numbers count; truth values and strings do not.

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
    """Check that an argument is an integer within bounds.

    Args:
        keyword: the argument's name.
        value: an integer of any kind, Python's or NumPy's.
        low: the smallest that is allowed.
        high: the largest that is allowed.
        given: what the error shows; None for the value itself.

    Returns:
        The value as an int.

    Raises:
        ConfigError: if it is not an integer, or outside the bounds.
    """
    number = whole_number(value)
    if number is None or not low <= number <= high:
        raise ConfigError(
            keyword,
            value if given is None else given,
            Message("it must be an integer from {low} to {high}", low=low, high=high),
        )
    return number


def checked_number(
    keyword: str, given: object, low: float = 0, high: float = math.inf, *, from_low: bool = False
) -> float:
    """Check that an argument is a finite number within bounds.

    Args:
        keyword: the argument's name.
        given: a number of any kind, Python's or NumPy's.
        low: the number must be above this.
        high: the largest that is allowed.
        from_low: whether ``low`` itself is allowed.

    Returns:
        The number as a float.

    Raises:
        ConfigError: if it is not a number, not finite, or outside the bounds.
    """
    is_number = isinstance(given, (int, float, np.integer, np.floating)) and not isinstance(
        given, (bool, np.timedelta64)
    )
    try:
        number = float(given) if is_number else math.nan  # type: ignore[arg-type]
    except OverflowError:
        number = math.inf
    if not (low < number or (from_low and number == low)) or number > high or number == math.inf:
        most = "" if high == math.inf else Message(" and at most {high:g}", high=high)
        form = (
            "it must be a number from {low:g}{most}"
            if from_low
            else "it must be a number above {low:g}{most}"
        )
        raise ConfigError(keyword, given, Message(form, low=low, most=most))
    return number


def checked_choice(keyword: str, given: object, allowed: Collection[str]) -> str:
    """Check that an argument is one of the strings that are allowed.

    Args:
        keyword: the argument's name.
        given: the argument.
        allowed: the strings that are allowed.

    Returns:
        The argument.

    Raises:
        ConfigError: if it is none of them; the message names the most similar one.
    """
    if not isinstance(given, str) or given not in allowed:
        *others, last = map(repr, allowed)
        guess = did_you_mean(given, allowed)
        raise ConfigError(
            keyword,
            given,
            Message(
                "it must be {others} or {last}{guess}",
                others=", ".join(others),
                last=last,
                guess=guess,
            )
            if others
            else Message("it must be {last}{guess}", last=last, guess=guess),
        )
    return given


def checked_flag(keyword: str, given: object) -> bool:
    """Check that an argument is False or True.

    Args:
        keyword: the argument's name.
        given: a truth value, Python's or NumPy's.

    Returns:
        The value as a bool.

    Raises:
        ConfigError: if it is anything else, such as 1.
    """
    if not isinstance(given, (bool, np.bool_)):
        raise ConfigError(keyword, given, Message("it must be False or True"))
    return bool(given)


def checked_seed(given: object) -> Any:
    """Check a seed for `numpy.random.default_rng`.

    It may be an integer from 0, None, or NumPy's Generator, BitGenerator or SeedSequence.

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
    """Convert anything to a NumPy array.

    If NumPy cannot convert it, such as ragged rows, or if some elements are masked, the result is
    of dtype object and shape ().
    """
    if type(given) is np.ndarray:
        return given
    try:
        if np.ma.is_masked(given):
            return np.asarray(None)
        with np.errstate(
            invalid="ignore"
        ):  # before NumPy 2, lists of NaN and strings cause a warning
            return np.asarray(given)
    except (ValueError, TypeError, OverflowError, RecursionError, MemoryError):
        return np.asarray(None)


def checked_numbers(
    name: str, given: object, shape: tuple[int, ...], low: int, high: int
) -> NDArray[Any]:
    """Check that an argument is an array of integers within bounds.

    Args:
        name: the argument's name.
        given: an array, or what NumPy converts to one.
        shape: the shape that it must have.
        low: the smallest number that is allowed.
        high: the largest number that is allowed.

    Returns:
        The array, of any dtype of integers.

    Raises:
        ArrayError: if it has another shape or dtype, or a number is outside the bounds.
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
    """Describe an array for messages, by its shape and dtype; anything else, by its type."""
    if not isinstance(given, np.ndarray):
        return f"type {type(given).__name__}"
    return f"shape {given.shape} and dtype {given.dtype}"


def checked_instance(keyword: str, given: object, kind: type[Kind]) -> Kind:
    """Check that an argument is an instance of a class.

    Args:
        keyword: the argument's name.
        given: the argument.
        kind: the class.

    Returns:
        The argument.

    Raises:
        ConfigError: if it is not an instance.
    """
    if not isinstance(given, kind):
        raise ConfigError(keyword, given, Message("it must be a {kind}", kind=kind.__name__))
    return given


def checked_texts(keyword: str, given: object) -> tuple[str, ...]:
    """Check that an argument is a tuple of strings.

    Args:
        keyword: the argument's name.
        given: the argument.

    Returns:
        The argument.

    Raises:
        ConfigError: if it is anything else.
    """
    if not isinstance(given, tuple) or not all(isinstance(each, str) for each in given):
        raise ConfigError(keyword, given, "it must be a tuple of strings")
    return given


def is_text(value: object) -> bool:
    """Whether something is a string that UTF-8 can encode: one without lone surrogates."""
    if not isinstance(value, str):
        return False
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
