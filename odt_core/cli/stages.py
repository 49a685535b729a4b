"""What a machine's first runs wait for, on standard error."""

from __future__ import annotations

import sys

from odt_core.training import COMPILING_WORDS, Stage


class StagePrinter:
    """Says once that the exact search is being compiled."""

    def __init__(self) -> None:
        self._said = False

    def __call__(self, stage: Stage) -> None:
        """A stage begins."""
        if stage in COMPILING_WORDS and not self._said:
            self._said = True
            print(COMPILING_WORDS[stage], file=sys.stderr)
