"""Errors with messages for users."""

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
