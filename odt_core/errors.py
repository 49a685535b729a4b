"""Errors with messages for users, and how messages quote a text."""

from __future__ import annotations

MALFORMED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""The errors from reading a record with wrong values, which other programs may have written."""


class InputError(ValueError):
    """The user's input cannot be used.

    The message is one sentence. It names the column, row or option and says what to do. Pages and
    the command line show it. They show no other errors.
    """


class DisagreementError(RuntimeError):
    """A solver's claim differs from the recount, so its answer is refused."""


class SolverError(RuntimeError):
    """A solver crashed or refused the program. The message says how it ended."""


def quoted(text: str) -> str:
    r"""Write a text from a file in quotes, with a plain blank for each character nobody sees.

    Python's own quotes hold escape codes for such characters.

    Examples
    --------
    >>> print(quoted("2\u202f010 €"), quoted("o'clock"), quoted("\x1b[1mred"))
    '2 010 €' "o'clock" ' [1mred'
    """
    plain = "".join(character if character.isprintable() else " " for character in text)
    mark = '"' if "'" in plain and '"' not in plain else "'"
    return f"{mark}{plain}{mark}"
