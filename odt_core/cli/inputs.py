"""Conversion of parsed options to a table and a specification."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from odt_core.cli.options import DEFAULT_ENGINE
from odt_core.data import (
    DEFAULT_MISSING_TOKENS,
    BinMethod,
    Binning,
    Change,
    ColumnKind,
    Finding,
    NumberForm,
    ReadOptions,
    RefusedRowsError,
    Schema,
    Severity,
    SplitSpec,
    Table,
    as_ages,
    as_numbers,
    check_schema,
    infer_schema,
    read_table,
    spellings,
    target_labels,
    with_limit_mark,
)
from odt_core.data.stray_lines import option_words
from odt_core.errors import InputError, quoted
from odt_core.problem import Objective, SmallestLeaf
from odt_core.solvers.mip.options import MipOptions
from odt_core.topology import AnyShape, Topology, parse_shape
from odt_core.training import FeatureSelection, NodeRuleSpec, RulesSpec, TrainSpec
from odt_core.words import count_words, list_words


def note(text: str) -> None:
    """Print a note on standard error."""
    print(text, file=sys.stderr)


def read_options(options: argparse.Namespace) -> ReadOptions:
    """Make the reading options."""
    return ReadOptions(
        encoding=options.encoding,
        delimiter="\t" if options.delimiter == "\\t" else options.delimiter,
        decimal=options.decimal,
        quotechar=options.quotechar,
        skip_lines=options.skip_lines,
        comment=options.comment,
        units_row=options.units_row,
    )


def load_table(options: argparse.Namespace) -> Table:
    """Read the file that the options name.

    Raises
    ------
    InputError
        If there is no such file or it cannot be read as a table.
    """
    path = Path(options.file)
    if not path.is_file():
        if path.exists():
            what = "folder" if path.is_dir() else "pipe or device"
            raise InputError(f"{quoted(options.file)} is a {what}: give a file.")
        raise InputError(f"There is no file {quoted(options.file)}: check the path.")
    try:
        table = read_table(path, read_options(options), name=path.name)
    except RefusedRowsError as error:
        if error.instead is None:
            raise
        raise InputError(f"{error} Give {option_words(error.instead)}.") from error
    for sentence in table.report.notes:
        note(sentence)
    return table


def make_schema(table: Table, options: argparse.Namespace) -> Schema:
    """Make the schema from the options. Other columns are inferred, as in the dashboard."""
    _check_columns(table, options)
    schema = _proposed(table, options)
    schema = _joined(table, schema, options.join).confirmed()
    if options.target is None:
        note(f"Outcome: {quoted(schema.target)} (guessed; name it with --target).")
    if options.positive is None:
        labels = ", ".join(map(quoted, target_labels(table, schema)))
        positive = quoted(schema.positive)
        note(f"Positive class: {positive} of {labels} (guessed; name it with --positive).")
    for kind in ColumnKind:
        schema = schema.with_kinds(dict.fromkeys(getattr(options, kind.value), kind))
    for column in options.as_numbers:
        schema = as_numbers(table, schema, column)
    for column in options.mark_limits:
        schema = with_limit_mark(table, schema, column)
    for column in options.as_ages:
        schema = as_ages(table, schema, column, options.age_date)
    schema = _with_cuts(_grouped(schema, options), options)
    findings = check_schema(table, schema)
    _refuse_units(findings)
    if options.positive is None:
        _refuse_spellings(schema, findings)
    for finding in findings:
        if finding.severity is not Severity.ERROR:
            note(finding.message + _flags(finding))
    return schema


def _refuse_units(findings: Sequence[Finding]) -> None:
    """Refuse a row of units: its columns of numbers would be columns of text."""
    for finding in findings:
        if any(remedy.change is Change.UNITS_ROW for remedy in finding.remedies):
            raise InputError(
                f"{finding.message} Give --units-row. If its texts mean missing values, name them "
                "with --missing."
            )


def _refuse_spellings(schema: Schema, findings: Sequence[Finding]) -> None:
    """Refuse a guessed positive label if the outcome's labels have several spellings."""
    for finding in findings:
        if finding.needs_answer and any(r.change is Change.JOIN for r in finding.remedies):
            raise InputError(
                f"{finding.message} Give --join {_as_option(schema.target)}, or --positive LABEL "
                "to keep them apart."
            )


def _proposed(table: Table, options: argparse.Namespace) -> Schema:
    """Infer the schema, with the options' missing values of features and outcome."""
    missing, target_missing = (
        DEFAULT_MISSING_TOKENS if given is None else tuple(token for token in given if token)
        for given in (options.missing, options.target_missing)
    )
    schema = infer_schema(table, options.target, options.positive, missing, target_missing)
    if options.target_missing is not None:
        return schema.with_target_missing(target_missing)
    labels = target_labels(table, schema)
    also = [label for label in labels if label in missing and label != schema.positive]
    if also and len(labels) > 2:
        named = list_words([*map(quoted, also)], " or ")
        note(
            f"The outcome {quoted(schema.target)} can be {named}. "
            "--missing only applies to features. Give --target-missing to leave such rows out."
        )
    return schema


def _flags(finding: Finding) -> str:
    """Name the option for a remedy; empty if there is none."""
    for remedy in finding.remedies:
        column = _as_option(remedy.column)
        if remedy.change is Change.TITLE:
            return f" Give --skip-lines {remedy.skip_lines}."
        if remedy.change is Change.JOIN and remedy.joined:
            return f" Give --join {column}."
        if remedy.form is NumberForm.YEAR and any(other.form.is_age for other in finding.remedies):
            return f" Give --as-numbers {column} for the year, or --as-ages {column}."
        if remedy.with_mark:
            return f" Give --mark-limits {column} to mark them."
        if remedy.form is NumberForm.LIMITS:
            return f" Give --as-numbers {column}, or --mark-limits {column} to mark them as well."
        if remedy.change is Change.FORM or remedy.kind is ColumnKind.NUMERICAL:
            return f" Give --as-numbers {column}."
        if remedy.change is Change.GROUP:
            return f" Give --group {column}."
    return ""


def _as_option(name: str) -> str:
    """Quote a column's name for a shell and a list option."""
    listed = '"' + name.replace('"', '""') + '"' if set(name) & set(',"') else name
    return shlex.quote(listed)


def _with_cuts(schema: Schema, options: argparse.Namespace) -> Schema:
    """Apply ``--bins`` and ``--cuts``. A column's own setting has priority."""
    everywhere = [text for text in options.cuts if "=" not in text]
    if len({*everywhere, *([] if options.bins is None else ["bins"])}) > 1:
        raise InputError("--cuts and --bins contradict each other for all columns: give one.")
    binning = None if options.bins is None else Binning.quantiles(options.bins)
    for text in everywhere:
        binning = _binning(text, text)
    if binning is not None:
        for column in schema.columns:
            schema = schema.with_binning(column.name, binning)
    for text in options.cuts:
        name, equals, cuts = text.rpartition("=")
        if equals:
            if schema.column(name).kind is not ColumnKind.NUMERICAL:
                raise InputError(f"--cuts names the column {quoted(name)}, which is not numerical.")
            schema = schema.with_binning(name, _binning(cuts, text))
    return schema


def _binning(cuts: str, text: str) -> Binning:
    """Read ``every``, ``deciles``, or for one column a number of quantiles or cut points."""
    if cuts in ("every", "deciles"):
        return Binning(BinMethod(cuts))
    try:
        if ";" in cuts:
            return Binning.at([float(part) for part in cuts.split(";") if part.strip()])
        return Binning.quantiles(int(cuts))
    except InputError as error:
        raise InputError(f"--cuts {text!r}: {error}") from None
    except ValueError:
        raise InputError(
            f"--cuts {text!r}: give every or deciles, or for one column such as age=every, age=20 "
            "(quantiles) or 'age=40;65' (cut points)."
        ) from None


def _joined(table: Table, schema: Schema, columns: Sequence[str]) -> Schema:
    """Join the spellings of labels in some columns."""
    for column in columns:
        joined = spellings(table, schema, column)
        schema = schema.with_joined(column, joined)
        pairs = ", ".join(f"{quoted(text)} as {quoted(label)}" for text, label in joined)
        note(f"Column {quoted(column)}: {pairs or 'there is nothing to join'}.")
    return schema


def _grouped(schema: Schema, options: argparse.Namespace) -> Schema:
    """Set the group column. An inferred group column that is a feature is dropped."""
    if options.group is not None:
        return schema.with_group(None if options.group.casefold() == "none" else options.group)
    if schema.group is not None and any(c.name == schema.group for c in schema.features):
        return schema.with_group(None)
    return schema


def _check_columns(table: Table, options: argparse.Namespace) -> None:
    columns = list(table.columns)
    if options.target is not None and options.target not in columns:
        raise InputError(_no_column("--target", options.target, columns))
    for option in ("join", "as-numbers", "mark-limits", "as-ages"):
        for column in getattr(options, option.replace("-", "_")):
            if column not in columns:
                raise InputError(_no_column(f"--{option}", column, columns))
    if options.group is not None and options.group.casefold() != "none":
        if options.group not in columns:
            raise InputError(_no_column("--group", options.group, columns))
        if options.group in (*options.numerical, *options.categorical):
            raise InputError(
                f"The column {quoted(options.group)} is named by --group and as a feature: keep "
                "one of them."
            )
    taken: dict[str, str] = {}
    for kind in ("numerical", "categorical", "ignore"):
        for column in getattr(options, kind):
            if column not in columns:
                raise InputError(_no_column(f"--{kind}", column, columns))
            if column == options.target:
                raise InputError(
                    f"--{kind} names the column {quoted(column)}, which is the target: leave it "
                    "out."
                )
            if taken.setdefault(column, kind) != kind:
                raise InputError(
                    f"The column {quoted(column)} is named by --{taken[column]} and by --{kind}: "
                    "keep one of them."
                )


def _no_column(option: str, column: str, columns: list[str]) -> str:
    shown = ", ".join(columns[:20]) + (" ..." if len(columns) > 20 else "")
    return (
        f"{option} names the column {quoted(column)}, which the file does not have: it has {shown}."
    )


def make_spec(table: Table, options: argparse.Namespace) -> TrainSpec:
    """Make the specification of a training run. A setting without an option has its default."""
    given = vars(options)
    schema = make_schema(table, options)
    if options.least_features > max(len(schema.features), 1):
        columns = count_words(len(schema.features), "column")
        note(
            f"--least-features is {options.least_features}, but the table has only {columns} to "
            "ask about: all are used."
        )
    return TrainSpec(
        schema=schema,
        split=SplitSpec.parse(options.train_size, options.test_size, seed=options.seed),
        topology=parse_shape(given.get("topology", "depth-2")),
        objective=_objective(options) if "objective" in given else Objective(),
        max_card=given.get("max_card"),
        rules=_read_rules(options),
        forbid_empty_branches=options.forbid_empty_branches,
        smallest_leaf=None
        if options.min_leaf is None
        else SmallestLeaf(options.min_leaf, options.min_leaf_of),
        feature_selection=FeatureSelection(given.get("feature_selection", "none")),
        least_features=options.least_features,
        engine=given.get("engine", DEFAULT_ENGINE),
        time_limit=given.get("time_limit", 60.0),
        threads=given.get("threads", 1),
        seed=options.seed,
        mip=_mip_options(options) if "no_strengthen" in given else MipOptions(),
    )


def single_shapes(options: argparse.Namespace) -> tuple[Topology, ...]:
    """Return the shapes that ``--topologies`` lists, each once.

    Raises
    ------
    InputError
        If one cannot be read, or stands for many shapes.
    """
    shapes: dict[Topology, None] = {}
    for text in options.topologies:
        shape = parse_shape(text)
        if isinstance(shape, AnyShape):
            raise InputError(
                f"--topologies names {shape.name}, which stands for many shapes: name single "
                "shapes such as depth-2. The commands train, stability and path search any shape."
            )
        shapes[shape] = None
    return tuple(shapes)


def _objective(options: argparse.Namespace) -> Objective:
    return Objective(
        goal=options.objective,
        class_weight=options.class_weight,
        min_tpr=options.min_tpr,
        min_tnr=options.min_tnr,
    )


def _mip_options(options: argparse.Namespace) -> MipOptions:
    return MipOptions(
        strengthen=not options.no_strengthen,
        anchor=not options.no_anchor,
        relax=not options.no_relax,
        delete=not options.no_delete,
        numerical_direction=options.numerical_direction,
        card_direction=options.card_direction,
        confirm_always=vars(options).get("confirm_always", False),
    )


def _read_rules(options: argparse.Namespace) -> RulesSpec:
    """Read rules for single nodes: a JSON list of objects with a node's number and its rule."""
    forbidden = tuple(options.forbid)
    if options.rules is None:
        return RulesSpec(forbidden)
    try:
        records = json.loads(Path(options.rules).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"--rules: the file {quoted(options.rules)} cannot be read.") from error
    except ValueError as error:
        raise InputError(
            f"--rules: the file {quoted(options.rules)} is not JSON ({error})."
        ) from error
    if not isinstance(records, list):
        raise InputError(
            f"--rules: the file {quoted(options.rules)} must hold a JSON list of rules."
        )
    return RulesSpec(forbidden, tuple(_node_rule(record) for record in records))


_RULE_FIELDS: dict[str, tuple[Any, str]] = {
    "node": (int, "a whole number of at least 1"),
    "features": (list, "a list of columns"),
    "feature": (str, "a column's name"),
    "categories": (list, "a list of categories"),
    "threshold": (int | float, "a number"),
    "missing_left": (bool, "true or false"),
    "never": (list, "a list of columns"),
}
"""The fields of a rule, with the type of their values and its name. A value may be null."""


def _node_rule(record: Any) -> NodeRuleSpec:
    if not isinstance(record, dict) or not isinstance(record.get("node"), int):
        raise InputError(
            '--rules: each rule is an object with a "node" (a whole number of at least 1).'
        )
    for key, value in record.items():
        if key not in _RULE_FIELDS:
            raise InputError(
                f"--rules: the rule for node {record['node']} has an unknown field {key!r}: use "
                f"{', '.join(sorted(_RULE_FIELDS))}."
            )
        kind, words = _RULE_FIELDS[key]
        if value is not None and not isinstance(value, kind):
            raise InputError(
                f"--rules: the rule for node {record['node']} has the {key} {value!r}: give "
                f"{words}."
            )
    lists = {
        key: None if record.get(key) is None else tuple(map(str, record[key]))
        for key in ("features", "categories", "never")
    }
    return NodeRuleSpec(
        node=record["node"],
        features=lists["features"],
        feature=record.get("feature"),
        categories=lists["categories"],
        threshold=record.get("threshold"),
        missing_left=bool(record.get("missing_left", False)),
        never=lists["never"] or (),
    )
