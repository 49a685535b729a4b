"""Options that several commands share."""

from __future__ import annotations

import argparse
from fractions import Fraction

from odt_core.cli.option_values import (
    at_least,
    cap,
    day,
    name,
    names,
    one_of,
    seconds,
    share,
    weight,
)
from odt_core.problem import Goal, LeafCount
from odt_core.solution import Engine
from odt_core.topology import PRESETS

DEFAULT_ENGINE = Engine.HYBRID


def add_read_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for reading a file."""
    group = parser.add_argument_group("reading (detected unless given)")
    group.add_argument(
        "--encoding", metavar="NAME", help="the encoding, such as utf-8, utf-16 or cp1252"
    )
    group.add_argument(
        "--delimiter",
        metavar="CHAR",
        help="the character between two cells, such as ',' or ';'; \\t for a tab",
    )
    group.add_argument("--decimal", choices=[".", ","], help="the decimal mark")
    group.add_argument("--quotechar", metavar="CHAR", help="the quotation mark")
    add_count(
        group,
        "--skip-lines",
        least=0,
        default=0,
        help="leave out the first N lines, above the column names (default: 0)",
    )
    group.add_argument(
        "--comment", metavar="MARK", help="leave out lines that begin with this mark, such as #"
    )
    group.add_argument(
        "--units-row",
        action="store_true",
        help="leave out the row of units below the column names",
    )


def add_data_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the file, its columns and the split."""
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a table: CSV, TSV, Excel (.xlsx), OpenDocument (.ods) or Parquet; CSV and TSV also "
        "as .gz, or alone in a .zip",
    )
    group = parser.add_argument_group("columns")
    _add_columns(group)
    _add_reading_of_columns(group)
    _add_missing_and_cuts(group)
    add_read_options(parser)
    _add_rows(parser.add_argument_group("rows"))


def _add_columns(group: argparse._ArgumentGroup) -> None:
    """Add the options that say what each column is."""
    group.add_argument(
        "--target", type=name, metavar="COL", help="the outcome (guessed if not given)"
    )
    group.add_argument("--positive", type=name, metavar="LABEL", help="the positive class")
    for kind in ("numerical", "categorical", "ignore"):
        add_names(
            group,
            f"--{kind}",
            f"the columns to read as {kind}" if kind != "ignore" else "the columns to leave out",
        )
    group.add_argument(
        "--group",
        type=name,
        metavar="COL",
        help="keep rows with the same value in this column, such as a patient, together in "
        "training or in test; 'none' for no group (default: an identifier that repeats, if there "
        "is one)",
    )


def _add_reading_of_columns(group: argparse._ArgumentGroup) -> None:
    """Add the options for columns whose cells need more than a plain reading."""
    add_names(
        group,
        "--join",
        "the columns, also the outcome, in which values count as one if they differ only in case, "
        "blanks, full stops or the form of letters",
    )
    add_names(
        group,
        "--as-numbers",
        "the columns to read as numerical although cells hold signs (12.5%%, $3, (4)), limits "
        "(<0.1 becomes the limit) or dates (which become the year); other texts count as missing",
    )
    add_names(
        group,
        "--mark-limits",
        "the columns with limits (<0.1, >100) to take as numerical, each with a further feature "
        "that says what is known of the cell: below, above or within the limits",
    )
    add_names(
        group,
        "--as-ages",
        "the columns of dates to read as ages: the completed years from each date to --age-date; "
        "other texts count as missing",
    )
    group.add_argument(
        "--age-date",
        metavar="DATE",
        type=day,
        help="the date of the ages, such as 2018-01-30; the model keeps it (default: the latest "
        "date in each column)",
    )


def _add_missing_and_cuts(group: argparse._ArgumentGroup) -> None:
    """Add the options for missing values and cut points."""
    group.add_argument(
        "--missing",
        metavar="TOKENS",
        type=names,
        action="extend",
        help="the texts that count as missing in the features, in addition to empty cells "
        "(default: ?, NA, NaN, null ...; '' for none). For the outcome see --target-missing",
    )
    group.add_argument(
        "--target-missing",
        metavar="TOKENS",
        type=names,
        action="extend",
        help="the texts that count as a missing outcome, in addition to empty cells; such rows are "
        "left out (default: ?, NA, NaN, null ... and words such as unknown; '' for none)",
    )
    group.add_argument(
        "--cuts",
        metavar="WHERE",
        action="append",
        default=[],
        help="the cut points of numerical columns: every (at every value) or deciles (default) for "
        "all columns; COL=every, COL=deciles, COL=20 (quantiles) or 'COL=40;65' (your own cut "
        "points; 'COL=40;' for a single one) for one column. May be repeated",
    )
    add_count(group, "--bins", least=2, metavar="K", help="cut numerical columns at K quantiles")


def _add_rows(rows: argparse._ArgumentGroup) -> None:
    """Add the options for training and test rows."""
    rows.add_argument(
        "--train-size",
        metavar="N",
        default="0.8",
        help="the training rows: a number, a fraction, 'paper' for min(90%%, 600), or 'all' for "
        "every row and no test set (default: 0.8)",
    )
    rows.add_argument(
        "--test-size",
        metavar="N",
        help="the test rows: a number, or a fraction of the rows that do not train (default: all "
        "of them)",
    )
    add_count(
        rows, "--seed", least=0, default=0, metavar="K", help="the seed of the split (default: 0)"
    )


def add_problem_options(
    parser: argparse.ArgumentParser, *, goal: bool = True, shape: bool = True, single: bool = True
) -> argparse._ArgumentGroup:
    """Add the options for shape, goal, cap and rules, and return their group.

    Without `single`, the command has its own lists of caps and feature selections.
    """
    group = parser.add_argument_group("problem")
    if shape:
        group.add_argument(
            "--topology",
            default="depth-2",
            metavar="SHAPE",
            help=f"the tree's shape: {', '.join(PRESETS)}, or a text such as '((. .)(. .))' "
            "(default: depth-2); train and stability also take any-7 and the like, for any shape "
            "with at most 7 questions",
        )
    if single:
        group.add_argument(
            "--max-card",
            type=cap,
            metavar="N",
            help="the largest set of categories, or none (default)",
        )
    if goal:
        _add_goal(group)
    add_names(group, "--forbid", "the columns that no question may be about")
    group.add_argument(
        "--rules", metavar="FILE", help="a JSON file with expert rules for single nodes"
    )
    group.add_argument(
        "--forbid-empty-branches",
        action="store_true",
        help="send at least one category each way at every node",
    )
    add_count(
        group,
        "--min-leaf",
        metavar="M",
        help="every leaf with training rows has at least M of them (default: no condition)",
    )
    group.add_argument(
        "--min-leaf-of",
        type=one_of(LeafCount),
        default=LeafCount.ROWS,
        metavar="WHAT",
        help="the rows that --min-leaf counts: rows (all, default) or rarer-class",
    )
    if single:
        group.add_argument(
            "--feature-selection",
            choices=["none", "cart"],
            default="none",
            help="cart: ask only about the columns that a default CART uses on the training rows",
        )
        add_least_features(group)
    return group


def add_least_features(group: argparse._ArgumentGroup) -> None:
    """Add ``--least-features``, the fewest columns of a selection."""
    add_count(
        group,
        "--least-features",
        default=1,
        metavar="K",
        help="with a feature selection, take at least K columns, by running CART again on the "
        "columns that it left out (default: 1)",
    )


def _add_goal(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--objective",
        type=one_of(Goal),
        default=Goal.ACCURACY,
        metavar="GOAL",
        help=f"the goal: {', '.join(Goal)} (default: accuracy)",
    )
    group.add_argument(
        "--class-weight",
        type=weight,
        default=Fraction(1),
        metavar="C",
        help="the weight of a correct negative; a correct positive has the weight 1",
    )
    group.add_argument("--min-tpr", type=share, metavar="P", help="the floor on sensitivity")
    group.add_argument("--min-tnr", type=share, metavar="P", help="the floor on specificity")


def add_switches(parser: argparse.ArgumentParser) -> None:
    """Add the switches of the integer program."""
    switches = parser.add_argument_group("switches of the integer program (paper, section 4.3)")
    switches.add_argument(
        "--no-strengthen",
        action="store_true",
        help="use the rows (left) and (right) instead of (strongleft) and (strongright)",
    )
    switches.add_argument("--no-anchor", action="store_true", help="use no anchor categories")
    switches.add_argument("--no-relax", action="store_true", help="make every variable binary")
    switches.add_argument(
        "--no-delete",
        action="store_true",
        help="keep the variables of leaves that would classify a row wrongly",
    )
    switches.add_argument(
        "--numerical-direction",
        action="store_true",
        help="break symmetry at numerical columns by w = 1 instead of an anchor (section 4.4)",
    )
    switches.add_argument(
        "--card-direction",
        action="store_true",
        help="break symmetry at capped columns by w = 1 instead of an anchor (section 4.5)",
    )


def add_solver_options(
    parser: argparse.ArgumentParser, engine: Engine = DEFAULT_ENGINE, threads: int = 1
) -> None:
    """Add engine, time limit and threads. Each tree has the full time limit."""
    group = parser.add_argument_group("solving")
    group.add_argument(
        "--engine",
        type=one_of(Engine),
        default=engine,
        metavar="ENGINE",
        help=f"the engine: {', '.join(Engine)} (default: {engine})",
    )
    add_time_limit(group, "a tree")
    many = "" if threads == 1 else "; as many as cores by default"
    add_count(group, "--threads", default=threads, help=f"the number of threads{many}")


def add_time_limit(command: argparse._ActionsContainer, what: str) -> None:
    """Add ``--time-limit``; `what` names the solve."""
    command.add_argument(
        "--time-limit",
        type=seconds,
        default=60.0,
        metavar="S",
        help=f"the time limit for {what}, in seconds (default: 60)",
    )


def add_study_options(parser: argparse.ArgumentParser) -> None:
    """Add the time limit of a frontier and the output."""
    add_time_limit(parser, "a frontier")
    parser.add_argument("--output", metavar="FILE", help="write the table to this CSV file")
    add_json(parser)


def add_model(command: argparse.ArgumentParser) -> None:
    """Add the model of a command."""
    command.add_argument(
        "model",
        metavar="MODEL.json",
        help="a model file, an exported run, or the id of a run on this computer",
    )


def add_by(command: argparse._ActionsContainer) -> None:
    """Add ``--by``, the column of groups."""
    command.add_argument(
        "--by", type=name, metavar="COL", help="also print the rates by the values of this column"
    )


def add_statements(command: argparse.ArgumentParser) -> None:
    """Add the author's statements for a sheet, and the sheet's further evidence."""
    stated = command.add_argument_group("sheets for people")
    stated.add_argument(
        "--stage",
        default="derived",
        help="the model's stage: derived (default), validated or in-use",
    )
    stated.add_argument(
        "--intended-use",
        default="",
        metavar="TEXT",
        help="for whom, where and for which decision the model is meant",
    )
    stated.add_argument(
        "--author", default="", metavar="TEXT", help="who is responsible for the model"
    )
    stated.add_argument(
        "--validation",
        metavar="FILE",
        help="the output of 'validate --json' for this model, for the card and the report",
    )
    stated.add_argument(
        "--evidence",
        nargs="+",
        action="extend",
        default=[],
        metavar="FILE",
        help="the output of 'compare', 'stability', 'curve', 'frontier' or 'validate' with --json, "
        "for the same file and settings; the report shows each, the summary the frontier",
    )
    stated.add_argument(
        "--data",
        dest="file",
        metavar="DATA.csv",
        help="the model's training file: adds the groups of test rows and, if the search takes "
        "about a second, the frontier (default: the stored file, if there is one)",
    )
    add_by(stated)
    add_read_options(command)


def add_output(command: argparse.ArgumentParser) -> None:
    """Add ``--output``."""
    command.add_argument("--output", metavar="FILE", help="write here instead of standard output")


def add_json(command: argparse.ArgumentParser) -> None:
    """Add ``--json``, for programs that read the answer."""
    command.add_argument(
        "--json", action="store_true", help="print one JSON object and nothing else"
    )


def add_jobs(command: argparse.ArgumentParser) -> None:
    """Add ``--jobs``, the number of processes."""
    add_count(command, "--jobs", default=1, help="the number of processes (default: 1)")


def add_keep_formulas(command: argparse.ArgumentParser) -> None:
    """Add ``--keep-formulas``, for commands that write text from a file to a CSV file."""
    command.add_argument(
        "--keep-formulas",
        action="store_true",
        help="write text that begins like a formula as it is; otherwise it gets an apostrophe, so "
        "that a spreadsheet does not compute it",
    )


def add_names(parser: argparse._ActionsContainer, flag: str, help: str) -> None:
    """Add an option that lists names and may be repeated."""
    parser.add_argument(flag, type=names, action="extend", default=[], metavar="A,B", help=help)


def add_count(
    parser: argparse._ActionsContainer,
    *flags: str,
    help: str,
    default: int | None = None,
    least: int = 1,
    metavar: str = "N",
) -> None:
    """Add an option that is a whole number from `least`."""
    parser.add_argument(*flags, type=at_least(least), default=default, metavar=metavar, help=help)
