"""Errors that are meant to be read by a user."""

from __future__ import annotations

MALFORMED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""What reading a record that somebody else may have written raises when a value is wrong."""


class InputError(ValueError):
    """Something the user gave cannot be used.

    The message is one sentence that names the column, row or option and says what to do. Screens
    and the command line show it as it is; nothing else is caught and shown.
    """


class DisagreementError(RuntimeError):
    """A solver's claim and our own recount differ, so its answer is refused."""


class SolverError(RuntimeError):
    """A solver crashed or refused the program; the message says how it ended."""
