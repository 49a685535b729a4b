"""The outcome: its labels, and which rows have one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odt_core.data.cells import CellReading
from odt_core.data.missing import DEFAULT_MISSING_TOKENS
from odt_core.data.ordering import natural_order
from odt_core.data.profile import profile_column
from odt_core.data.table import Table


@dataclass(frozen=True, eq=False)
class Target:
    """The outcome of each row.

    Attributes
    ----------
    name : str
        The column's name.
    labels : tuple of str
        The distinct outcomes in natural order.
    counts : tuple of int
        How many rows have each.
    classes : int64[N]
        Each row's outcome as an index into `labels`; -1 where it is missing.
    """

    name: str
    labels: tuple[str, ...]
    counts: tuple[int, ...]
    classes: npt.NDArray[np.int64]

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """Which rows have an outcome, bool[N]."""
        return self.classes >= 0

    def others(self, positive: str) -> tuple[str, ...]:
        """The labels that are not the positive one."""
        return tuple(label for label in self.labels if label != positive)

    def negative_label(self, positive: str) -> str:
        """What to call the negative class: the other label, or ``not ...`` where there are more."""
        others = self.others(positive)
        return others[0] if len(others) == 1 else f"not {positive}"


def read_target(table: Table, column: str, reading: CellReading) -> Target:
    """Look at a column as the outcome.

    Raises
    ------
    InputError
        If there is no such column.
    """
    profile = profile_column(table, column, reading)
    texts = profile.factor.texts
    present = [code for code in range(len(texts)) if not profile.missing[code]]
    order = natural_order([texts[code] for code in present], reading.decimal)
    codes = [present[position] for position in order]
    index = np.full(len(texts), -1, dtype=np.int64)
    index[codes] = np.arange(len(codes))
    return Target(
        name=column,
        labels=tuple(texts[code] for code in codes),
        counts=tuple(int(profile.counts[code]) for code in codes),
        classes=index[profile.factor.codes],
    )


def target_classes(
    table: Table, target: str, missing_tokens: Sequence[str] = DEFAULT_MISSING_TOKENS
) -> dict[str, int]:
    """How many rows have each label of a column, in the labels' natural order.

    Raises
    ------
    InputError
        If there is no such column.
    """
    reading = CellReading(tuple(missing_tokens), table.report.decimal)
    found = read_target(table, target, reading)
    return dict(zip(found.labels, found.counts, strict=True))
