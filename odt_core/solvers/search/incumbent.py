"""A good first tree in milliseconds: greedy at the top, optimal for the last two levels."""

from __future__ import annotations

import numpy as np

from odt_core.problem import Problem
from odt_core.solution import Assignment
from odt_core.solvers.search import depth3 as d3
from odt_core.solvers.search.driver import halted_after
from odt_core.solvers.search.linking import link, solve_set
from odt_core.solvers.search.plant import Choice, Planter, Rows, inside
from odt_core.solvers.search.tables import PAIR, Encoding, encode


def greedy(encoding: Encoding, cls: int, rows: Rows, work: d3.Work) -> tuple[float, Choice | None]:
    """Cost and choices of a greedy tree of a class.

    Above the last two levels, each node takes the column that would be best if its children were
    leaf-adjacent splits; the last two levels are solved to optimality.
    """
    model = encoding.model
    work.rows[: len(rows)] = rows
    if model.level[cls] <= PAIR:
        cells = np.full(1, np.inf, model.d.dtype)
        work.side[0] = -1
        solve_set(model, cls, len(rows), cells, 0, np.zeros(1, np.int64), work)
        return float(cells[0]), Choice.read(work.split) if model.level[cls] == PAIR else None
    column = int(d3.best_column(model, cls, len(rows), work))
    if column < 0:
        choice = Choice(-1, False, ())
    else:
        group = int(np.searchsorted(model.start, column, side="right")) - 1
        choice = Choice(group, False, (column,))
    members = inside(encoding, choice, rows)
    low, high = int(model.low[cls]), int(model.high[cls])
    best = np.inf
    found = None
    for to_high in (False,) if low == high or model.one_way[cls] else (False, True):
        parts = (rows[~members], rows[members]) if to_high else (rows[members], rows[~members])
        cost_low, choice_low = greedy(encoding, low, parts[0], work)
        cost_high, choice_high = greedy(encoding, high, parts[1], work)
        if cost_low + cost_high < best:
            best = cost_low + cost_high
            found = Choice(choice.group, to_high, choice.members, choice_low, choice_high)
    return best, found


def greedy_assignment(problem: Problem, seconds: float, memory: float) -> Assignment:
    """The greedy tree of a problem without floors, cut short after some seconds.

    Its tables take no more than `memory` bytes, if that can be.
    """
    encoding = encode(problem)
    halt = np.zeros(1, np.int64)
    work = d3.make_work(encoding.model, halt, memory / 4)
    link(encoding.model, work)
    root = encoding.classes[0]
    rows = np.arange(len(encoding.model.d), dtype=np.int32)
    choice = None
    with halted_after(seconds, halt):
        if encoding.model.level[root] >= PAIR:
            _, choice = greedy(encoding, root, rows, work)
    return Planter(problem, encoding, work).plant(choice)
