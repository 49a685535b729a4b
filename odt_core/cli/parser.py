"""Options of every command."""

from __future__ import annotations

import argparse
import csv
import os
import sys
import unicodedata
from collections.abc import Callable
from datetime import date
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import NoReturn, TypeAlias, TypeVar

from odt_core import __version__
from odt_core.errors import InputError
from odt_core.exact import exact_decimal, exact_number, parse_floor, parse_weight
from odt_core.problem import Goal, LeafCount
from odt_core.solution import Engine
from odt_core.topology import PRESETS

Choice = TypeVar("Choice", bound=StrEnum)
Item = TypeVar("Item")

DEFAULT_ENGINE = Engine.HYBRID


class _OneLineParser(argparse.ArgumentParser):
    """A parser that reports an error in one line, without argparse's usage."""

    def error(self, message: str) -> NoReturn:
        text = message[:1].upper() + message[1:]
        print(f"{self.prog}: {text}. See '{self.prog} --help'.", file=sys.stderr)
        sys.exit(2)


def names(text: str) -> list[str]:
    """Read a list option. Commas separate, and names with commas have quotes as in CSV."""
    return [name(cell) for cell in next(csv.reader([text], skipinitialspace=True), [])]


def name(text: str) -> str:
    """Read a column or label, with accents composed as in tables."""
    return unicodedata.normalize("NFC", text).strip()


def day(text: str) -> date:
    """Read a date such as 2018-01-30."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date such as 2018-01-30") from None


def share(text: str) -> Fraction:
    """Read an exact rate: ``0.95`` or ``95%``."""
    written = text.strip()
    is_percent = written.endswith("%")
    value = exact_decimal(written[:-1]) if is_percent else exact_number(written)
    if value is None:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a share: give a number from 0 to 1, or a percentage such as 95%"
        )
    value = value / 100 if is_percent else value
    if value > 1:
        raise argparse.ArgumentTypeError(
            f"{text!r} is outside 0 to 1: give a share such as 0.95, or a percentage such as 95%"
        )
    return value


def weight(text: str) -> Fraction:
    """Read an exact class weight: an integer, a fraction or a decimal."""
    try:
        return parse_weight(text, "the weight")
    except InputError as error:
        # the parser adds the full stop
        raise argparse.ArgumentTypeError(str(error).removesuffix(".")) from None


def percentages(text: str) -> tuple[Fraction, ...]:
    """Read exact levels in percent, such as ``95,98.5,100``."""
    found: list[Fraction] = []
    for part in text.split(","):
        try:
            level = parse_floor(part, "A level")
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from error
        if level not in found:
            found.append(level)
    return tuple(found)


def costs(text: str) -> tuple[Fraction, Fraction]:
    """Read two exact costs such as ``10:1``. The second cost is 1 if absent."""
    first, colon, second = text.partition(":")
    try:
        return weight(first), weight(second) if colon else Fraction(1)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a pair of costs: {error}") from None


def loss(text: str) -> Fraction:
    """Read a number from 0, exactly."""
    value = exact_decimal(text.strip())
    if value is None or value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not usable: give a number from 0 on")
    return value


def column_cost(text: str) -> tuple[str, Fraction]:
    """Read a column's cost such as ``age=0.5``. The last equals sign separates the two."""
    column, equals, cost = text.rpartition("=")
    if not equals or not column:
        raise argparse.ArgumentTypeError(f"{text!r} is not usable: give COL=VALUE, such as age=2")
    return name(column), loss(cost)


def cap(text: str) -> int | None:
    """Read max.card: a whole number, or ``none``."""
    if text.strip().lower() == "none":
        return None
    return _whole(text, least=1, extra=", or 'none' for no cap")


def _whole(text: str, *, least: int, extra: str = "") -> int:
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if value < least:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not usable: give a whole number of at least {least}{extra}"
        )
    return value


def at_least(least: int) -> Callable[[str], int]:
    """Return a reader of whole numbers from `least`."""

    def parse(text: str) -> int:
        return _whole(text, least=least)

    return parse


def seconds(text: str) -> float:
    """Read a number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds greater than 0")
    return value


def one_of(choices: type[Choice]) -> Callable[[str], Choice]:
    """Return a reader of an enum's values. Argparse's message would name the enum's class."""
    word = word_of(*choices)
    return lambda text: choices(word(text))


def word_of(*words: str) -> Callable[[str], str]:
    """Return a reader of some words. Their enum would load the command's slow modules."""

    def parse(text: str) -> str:
        if text not in words:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not one of {', '.join(words)}: give one of these"
            )
        return text

    return parse


def listed(parse: Callable[[str], Item]) -> Callable[[str], list[Item]]:
    """Return a reader of a list option that parses each item."""

    def parse_all(text: str) -> list[Item]:
        return [parse(part.strip()) for part in text.split(",")]

    return parse_all


def program() -> str:
    """Return the program's name as typed: the installed command or the package."""
    return "odt" if Path(sys.argv[0]).stem == "odt" else "odt_core"


def make_parser() -> argparse.ArgumentParser:
    """Make the parser of the command line. Each command's function is its `run` default."""
    parser = _OneLineParser(
        prog=program(),
        description="Provably optimal small decision trees for categorical and numerical data.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(
        title="commands", required=True, metavar="COMMAND", parser_class=_OneLineParser
    )
    _add_train(commands)
    _add_frontier(commands)
    _add_curve(commands)
    _add_compare(commands)
    _add_path(commands)
    _add_alternatives(commands)
    _add_stability(commands)
    _add_predict(commands)
    _add_validate(commands)
    _add_export(commands)
    _add_report(commands)
    _add_verify(commands)
    _add_write_model(commands)
    _add_sample(commands)
    _add_app(commands)
    _add_cluster_certificates(commands)
    return parser


Commands: TypeAlias = "argparse._SubParsersAction[_OneLineParser]"


def _command(
    commands: Commands,
    name: str,
    *,
    help: str,
    description: str | None = None,
    module: str | None = None,
) -> argparse.ArgumentParser:
    """Add a command. Its module is imported when it runs, so that ``--help`` is quick.

    Parameters
    ----------
    commands : argparse action
        The commands.
    name : str
        The command's name.
    help, description : str
        The texts of ``--help``, in the list of commands and for the command.
    module : str, optional
        Its module in this package; by default the one with the command's name.
    """
    path = f"odt_core.cli.{module or name.replace('-', '_')}"

    def run(options: argparse.Namespace) -> int:
        import importlib

        return int(importlib.import_module(path).run(options))

    command = commands.add_parser(name, help=help, description=description)
    command.set_defaults(run=run)
    return command


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


def _add_train(commands: Commands) -> None:
    train = _command(
        commands,
        "train",
        help="find the best tree of a shape",
        description="Find the provably best tree of a shape and test it on the test rows.",
        module="long_file",
    )
    add_data_options(train)
    add_problem_options(train)
    add_switches(train)
    train.add_argument(
        "--confirm-always",
        action="store_true",
        help="engine hybrid: CBC confirms programs of any size within the time limit; otherwise "
        "only if that takes about two seconds",
    )
    add_solver_options(train)
    train.add_argument("--output", metavar="FILE", help="write the model to this JSON file")
    add_json(train)


def _add_frontier(commands: Commands) -> None:
    frontier = _command(
        commands,
        "frontier",
        help="find every undominated pair of sensitivity and specificity",
        description="Find every undominated pair of false negatives and false positives that a "
        "tree of the shape reaches on the training rows, each with its tree.",
    )
    add_data_options(frontier)
    group = add_problem_options(frontier, goal=False)
    group.add_argument(
        "--costs",
        type=costs,
        metavar="FN:FP",
        help="the costs of a false negative and a false positive, such as 10:1, to mark the best "
        "point for them",
    )
    add_study_options(frontier)
    add_keep_formulas(frontier)


def _add_curve(commands: Commands) -> None:
    curve = _command(
        commands,
        "curve",
        help="compare sensitivity in training and on test rows over many splits",
        description="For floors on training sensitivity (or specificity), the best trees' "
        "sensitivity and specificity in training and on held-out rows, over many splits (paper, "
        "section 5.8).",
    )
    add_data_options(curve)
    group = add_problem_options(curve, goal=False, shape=False)
    group.add_argument(
        "--levels",
        type=percentages,
        default=None,
        metavar="A,B",
        help="floors in training, in percent (default: 95,96,97,98,98.5,99,99.5,100)",
    )
    group.add_argument(
        "--sweep",
        choices=("tpr", "tnr"),
        default="tpr",
        help="the rate with the floors: tpr, sensitivity (default), or tnr, specificity; the other "
        "rate is maximised",
    )
    group.add_argument(
        "--topologies",
        type=names,
        default=["depth-2", "depth-3"],
        metavar="A,B",
        help="shapes (default: depth-2,depth-3)",
    )
    add_count(
        group,
        "--repeats",
        default=10,
        help="splits, with the seeds K, K + 1 ... (default: 10; the paper has 30)",
    )
    add_study_options(curve)
    add_jobs(curve)


def _add_path(commands: Commands) -> None:
    path = _command(
        commands,
        "path",
        help="find the best trees of any shape, by their number of questions",
        description="For k = 0, 1, 2, ... questions, find the best tree on the training rows of "
        "any shape with at most k questions on at most four levels, with a proof. With --folds, "
        "also estimate the errors on unseen rows.",
    )
    add_data_options(path)
    group = add_problem_options(path, shape=False)
    add_count(
        group,
        "--most-questions",
        default=7,
        metavar="K",
        help="largest number of questions, from 1 to 15 (default: 7)",
    )
    add_count(
        group,
        "--folds",
        least=2,
        help="cross-validate on so many folds of the training rows (default: no cross-validation)",
    )
    add_count(group, "--repeats", help="with --folds: how often the rows are divided (default: 1)")
    add_solver_options(path, threads=os.cpu_count() or 1)
    path.add_argument("--output", metavar="FILE", help="write the points to this CSV file")
    add_jobs(path)
    add_json(path)


def _add_alternatives(commands: Commands) -> None:
    alternatives = _command(
        commands,
        "alternatives",
        help="list the near-optimal trees, best first",
        description="For each choice of columns the best tree of the shape, best first, with a "
        "proof up to where none is missing; and for each column the least errors without it.",
    )
    add_data_options(alternatives)
    group = add_problem_options(alternatives)
    group.add_argument(
        "--most",
        "--number",
        dest="most",
        type=at_least(1),
        default=100,
        metavar="N",
        help="list at most so many trees (default: 100)",
    )
    group.add_argument(
        "--within",
        type=loss,
        metavar="D",
        help="list trees up to so much worse than the best: errors (weighted by --class-weight), "
        "or percentage points of the goal's rate (default: any)",
    )
    add_time_limit(alternatives, "the list")
    chosen = alternatives.add_argument_group("which trees to search for")
    add_names(chosen, "--without", "only trees that do not ask about these columns")
    add_names(chosen, "--only", "only trees that ask about no other columns than these")
    chosen.add_argument(
        "--cost", type=column_cost, action="append", default=[], metavar="COL=VALUE",
        help="what asking about a column costs; may be repeated (default: 1 for each)",
    )  # fmt: skip
    chosen.add_argument(
        "--max-total-cost", type=loss, metavar="C",
        help="only trees whose columns cost at most so much together, each paid once",
    )  # fmt: skip
    alternatives.add_argument(
        "--max-cost", type=loss, metavar="C",
        help="print only those of the listed trees that cost at most so much per training row, on "
        "average",
    )  # fmt: skip
    alternatives.add_argument(
        "--csv", "--output", dest="output", metavar="FILE", help="write the trees to this CSV file"
    )
    add_json(alternatives)
    add_keep_formulas(alternatives)


def _add_compare(commands: Commands) -> None:
    compare = _command(
        commands,
        "compare",
        help="compare shapes, caps and cut points with each other and with CART",
        description="Train every combination of the given shapes, caps, cut points and feature "
        "selections, and CART and other baselines, on the same folds of the training rows, and say "
        "which does best on the rows left out (paper, sections 5.4 and 5.6). With --train-size "
        "all, the folds have all rows.",
    )
    add_data_options(compare)
    group = add_problem_options(compare, shape=False, single=False)
    group.add_argument(
        "--topologies",
        type=names,
        default=["depth-2", "depth-2.5", "depth-3", "imbalanced"],
        metavar="A,B",
        help="shapes (default: depth-2,depth-2.5,depth-3,imbalanced)",
    )
    group.add_argument(
        "--max-cards",
        type=listed(cap),
        default=[None],
        metavar="1,2,none",
        help="largest sets of categories (default: none, no cap)",
    )
    group.add_argument(
        "--cut-points",
        type=listed(word_of("as-set", "deciles", "every")),
        default=["as-set"],
        metavar="A,B",
        help="cut points of numerical columns: as-set (by --cuts, default), deciles or every (at "
        "every value); your own cut points always stay",
    )
    group.add_argument(
        "--feature-selections",
        type=listed(word_of("none", "cart")),
        default=["none"],
        metavar="A,B",
        help="columns that trees may use: none (all, default), cart (only those of a default CART "
        "on the fold's training rows), or both: none,cart",
    )
    add_least_features(group)
    folds = compare.add_argument_group("folds")
    add_count(
        folds, "--folds", least=2, metavar="K", help="folds of stratified k-fold (default: 5)"
    )
    folds.add_argument(
        "--hold-out",
        metavar="N",
        help="repeated hold-out instead: train on so many rows (a number, a fraction, or 'paper' "
        "for min(90%%, 600)) and test on the rest",
    )
    add_count(
        folds,
        "--repeats",
        metavar="R",
        help="how often the rows are divided (default: 1, with --hold-out 5)",
    )
    add_solver_options(compare, engine=Engine.SEARCH)
    compare.add_argument("--output", metavar="FILE", help="write the table to this CSV file")
    add_json(compare)
    add_jobs(compare)


def _add_stability(commands: Commands) -> None:
    stability = _command(
        commands,
        "stability",
        help="train the tree again on bootstrap resamples: would other rows give the same tree?",
        description="Find the best tree on many bootstrap resamples of the training rows, with a "
        "proof for each. Say which columns the trees ask about, how many different trees there "
        "are, how often each row's answer changes, and by how much the rates on the training rows "
        "are too good.",
    )
    add_data_options(stability)
    group = add_problem_options(stability)
    add_count(group, "--resamples", default=200, help="refits (default: 200)")
    add_time_limit(stability, "a refit")
    stability.add_argument("--output", metavar="FILE", help="write the columns to this CSV file")
    stability.add_argument(
        "--rows-output",
        metavar="FILE",
        help="write how often each training row's answer changes to this CSV file",
    )
    add_json(stability)
    add_keep_formulas(stability)
    add_jobs(stability)


def add_json(command: argparse.ArgumentParser) -> None:
    """Add ``--json``, for programs that read the answer."""
    command.add_argument(
        "--json", action="store_true", help="print one JSON object and nothing else"
    )


def add_jobs(command: argparse.ArgumentParser) -> None:
    """Add ``--jobs``, the number of processes."""
    add_count(command, "--jobs", default=1, help="processes (default: 1)")


def add_time_limit(command: argparse._ActionsContainer, what: str) -> None:
    """Add ``--time-limit``; `what` names the solve."""
    command.add_argument(
        "--time-limit",
        type=seconds,
        default=60.0,
        metavar="S",
        help=f"seconds for {what} (default: 60)",
    )


def add_study_options(parser: argparse.ArgumentParser) -> None:
    """Add the time limit of a frontier and the output."""
    add_time_limit(parser, "a frontier")
    parser.add_argument("--output", metavar="FILE", help="write the table to this CSV file")
    add_json(parser)


def _add_predict(commands: Commands) -> None:
    predict = _command(
        commands,
        "predict",
        help="apply a model to a table",
        description="Apply a model to a table, and write the table with answer, leaf, risk and "
        "warnings for each row.",
    )
    add_model(predict)
    predict.add_argument("file", metavar="DATA.csv")
    add_output(predict)
    add_read_options(predict)
    add_keep_formulas(predict)


def _add_validate(commands: Commands) -> None:
    validate = _command(
        commands,
        "validate",
        help="validate a model on rows that did not train it",
        description="Apply a frozen model to rows with a known outcome. Print the flow of rows, "
        "the 2x2 table, all rates beside training and test, and the calibration of the leaves. In "
        "the model's training file, the training rows are left out.",
    )
    add_model(validate)
    validate.add_argument("file", metavar="DATA.csv")
    add_by(validate)
    add_json(validate)
    add_read_options(validate)


def add_output(command: argparse.ArgumentParser) -> None:
    """Add ``--output``."""
    command.add_argument("--output", metavar="FILE", help="write here instead of standard output")


def add_by(command: argparse._ActionsContainer) -> None:
    """Add ``--by``, the column of groups."""
    command.add_argument(
        "--by", type=name, metavar="COL", help="also print the rates by the values of this column"
    )


def add_model(command: argparse.ArgumentParser) -> None:
    """Add the model of a command."""
    command.add_argument(
        "model",
        metavar="MODEL.json",
        help="a model file, an exported run, or the id of a run on this computer",
    )


def _add_verify(commands: Commands) -> None:
    verify = _command(
        commands,
        "verify",
        help="try every tree of a model's shape, to check that no tree is better",
        description="Try every tree of a model's shape on its training rows, by plain enumeration "
        "that shares no code with the search. Exit status 0: no tree is better; 1: a tree is "
        "better, or time ran out.",
    )
    verify.add_argument("model", metavar="MODEL.json")
    verify.add_argument("file", metavar="DATA.csv", help="the file that the model was trained on")
    verify.add_argument(
        "--time-limit", type=seconds, default=60.0, metavar="S", help="seconds (default: 60)"
    )
    add_json(verify)
    add_read_options(verify)


def _add_export(commands: Commands) -> None:
    export = _command(
        commands,
        "export",
        help="write a model as a picture, as rules, as code or as a sheet for people",
        description="Write a model's tree as a picture, as rules, as code, or as a sheet for "
        "people: the rule card, the report or the one-page summary.",
    )
    add_model(export)
    export.add_argument(
        "--format",
        required=True,
        help="dot, svg, png, rules, python, sql, json, card, html or report (the report), "
        "summary (SVG) or summary-png",
    )
    _add_statements(export)
    add_output(export)


def _add_report(commands: Commands) -> None:
    report = _command(
        commands,
        "report",
        help="write a model's report or rule card as one HTML file",
        description="Write a model's report, or its rule card, as one HTML file that prints well "
        "and needs no server.",
    )
    add_model(report)
    report.add_argument("--card", action="store_true", help="the rule card instead of the report")
    _add_statements(report)
    add_output(report)


def _add_statements(command: argparse.ArgumentParser) -> None:
    """Add the author's statements for a sheet, and the sheet's further evidence."""
    stated = command.add_argument_group("sheets for people")
    stated.add_argument(
        "--stage", default="derived", help="derived (the default), validated or in-use"
    )
    stated.add_argument(
        "--intended-use", default="", metavar="TEXT", help="for whom, where, for which decision"
    )
    stated.add_argument("--author", default="", metavar="TEXT", help="who is responsible for it")
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


def _add_write_model(commands: Commands) -> None:
    write = _command(
        commands,
        "write-model",
        help="write the integer program itself, for any solver",
        description="Write the integer program of a training run as an LP or MPS file.",
    )
    add_data_options(write)
    add_problem_options(write)
    add_switches(write)
    write.add_argument("--output", required=True, metavar="FILE", help="ends in .lp or .mps")


def add_keep_formulas(command: argparse.ArgumentParser) -> None:
    """Add ``--keep-formulas``, for commands that write text from a file to a CSV file."""
    command.add_argument(
        "--keep-formulas",
        action="store_true",
        help="write text that begins like a formula as it is; otherwise it gets an apostrophe, so "
        "that a spreadsheet does not compute it",
    )


def _add_cluster_certificates(commands: Commands) -> None:
    certificates = _command(
        commands,
        "cluster-certificates",
        help="write the certificates that the machines of a Dask cluster need",
    )
    certificates.add_argument("folder", metavar="FOLDER", help="a new folder for the certificates")


def _add_sample(commands: Commands) -> None:
    sample = _command(
        commands,
        "sample",
        help="write a built-in data set as CSV, to try the commands",
        description="Write a built-in data set: breast-cancer, triage, tic-tac-toe or monks-1.",
    )
    sample.add_argument("name", metavar="NAME")
    add_output(sample)


def _add_app(commands: Commands) -> None:
    app = _command(
        commands,
        "app",
        help="start the dashboard",
        description="Start the dashboard on this machine and open it in the browser.",
    )
    add_count(app, "--port", help="the port (default: 8501, or the next free)")
    app.add_argument("--no-browser", action="store_true", help="do not open the browser")
    app.add_argument(
        "streamlit",
        nargs="*",
        metavar="OPTION",
        help="after --: options of 'streamlit run', such as --server.maxUploadSize=500",
    )


def add_read_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for reading a file."""
    group = parser.add_argument_group("reading (detected unless given)")
    group.add_argument("--encoding", metavar="NAME", help="such as utf-8, utf-16 or cp1252")
    group.add_argument("--delimiter", metavar="CHAR", help="such as ',' or ';'; \\t for a tab")
    group.add_argument("--decimal", choices=[".", ","], help="the decimal mark")
    group.add_argument("--quotechar", metavar="CHAR", help="the quotation mark")
    add_count(
        group,
        "--skip-lines",
        least=0,
        default=0,
        help="leave out the first N lines, above the column names (default: 0)",
    )
    group.add_argument("--comment", metavar="MARK", help="leave out lines that begin with it: #")
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
    group.add_argument(
        "--target", type=name, metavar="COL", help="the outcome (guessed if not given)"
    )
    group.add_argument("--positive", type=name, metavar="LABEL", help="the positive class")
    for kind in ("numerical", "categorical", "ignore"):
        add_names(
            group,
            f"--{kind}",
            f"columns to read as {kind}" if kind != "ignore" else "columns to leave out",
        )
    group.add_argument(
        "--group",
        type=name,
        metavar="COL",
        help="keep rows with the same value in this column, such as a patient, together in "
        "training or in test; 'none' for no group (default: an identifier that repeats, if there "
        "is one)",
    )
    add_names(
        group,
        "--join",
        "columns, also the outcome, in which values count as one if they differ only in case, "
        "blanks, full stops or the form of letters",
    )
    add_names(
        group,
        "--as-numbers",
        "columns to read as numerical although cells hold signs (12.5%%, $3, (4)), limits "
        "(<0.1 becomes the limit) or dates (which become the year); other texts count as missing",
    )
    add_names(
        group,
        "--mark-limits",
        "columns with limits (<0.1, >100) to take as numerical, each with a further feature "
        "that says what is known of the cell: below, above or within the limits",
    )
    add_names(
        group,
        "--as-ages",
        "columns of dates to read as ages: the completed years from each date to --age-date; "
        "other texts count as missing",
    )
    group.add_argument(
        "--age-date",
        metavar="DATE",
        type=day,
        help="the date of the ages, such as 2018-01-30; the model keeps it (default: the latest "
        "date in each column)",
    )
    group.add_argument(
        "--missing",
        metavar="TOKENS",
        type=names,
        action="extend",
        help="texts that count as missing in the features, in addition to empty cells (default: ?, "
        "NA, NaN, null ...; '' for none). For the outcome see --target-missing",
    )
    group.add_argument(
        "--target-missing",
        metavar="TOKENS",
        type=names,
        action="extend",
        help="texts that count as a missing outcome, in addition to empty cells; such rows are "
        "left out (default: ?, NA, NaN, null ... and words such as unknown; '' for none)",
    )
    group.add_argument(
        "--cuts",
        metavar="WHERE",
        action="append",
        default=[],
        help="cut points of numerical columns: every (at every value) or deciles (default) for all "
        "columns; COL=every, COL=deciles, COL=20 (quantiles) or 'COL=40;65' (your own cut points; "
        "'COL=40;' for a single one) for one column. May be repeated",
    )
    add_count(group, "--bins", least=2, metavar="K", help="cut numerical columns at K quantiles")
    add_read_options(parser)
    rows = parser.add_argument_group("rows")
    rows.add_argument(
        "--train-size",
        metavar="N",
        default="0.8",
        help="training rows: a number, a fraction, 'paper' for min(90%%, 600), or 'all' for every "
        "row and no test set (default: 0.8)",
    )
    rows.add_argument(
        "--test-size",
        metavar="N",
        help="test rows: a number, or a fraction of the rows that do not train (default: all of "
        "them)",
    )
    add_count(rows, "--seed", least=0, default=0, metavar="K", help="for the split (default: 0)")


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
            help=f"{', '.join(PRESETS)}, or a shape such as '((. .)(. .))' (default: depth-2); "
            "train and stability: also any-7 and the like, for any shape with at most 7 questions",
        )
    if single:
        group.add_argument(
            "--max-card", type=cap, metavar="N", help="largest set of categories, or none (default)"
        )
    if goal:
        _add_goal(group)
    add_names(group, "--forbid", "columns that no question may be about")
    group.add_argument("--rules", metavar="FILE", help="expert rules for single nodes, as JSON")
    group.add_argument(
        "--forbid-empty-branches",
        action="store_true",
        help="at every node at least one category goes each way",
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
            help="cart: only columns that a default CART on the training rows uses",
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
        help="with a feature selection: at least K columns, by running CART again on the columns "
        "that it left out (default: 1)",
    )


def _add_goal(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--objective",
        type=one_of(Goal),
        default=Goal.ACCURACY,
        metavar="GOAL",
        help=f"{', '.join(Goal)} (default: accuracy)",
    )
    group.add_argument(
        "--class-weight",
        type=weight,
        default=Fraction(1),
        metavar="C",
        help="the weight of a correct negative; a correct positive has the weight 1",
    )
    group.add_argument("--min-tpr", type=share, metavar="P", help="floor on sensitivity")
    group.add_argument("--min-tnr", type=share, metavar="P", help="floor on specificity")


def add_switches(parser: argparse.ArgumentParser) -> None:
    """Add the switches of the integer program."""
    switches = parser.add_argument_group("switches of the integer program (paper, section 4.3)")
    switches.add_argument("--no-strengthen", action="store_true", help="weak rows for left, right")
    switches.add_argument("--no-anchor", action="store_true", help="no anchor categories")
    switches.add_argument("--no-relax", action="store_true", help="every variable is binary")
    switches.add_argument("--no-delete", action="store_true", help="keep variables of wrong leaves")
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
        help=f"{', '.join(Engine)} (default: {engine})",
    )
    add_time_limit(group, "a tree")
    many = "" if threads == 1 else "; as many as cores by default"
    add_count(group, "--threads", default=threads, help=f"threads{many}")
