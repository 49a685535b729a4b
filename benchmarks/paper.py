"""The tables of the paper's section 5, ours beside what the paper prints, as Markdown.

    python -m benchmarks.paper branching [--data ../shared/data] [--splits 5] [--limit 60]
    python -m benchmarks.paper cart --sets bc,ttt

Commands: switches and shapes (5.1), branching (5.2), numerical (5.3), cart (5.4), size (5.5),
chosen (5.6), heloc (5.7). A cell has training accuracy and, in brackets, test accuracy with its
standard deviation over the splits, in percent; `2/5` says that two of five trees are proved the
best; without it all of them are. Times are CPU seconds of one thread.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path

from benchmarks import paper_printed as printed
from benchmarks.paper_rows import ROWS, Division, Way, cpu_seconds, load
from benchmarks.search_problems import DATA, POSITIVE
from odt_core.data import Folding
from odt_core.errors import InputError
from odt_core.evaluation import Baseline, Measure
from odt_core.solution import Engine
from odt_core.solvers.mip.options import MipOptions
from odt_core.solvers.search import warm_up
from odt_core.studies.comparison import FoldRun
from odt_core.studies.comparison_table import CandidateRow

SHAPES = ("depth-2", "depth-2.5", "depth-3", "imbalanced")
CAPS = {"simple": 1, "comb-con": 2, "comb-unc": None}
SWITCHES = {
    "Nothing": MipOptions(strengthen=False, anchor=False, relax=False),
    "No Anchor": MipOptions(anchor=False),
    "No Relax": MipOptions(relax=False),
    "No Strength": MipOptions(strengthen=False),
    "All": MipOptions(),
}
LARGE = ("a1a", "bc", "heloc", "krkp", "mush", "ttt")
"""Sets whose shape the paper chooses by five hold-outs of 600 rows; others by five folds."""
SPREADS = 2
"""A training accuracy differs from the paper's if it is more standard deviations away."""


@dataclass(frozen=True)
class Line:
    """One line of a table.

    Attributes
    ----------
    data : str
        The data set.
    label : str
        What the line is about.
    ways : tuple of Way or Baseline
        What is trained for each column.
    printed : str
        The paper's cells, with ` | ` between them.
    """

    data: str
    label: str
    ways: tuple[Way | Baseline, ...]
    printed: str


@dataclass(frozen=True)
class Asked:
    """The options of the command line."""

    folder: Path
    sets: tuple[str, ...]
    splits: int
    limit: float
    rows: int | None
    topology: str | None

    def chosen(self, names: Iterable[str]) -> list[str]:
        """The requested names."""
        return [name for name in names if name in self.sets]


@dataclass
class Count:
    """How many trees a table has, and where it differs from the paper's."""

    trees: int = 0
    proved: int = 0
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()

    def add(self, row: CandidateRow, where: str, cell: str) -> None:
        """Count a cell's trees, and compare its training accuracy with the paper's."""
        if not row.is_baseline:
            self.trees += len(row.runs)
            self.proved += row.n_proved
        rates, theirs = row.train(Measure.ACCURACY), re.match(r"(\d+\.\d) \(", cell)
        if theirs is None or rates.mean is None:
            return
        by = 100 * rates.mean - float(theirs[1])
        if abs(by) > 100 * SPREADS * (rates.deviation or 0) + 0.05:
            text = f"{where} {by:+.1f}"
            if by > 0:
                self.above += (text,)
            else:
                self.below += (text,)


def divisions(asked: Asked, name: str) -> list[Division]:
    """The splits of a data set."""
    table, schema = load(asked.folder, name)
    return [Division(table, schema, seed) for seed in range(asked.splits)]


def accuracy_cell(row: CandidateRow) -> str:
    """Training accuracy, test accuracy and its deviation; the number of proved trees if not all."""
    train, test = row.train(Measure.ACCURACY), row.test(Measure.ACCURACY)
    if train.mean is None or test.mean is None:
        return "no tree"
    spread = "" if test.deviation is None else f" ± {100 * test.deviation:.1f}"
    is_partly_proved = not row.is_baseline and row.n_proved < len(row.runs)
    proofs = f" {row.n_proved}/{len(row.runs)}" if is_partly_proved else ""
    return f"{100 * train.mean:.1f} ({100 * test.mean:.1f}{spread}){proofs}"


def seconds_cell(row: CandidateRow) -> str:
    """Mean CPU seconds of a solve; the number of proved trees if not all."""
    proofs = "" if row.n_proved == len(row.runs) else f" {row.n_proved}/{len(row.runs)}"
    return f"{row.seconds:.3g}{proofs}"


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a Markdown table, each row as soon as it is measured."""
    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * len(heads), flush=True)
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)


def run_line(asked: Asked, line: Line, columns: Sequence[str], count: Count) -> list[CandidateRow]:
    """Train all of a line's trees."""
    parts, rows = divisions(asked, line.data), []
    cells = line.printed.split(" | ")
    for way, column, cell in zip(line.ways, columns, cells, strict=True):
        runs = tuple(
            part.fit(way) if isinstance(way, Baseline) else part.train(way, asked.limit)
            for part in parts
        )
        row = CandidateRow(runs[0].candidate, runs, None)
        count.add(row, f"{line.data} {line.label} {column}", cell)
        rows.append(row)
    return rows


def run_lines(
    asked: Asked,
    columns: Sequence[str],
    lines: Iterable[Line],
    cell: Callable[[CandidateRow], str] = accuracy_cell,
) -> Count:
    """Print a table in which each line of ours stands above the paper's."""
    count = Count()

    def rows() -> Iterator[list[str]]:
        for line in lines:
            ours = run_line(asked, line, columns, count)
            yield [line.data, line.label, "ours", *map(cell, ours)]
            yield ["", "", "paper", *line.printed.split(" | ")]

    print_table(("data", "", "", *columns), rows())
    return count


def branching(asked: Asked) -> Count:
    """Section 5.2: simple, comb-con and comb-unc."""
    kinds = list(product(("depth-2", "depth-3"), CAPS))
    ways = tuple(Way(shape, CAPS[cap]) for shape, cap in kinds)
    lines = [
        Line(name, "", ways, printed.BRANCHING[name]) for name in asked.chosen(printed.BRANCHING)
    ]
    return run_lines(asked, [f"{shape} {cap}" for shape, cap in kinds], lines)


def numerical(asked: Asked) -> Count:
    """Section 5.3: ordered columns as numerical (n) or as categorical (c)."""
    lines = [
        Line(
            name,
            kind,
            tuple(Way(shape, as_categories=kind == "c") for shape in SHAPES),
            cells,
        )
        for (name, kind), cells in printed.NUMERICAL.items()
        if name in asked.sets
    ]
    return run_lines(asked, SHAPES, lines)


def cart(asked: Asked) -> Count:
    """Section 5.4: against CART of depth 3, with all columns and with those that CART uses."""
    lines = [
        Line(
            name,
            label,
            (*(Way(shape, is_selected=selected) for shape in SHAPES), Baseline.CART_DEPTH_3),
            cells[name],
        )
        for name in asked.chosen(printed.CART)
        for label, selected, cells in (
            ("all columns", False, printed.CART),
            ("CART's columns", True, printed.CART_SELECTED),
        )
    ]
    return run_lines(asked, (*SHAPES, "CART, depth 3"), lines)


def size(asked: Asked) -> Count:
    """Section 5.5: training rows."""
    sizes = (600, 1200, 1800, 2400)
    lines = [
        Line(name, shape, tuple(Way(shape, rows=rows) for rows in sizes), cells)
        for (name, shape), cells in printed.SIZE.items()
        if name in asked.sets
    ]
    return run_lines(asked, [f"{rows} rows" for rows in sizes], lines)


def shapes(asked: Asked) -> Count:
    """Section 5.1: seconds by shape and rows, with all columns and with those that CART uses."""
    sizes = range(100, 700, 100)
    lines = [
        Line(
            name,
            f"{shape}, {label}",
            tuple(Way(shape, rows=rows, is_selected=selected) for rows in sizes),
            table[name, shape],
        )
        for label, selected, table in (
            ("all columns", False, printed.SHAPES),
            ("CART's columns", True, printed.SHAPES_SELECTED),
        )
        for name, shape in table
        if name in asked.sets
    ]
    return run_lines(asked, [f"{rows} rows" for rows in sizes], lines, seconds_cell)


def switches(asked: Asked) -> Count:
    """Section 5.1: the integer program's switches, solved by CBC and by HiGHS."""
    is_as_printed = asked.rows is None and asked.topology is None
    lines = [
        Line(
            name,
            f"{engine.value}, {asked.rows or rows} rows, {asked.topology or 'depth-3'}",
            tuple(
                Way(
                    asked.topology or "depth-3",
                    rows=asked.rows or rows,
                    is_selected=False,
                    engine=engine,
                    mip=mip,
                )
                for mip in SWITCHES.values()
            ),
            cells if is_as_printed else " | ".join("-" * len(SWITCHES)),
        )
        for (name, rows), cells in printed.SWITCHES.items()
        if name in asked.sets and (asked.rows is None or rows == ROWS // 3)
        for engine in (Engine.CBC, Engine.HIGHS)
    ]
    return run_lines(asked, tuple(SWITCHES), lines, seconds_cell)


def heloc(asked: Asked) -> Count:
    """Section 5.7: depth 2 on 90 % of heloc, CART's columns but at least four."""
    ways = (Way("depth-2", rows=None, least_features=4), Baseline.CART_DEPTH_3)
    line = Line("heloc", "90 % of the rows", ways, printed.HELOC["heloc"])
    return run_lines(asked, ("depth-2", "CART, depth 3"), [line])


def choose_shape(asked: Asked, name: str, part: Division, count: Count) -> str:
    """The shape with the best mean accuracy on folds of the 90 %; of equals, the simplest."""
    folding = Folding(5) if name not in LARGE else Folding(None, 5, train_size=ROWS)
    right: dict[str, list[Fraction]] = {shape: [] for shape in SHAPES}
    for fold in folding:
        rows = part.fold(fold)
        for shape in SHAPES:
            run = part.train(Way(shape), asked.limit, rows)
            count.add(CandidateRow(run.candidate, (run,), None), "", "")
            assert run.test is not None
            right[shape].append(Fraction(run.test.n - run.test.errors, run.test.n))
    return max(SHAPES, key=lambda shape: statistics.mean(right[shape]))


def chosen(asked: Asked) -> Count:
    """Section 5.6: the shape that validation chooses, and CART pruned by validation."""
    count = Count()

    def rows() -> Iterator[list[str]]:
        for name in asked.chosen(printed.CHOSEN):
            trees: list[FoldRun] = []
            peers: list[FoldRun] = []
            names: list[str] = []
            for part in divisions(asked, name):
                names.append(choose_shape(asked, name, part, count))
                trees.append(part.train(Way(names[-1]), asked.limit))
                peers.append(part.fit(Baseline.CART_PRUNED))
                count.add(CandidateRow(trees[-1].candidate, (trees[-1],), None), "", "")
            ours, theirs = (
                CandidateRow(runs[0].candidate, tuple(runs), None) for runs in (trees, peers)
            )
            often = ", ".join(f"{s} {names.count(s)}" for s in SHAPES if s in names)
            cells = [accuracy_cell(ours), f"{ours.leaves:.1f}"]
            cells += [accuracy_cell(theirs), f"{theirs.leaves:.1f}"]
            yield [name, "ours", *cells, often]
            yield ["", "paper", *printed.CHOSEN[name].split(" | "), ""]

    heads = ("data", "", "chosen tree", "leaves", "CART, pruned", "leaves", "how often chosen")
    print_table(heads, rows())
    return count


COMMANDS: dict[str, Callable[[Asked], Count]] = {
    command.__name__: command
    for command in (switches, shapes, branching, numerical, cart, size, chosen, heloc)
}


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", choices=COMMANDS)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the data sets")
    parser.add_argument("--sets", default=",".join(POSITIVE), help="names with commas between")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each tree")
    parser.add_argument("--rows", type=int, help="switches: training rows, not the paper's")
    parser.add_argument("--topology", help="switches: a shape, not depth-3")
    options = parser.parse_args(words)
    sets = tuple(options.sets.split(","))
    unknown = [name for name in sets if name not in POSITIVE]
    if unknown:
        parser.error(f"{unknown[0]!r} is no data set of the paper: give {', '.join(POSITIVE)}.")
    asked = Asked(options.data, sets, options.splits, options.limit, options.rows, options.topology)
    warm_up()
    began = cpu_seconds()
    try:
        count = COMMANDS[options.table](asked)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    print()
    print(f"{count.trees} trees, {count.proved} of them proved the best of their shape.")
    print(
        f"{cpu_seconds() - began:.0f} CPU seconds with reading, CART and testing; "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}."
    )
    for word, found in (("above", count.above), ("below", count.below)):
        if found:
            print(f"Training accuracy is {word} the paper's beyond the spread: {'; '.join(found)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
