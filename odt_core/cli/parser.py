"""The parser of the command line, with the options of each command."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import NoReturn, TypeAlias

from odt_core import __version__
from odt_core.cli.option_values import (
    at_least,
    cap,
    column_cost,
    costs,
    listed,
    loss,
    names,
    percentages,
    seconds,
    word_of,
)
from odt_core.cli.options import (
    add_by,
    add_count,
    add_data_options,
    add_jobs,
    add_json,
    add_keep_formulas,
    add_least_features,
    add_model,
    add_names,
    add_output,
    add_problem_options,
    add_read_options,
    add_solver_options,
    add_statements,
    add_study_options,
    add_switches,
    add_time_limit,
)
from odt_core.solution import Engine


class _OneLineParser(argparse.ArgumentParser):
    """A parser that reports an error in one line, without argparse's usage."""

    def error(self, message: str) -> NoReturn:
        text = message[:1].upper() + message[1:]
        print(f"{self.prog}: {text}. See '{self.prog} --help'.", file=sys.stderr)
        sys.exit(2)


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
        help="with the engine hybrid, let CBC confirm programs of any size within the time limit "
        "(default: only if that takes about two seconds)",
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
        description="Find the best trees for floors on training sensitivity (or specificity), "
        "over many splits. Print their sensitivity and specificity in training and on held-out "
        "rows (paper, section 5.8).",
    )
    add_data_options(curve)
    group = add_problem_options(curve, goal=False, shape=False)
    group.add_argument(
        "--levels",
        type=percentages,
        default=None,
        metavar="A,B",
        help="the floors in training, in percent (default: 95,96,97,98,98.5,99,99.5,100)",
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
        help="the shapes (default: depth-2,depth-3)",
    )
    add_count(
        group,
        "--repeats",
        default=10,
        help="the number of splits, which have the seeds K, K + 1, ... (default: 10; the paper has "
        "30)",
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
        help="the largest number of questions, from 1 to 15 (default: 7)",
    )
    add_count(
        group,
        "--folds",
        least=2,
        help="cross-validate on N folds of the training rows (default: no cross-validation)",
    )
    add_count(group, "--repeats", help="how often the rows are divided into folds (default: 1)")
    add_solver_options(path, threads=os.cpu_count() or 1)
    path.add_argument("--output", metavar="FILE", help="write the points to this CSV file")
    add_jobs(path)
    add_json(path)


def _add_alternatives(commands: Commands) -> None:
    alternatives = _command(
        commands,
        "alternatives",
        help="list the near-optimal trees, best first",
        description="List the best tree of the shape for each choice of columns, best first. "
        "Prove up to which loss no tree is missing. For each column, find the least errors without "
        "it.",
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
        help="list at most N trees (default: 100)",
    )
    group.add_argument(
        "--within",
        type=loss,
        metavar="D",
        help="list trees that are at most D worse than the best: D errors (weighted by "
        "--class-weight), or D percentage points of the goal's rate (default: any)",
    )
    add_time_limit(alternatives, "the list")
    chosen = alternatives.add_argument_group("which trees to search for")
    add_names(chosen, "--without", "search only for trees that do not ask about these columns")
    add_names(chosen, "--only", "search only for trees that ask about no other columns than these")
    chosen.add_argument(
        "--cost", type=column_cost, action="append", default=[], metavar="COL=VALUE",
        help="what asking about a column costs; may be repeated (default: 1 for each)",
    )  # fmt: skip
    chosen.add_argument(
        "--max-total-cost", type=loss, metavar="C",
        help="search only for trees whose columns cost at most C together, each paid once",
    )  # fmt: skip
    alternatives.add_argument(
        "--max-cost", type=loss, metavar="C",
        help="print only the listed trees that cost at most C per training row, on average",
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
        help="the shapes (default: depth-2,depth-2.5,depth-3,imbalanced)",
    )
    group.add_argument(
        "--max-cards",
        type=listed(cap),
        default=[None],
        metavar="1,2,none",
        help="the largest sets of categories (default: none, no cap)",
    )
    group.add_argument(
        "--cut-points",
        type=listed(word_of("as-set", "deciles", "every")),
        default=["as-set"],
        metavar="A,B",
        help="the cut points of numerical columns: as-set (by --cuts, default), deciles or every "
        "(at every value); your own cut points always stay",
    )
    group.add_argument(
        "--feature-selections",
        type=listed(word_of("none", "cart")),
        default=["none"],
        metavar="A,B",
        help="the columns that trees may use: none (all, default), cart (only those of a default "
        "CART on the fold's training rows), or both: none,cart",
    )
    add_least_features(group)
    _add_folds(compare.add_argument_group("folds"))
    add_solver_options(compare, engine=Engine.SEARCH)
    compare.add_argument("--output", metavar="FILE", help="write the table to this CSV file")
    add_json(compare)
    add_jobs(compare)


def _add_folds(folds: argparse._ArgumentGroup) -> None:
    """Add the options for the folds of a comparison."""
    add_count(
        folds,
        "--folds",
        least=2,
        metavar="K",
        help="the number of folds of stratified k-fold (default: 5)",
    )
    folds.add_argument(
        "--hold-out",
        metavar="N",
        help="use repeated hold-out instead: train on N rows (a number, a fraction, or "
        "'paper' for min(90%%, 600)) and test on the rest",
    )
    add_count(
        folds,
        "--repeats",
        metavar="R",
        help="how often the rows are divided (default: 1; with --hold-out: 5)",
    )


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
    add_count(group, "--resamples", default=200, help="the number of refits (default: 200)")
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
        "--time-limit",
        type=seconds,
        default=60.0,
        metavar="S",
        help="the time limit in seconds (default: 60)",
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
        help="the format: dot, svg, png, rules, python, sql, json, card, html or report (the "
        "report), summary (SVG) or summary-png",
    )
    add_statements(export)
    add_output(export)


def _add_report(commands: Commands) -> None:
    report = _command(
        commands,
        "report",
        help="write a model's report or rule card as one HTML file",
        description="Write a model's report, or its rule card, as one HTML file that prints well "
        "and needs no server.",
        module="export",
    )
    add_model(report)
    report.add_argument(
        "--card",
        dest="format",
        action="store_const",
        const="card",
        default="report",
        help="write the rule card instead of the report",
    )
    add_statements(report)
    add_output(report)


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
    write.add_argument(
        "--output",
        required=True,
        metavar="FILE",
        help="write to this file, which ends in .lp or .mps",
    )


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
        help="options of 'streamlit run' after --, such as --server.maxUploadSize=500",
    )


def _add_cluster_certificates(commands: Commands) -> None:
    certificates = _command(
        commands,
        "cluster-certificates",
        help="write the certificates that the machines of a Dask cluster need",
    )
    certificates.add_argument("folder", metavar="FOLDER", help="a new folder for the certificates")
