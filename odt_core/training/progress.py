"""The stages of a training run."""

from __future__ import annotations

from enum import StrEnum


class Stage(StrEnum):
    """A stage of a training run. The time limit applies to ``solving``.

    A study is ``compiling`` while it waits until the search is compiled, once on each machine.
    """

    PREPARING = "preparing"
    COMPILING = "compiling"
    SOLVING = "solving"
    FINISHING = "finishing"
