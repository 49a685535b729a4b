"""An estimate of the time for a frontier, from the sizes of the data alone."""

from __future__ import annotations

from odt_core.problem import EncodedData, FeatureKind
from odt_core.topology import Topology

MOST_WORK = {1: 120_000_000, 2: 120_000_000, 3: 20_000_000}
"""For each depth the largest work that takes about a second on one core of a common machine.

The work is the number of rows times that of one-hot columns squared, and cubed at depth 3. Within
these limits the frontiers of eleven data sets took 0.03 to 1.5 s.
"""
MOST_FREE_CATEGORIES = 12
"""If a column has more categories and sets are not capped at 1, a frontier can take seconds."""


def is_quick(data: EncodedData, topology: Topology, max_card: int | None) -> bool:
    """Whether the search for a shape's frontier probably takes at most about a second.

    Parameters
    ----------
    data : EncodedData
        The training rows.
    topology : Topology
        The shape; one with four levels is never quick.
    max_card : int or None
        The cap on sets of categories.
    """
    if topology.depth not in MOST_WORK:
        return False
    sets_are_large = max_card != 1 and any(
        feature.kind is FeatureKind.CATEGORICAL and feature.n_values > MOST_FREE_CATEGORIES
        for feature in data.features
    )
    work = data.n_rows * data.n_columns ** max(topology.depth, 2)
    return not sets_are_large and work <= MOST_WORK[topology.depth]
