"""Sizes of samples: a number of rows, a share of them, all rows, or the paper's size."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Literal

from odt_core.data.findings import only_rows, row_count
from odt_core.errors import InputError

PAPER_SHARE = Fraction(9, 10)
PAPER_ROWS = 600

Size = int | Fraction | Literal["all", "paper"]


def check_size(option: str, size: Size) -> None:
    """Refuse a size that is neither a number of rows nor a share.

    Raises
    ------
    InputError
        If it is not positive, is a share above 1, or is an unknown word.
    """
    if size in ("all", "paper"):
        return
    if isinstance(size, str):
        raise InputError(f"{option} is {size!r}: give a number of rows, a share, all or paper.")
    if size <= 0:
        raise InputError(f"{option} must be more than 0.")
    if isinstance(size, Fraction) and size > 1:
        raise InputError(f"{option} is {float(size):g}: a share cannot be more than 1.")


def parse_train_size(text: str) -> Size:
    """Read a training set's size from the command line: 600, 0.9, 90%, all or paper.

    Raises
    ------
    InputError
        If the text is none of these.
    """
    word = text.strip().casefold()
    if word == "all":
        return "all"
    if word == "paper":
        return "paper"
    return parse_size("train-size", text, "such as 600, 0.9, 90%, all or paper")


def parse_size(option: str, text: str, examples: str) -> int | Fraction:
    """Read a size: a whole number of rows, or an exact share (a decimal, percentage or fraction).

    Raises
    ------
    InputError
        If the text is neither.
    """
    compact = text.strip()
    try:
        if re.fullmatch(r"[0-9]+", compact):
            return int(compact)
        if re.fullmatch(r"[0-9]*\.?[0-9]+ ?%|[0-9]+\. ?%", compact):
            return Fraction(compact.rstrip("% ")) / 100
        if re.fullmatch(r"[0-9]*\.[0-9]*|[0-9]+/[0-9]+", compact):
            return Fraction(compact)
    except (ValueError, ZeroDivisionError):
        pass  # the error below says what is wrong
    raise InputError(f"{option} is {text!r}: give a number of rows or a share, {examples}.")


def resolve_size(option: str, size: int | Fraction, n_rows: int, of_what: str) -> int:
    """Compute the number of rows of a size.

    Raises
    ------
    InputError
        If there are not enough rows, or the share gives no row.
    """
    if isinstance(size, Fraction):
        n = math.floor(size * n_rows)
        if n == 0:
            raise InputError(
                f"{option} gives no row out of {row_count(n_rows)} {of_what}: give a larger one."
            )
        return n
    if size > n_rows:
        raise InputError(f"{option} is {size}, but {only_rows(n_rows)} {of_what}.")
    return size


def size_text(size: Size) -> str:
    """Write a size exactly, as a person would; `parse_train_size` can read it again.

    Examples
    --------
    >>> size_text(Fraction(4, 5)), size_text(Fraction(1, 3)), size_text(600), size_text("paper")
    ('80%', '1/3', '600', 'paper')
    """
    if not isinstance(size, Fraction):
        return str(size)
    percent = f"{float(100 * size):.12g}"
    return f"{percent}%" if Fraction(percent) == 100 * size else str(size)
