"""Findings about a column that may become a feature, and the remedies for them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from functools import partial

import numpy as np
import numpy.typing as npt

from odt_core.data.findings import Finding, Severity, error, info, row_count, shown, warning
from odt_core.data.forms import NumberForm, latest_date
from odt_core.data.profile import (
    MANY_CATEGORIES,
    MAX_CODES,
    MAX_STRAYS,
    Profile,
    profile_column,
)
from odt_core.data.remedies import Change, Remedy, ignore
from odt_core.data.schema import ColumnKind, Schema
from odt_core.data.table import Table
from odt_core.data.target import Target
from odt_core.errors import InputError, quoted

ALMOST_ALWAYS = 0.95
"""Balanced accuracy from which a single column counts as giving the outcome away."""

_WORTH_A_LOOK = 0.9
"""A column with this balanced accuracy on all rows is checked on the training rows, too."""

MAX_SHOWN = 3

_LEAK_ADVICE = "ignore it if its values are not known before the outcome."

_LOST_TO_ONE = 10
"""An age is offered only if at most one in this many distinct texts is not a date."""

_WITH_UNIT = re.compile(r"[+-]?[0-9][0-9.,]*(| [^\W\d_]| ?[^\W\d_][^\s\d.,;:]{1,9})")
"""A number, perhaps with a unit. A single letter right behind a number may be part of a code."""

_MOSTLY_NUMBERS = 0.8
"""Least share of a column's distinct texts that are numbers, with a unit or without."""

_FORM_WORDS = {
    NumberForm.SIGNS: ("numbers with signs", "Read without signs"),
    NumberForm.LIMITS: ("numbers beyond a limit", "Read as the limit"),
    NumberForm.YEAR: ("dates", "Use the year"),
    NumberForm.AGE: ("dates", "Use the age"),
    NumberForm.AGE_MONTH_FIRST: ("dates", "Use the age"),
}


def column_findings(
    table: Table,
    profile: Profile,
    kind: ColumnKind,
    target: Target | None = None,
    positive: str | None = None,
) -> tuple[Finding, ...]:
    """Find what is wrong or odd about a column that is used as the given kind.

    Parameters
    ----------
    kind : ColumnKind
        How the column is used. For an ignored column, the findings are the reasons to ignore it.
    target : Target, optional
        The outcome, to check whether the column gives it away.
    positive : str, optional
        The positive label, to check whether the column almost gives it away.
    """
    key = ("findings", profile.name, profile.reading, kind, target, positive)
    return table.remember(key, lambda: tuple(_findings(table, profile, kind, target, positive)))


def _findings(
    table: Table,
    profile: Profile,
    kind: ColumnKind,
    target: Target | None,
    positive: str | None,
) -> Iterator[Finding]:
    name = profile.name
    if profile.is_constant:
        what = "is the same" if profile.n_distinct else "has no value"
        where = "every row" if profile.n_distinct else "any row"
        yield info(name, f"Column {quoted(name)} {what} in {where}, so it is ignored.")
        return
    if kind is ColumnKind.NUMERICAL:
        yield from _number_findings(table, profile)
    odd = tuple(_notation_findings(profile, kind))
    has_many = kind is ColumnKind.CATEGORICAL and profile.n_distinct > MANY_CATEGORIES
    # A finding is a warning if it costs the column or the order of its numbers. Then users see it.
    is_lost = profile.code_example is None and (
        kind is ColumnKind.IGNORE or profile.n_distinct > MAX_CODES
    )
    yield from (
        replace(each, severity=Severity.WARNING) if is_lost or has_many else each for each in odd
    )
    if _is_identifier(profile, kind):
        if not odd:
            yield _identifier_finding(profile, kind)
        return
    if kind is ColumnKind.IGNORE:
        return
    if kind is ColumnKind.CATEGORICAL:
        yield from _category_findings(profile, has_many=has_many and not odd)
    yield from _code_findings(profile)
    if target is not None:
        yield from _leak_findings(table, profile, kind, target, positive)


def _number_findings(table: Table, profile: Profile) -> Iterator[Finding]:
    if profile.strays.any():
        remedies = () if profile.odd_form is None else _as_forms(profile, profile.odd_form)
        if profile.odd_form is None and profile.is_mostly_numeric:
            remedies = (_without_strays(profile),)
        yield error(profile.name, number_error(table, profile), *remedies)
    if profile.reading.form is NumberForm.LIMITS:
        yield from _limit_findings(profile)
    if profile.reading.reference is not None:
        yield _age_finding(profile, profile.reading.reference)


def _age_finding(profile: Profile, reference: date) -> Finding:
    """State the date on which the ages of a column are counted."""
    n_later = int(profile.counts[profile.numbers < 0].sum())
    later = f", which is before the date in {row_count(n_later)}" if n_later else ""
    return info(
        profile.name,
        f"Column {quoted(profile.name)} is read as the age in completed years on "
        f"{reference}{later}: set another date under one column in detail.",
    )


def _limit_findings(profile: Profile) -> Iterator[Finding]:
    """Report the cells of a numerical column that are only limits, such as ``<0.1``."""
    plain = profile.factor.numbers(profile.reading.decimal, NumberForm.PLAIN)
    limits = np.isnan(plain) & ~np.isnan(profile.numbers) & ~profile.missing
    if limits.any():
        n_rows = row_count(int(profile.counts[limits].sum()))
        facts = f"has a limit such as {shown(profile.values(limits), MAX_SHOWN)} in {n_rows}"
        yield info(
            profile.name,
            f"Column {quoted(profile.name)} {facts}: the tree uses the limit as the number.",
            replace(_as_form(profile, NumberForm.LIMITS), label="Mark the limits", with_mark=True),
        )


def number_error(table: Table, profile: Profile) -> str:
    """Write the sentence about the first cell of a numerical column that is not a usable number."""
    row = int(np.argmax(profile.strays[profile.factor.codes]))
    code = int(profile.factor.codes[row])
    text = profile.factor.values[code].as_py()
    where = f"Column {quoted(profile.name)}, {table.where(row)}: {quoted(text)}"
    if not np.isnan(profile.numbers[code]):
        return f"{where} is too large a number: correct it, or name it as a missing value."
    if profile.reading.form.is_age:
        return f"{where} is not a date as in the other rows: correct it, or name it as missing."
    return (
        f"{where} is not a number: correct it, name it as a missing value, or set the column to "
        "categorical."
    )


def _identifier_finding(profile: Profile, kind: ColumnKind) -> Finding:
    name = profile.name
    facts = (
        f"Column {quoted(name)} has {profile.n_distinct} different values in "
        f"{row_count(profile.n_rows)}, like identifiers"
    )
    if kind is ColumnKind.IGNORE and profile.n_distinct < profile.n_rows - profile.n_missing:
        return info(
            name,
            f"{facts}, and some rows share one: it is ignored. If such rows are of one case, keep "
            "them together, in training or in test.",
            Remedy(Change.GROUP, "Keep them together", name),
        )
    if kind is ColumnKind.IGNORE:
        return info(name, f"{facts}: it is ignored unless you set another kind.")
    return warning(
        name, f"{facts}: set it to ignore, or expect the tree to fit chance.", ignore(name)
    )


def _notation_findings(profile: Profile, kind: ColumnKind) -> Iterator[Finding]:
    """Report numbers in another notation, and texts that only look like numbers."""
    name = profile.name
    if profile.holds_dates:
        yield _date_finding(profile, kind)
    elif profile.code_example is not None:
        yield _code_text_finding(profile, kind)
    elif kind is ColumnKind.NUMERICAL or not profile.strays.any():
        return
    elif profile.odd_form is not None:
        yield _form_finding(profile, kind, profile.odd_form)
    elif units := _units(profile):
        yield _unit_finding(profile, kind, units)
    elif profile.is_mostly_numeric:
        strays = profile.values(profile.strays)
        n_rows = int(profile.counts[profile.strays].sum())
        yield info(
            name,
            f"{_holds(name, kind)} numbers except for {shown(strays, MAX_STRAYS)} in "
            f"{row_count(n_rows)}: read these as missing to use the column as numerical.",
            _without_strays(profile),
        )


def _date_finding(profile: Profile, kind: ColumnKind) -> Finding:
    name = profile.name
    facts = f"Column {quoted(name)} holds dates such as {quoted(profile.date_example)}"
    same = ", all of the same year" if _is_one_year(profile) else ""
    year = _as_form(profile, NumberForm.YEAR)
    ages = () if same else _age_remedies(profile)
    offers = () if same else (year, *ages)
    beyond = f" ({shown(year.texts, MAX_SHOWN)} would be missing)" if year.texts else ""
    ways = [] if same else [f"use the year{beyond}"]
    if ages:
        ways.append("use the age in completed years on the latest date")
    ways.append("add a column with the time between two dates")
    if kind is ColumnKind.IGNORE:
        facts += f"{same}," if same else ""
        return info(name, f"{facts} and is ignored: {_any_of(ways)}.", *offers)
    return warning(
        name,
        f"{facts}{same}: a tree can only ask whether a date lies before another one, which says "
        f"nothing about later patients; {_any_of([*ways, 'ignore the column'])}.",
        *offers,
        ignore(name),
    )


def _any_of(ways: list[str]) -> str:
    """Join what a user can do, in words."""
    *others, last = ways
    return f"{', '.join(others)}, or {last}" if others else last


def _is_one_year(profile: Profile) -> bool:
    """Whether all dates of a column are of the same year, so that it tells no rows apart."""
    years = profile.factor.numbers(profile.reading.decimal, NumberForm.YEAR)[~profile.missing]
    return len(np.unique(years[~np.isnan(years)])) == 1


def _code_text_finding(profile: Profile, kind: ColumnKind) -> Finding:
    name = profile.name
    facts = f"Column {quoted(name)} holds codes such as {quoted(profile.code_example or '')}"
    if kind is ColumnKind.NUMERICAL:
        remedy = Remedy(Change.USE, "Use as categories", name, ColumnKind.CATEGORICAL)
        return warning(
            name,
            f"{facts}, which are read as numbers: leading zeros, letters and digits beyond the "
            "15th are lost; use it as categorical, or ignore it.",
            remedy,
            ignore(name),
        )
    so = "ignored" if kind is ColumnKind.IGNORE else "kept as text"
    if profile.strays.any():
        return info(name, f"{facts}, some of which are too large to be numbers: they are {so}.")
    return info(
        name,
        f"{facts}, which would change if they were read as numbers: they are {so} unless you say "
        "otherwise.",
        Remedy(Change.USE, "Use as numbers", name, ColumnKind.NUMERICAL),
    )


def _holds(name: str, kind: ColumnKind) -> str:
    """Begin a sentence on what a column of text holds. It also says if the column is ignored."""
    ignored = " is ignored, because it" if kind is ColumnKind.IGNORE else ""
    return f"Column {quoted(name)}{ignored} holds"


def _form_finding(profile: Profile, kind: ColumnKind, form: NumberForm) -> Finding:
    name = profile.name
    what, _ = _FORM_WORDS[form]
    beyond = profile.strays_beyond(form)
    odd = [text for text in profile.values(profile.strays) if text not in set(beyond)]
    n_odd = int(profile.counts[profile.strays].sum())
    n_plain = int(profile.counts[~profile.strays & ~profile.missing].sum())
    message = f"{_holds(name, kind)} {what}, such as {shown(odd, MAX_SHOWN)}, as text"
    has_both = form is NumberForm.SIGNS and n_plain > 0
    if has_both:
        message += f", in {row_count(n_odd)}, while {row_count(n_plain)} have plain numbers"
    if form is NumberForm.LIMITS:
        message += f", in {row_count(n_odd)}"
    if beyond:
        message += f"; {shown(beyond, MAX_SHOWN)} would be missing"
    condition = "both mean the same" if has_both else "that is what they mean"
    return info(
        name, f"{message}: read the column as numbers if {condition}.", *_as_forms(profile, form)
    )


def _units(profile: Profile) -> dict[str, list[str]]:
    """The texts of a column of measures by their units; nothing if it holds something else."""
    texts, found = profile.values(profile.strays), defaultdict[str, list[str]](list)
    for text in texts:
        if number := _WITH_UNIT.fullmatch(text):
            found[number[1].strip()].append(text)
    n_numbers = sum(map(len, found.values()))
    units = {unit: some for unit, some in found.items() if unit and len(some) > 1}
    is_measure = profile.n_distinct > MAX_CODES and len(units) <= MAX_SHOWN
    return units if is_measure and n_numbers >= _MOSTLY_NUMBERS * len(texts) else {}


def _unit_finding(profile: Profile, kind: ColumnKind, units: dict[str, list[str]]) -> Finding:
    examples = shown([some[0] for some in units.values()], MAX_SHOWN)
    can_miss = profile.is_mostly_numeric
    return info(
        profile.name,
        f"{_holds(profile.name, kind)} numbers with a unit behind them, such as {examples}: write "
        "all of them in the same unit in the file, and leave the unit out, to use the column as "
        f"numerical{'; or read these as missing' if can_miss else ''}.",
        *((_without_strays(profile),) if can_miss else ()),
    )


def _as_forms(profile: Profile, form: NumberForm) -> tuple[Remedy, ...]:
    """Read the column in a form; limits also with a further feature that marks them."""
    plain = _as_form(profile, form)
    if form is not NumberForm.LIMITS:
        return (plain,)
    return plain, replace(plain, label=f"{plain.label}, with a mark", with_mark=True)


def _as_form(profile: Profile, form: NumberForm) -> Remedy:
    label = _FORM_WORDS[form][1]
    beyond = tuple(profile.strays_beyond(form)[: 10 * MAX_STRAYS])
    return Remedy(Change.FORM, label, profile.name, ColumnKind.NUMERICAL, texts=beyond, form=form)


def _age_remedies(profile: Profile) -> tuple[Remedy, ...]:
    """Offer to read dates as ages: two remedies if days and months cannot be told apart."""
    forms = [NumberForm.AGE, NumberForm.AGE_MONTH_FIRST]
    one, other = (profile.factor.numbers(profile.reading.decimal, form) for form in forms)
    if np.array_equal(one, other, equal_nan=True):
        return _as_ages(profile, forms[:1])
    lost = [len(profile.strays_beyond(form)) for form in forms]
    return _as_ages(profile, [f for f, n in zip(forms, lost, strict=True) if n == min(lost)])


def _as_ages(profile: Profile, forms: list[NumberForm]) -> tuple[Remedy, ...]:
    """A remedy for each form that loses few texts. Ages are counted on the latest date."""
    found = []
    for form in forms:
        days = profile.factor.numbers(profile.reading.decimal, form)
        latest = latest_date(days[~profile.missing])
        if len(profile.strays_beyond(form)) * _LOST_TO_ONE > profile.n_distinct or latest is None:
            continue
        label = _FORM_WORDS[form][1]
        if len(forms) > 1:
            label += " (day first)" if form is NumberForm.AGE else " (month first)"
        found.append(replace(_as_form(profile, form), label=label, reference=latest))
    return tuple(found)


def as_ages(table: Table, schema: Schema, column: str, reference: date | None = None) -> Schema:
    """Change the schema so that a column's dates are read as ages in completed years.

    Texts that are not dates are read as missing.

    Parameters
    ----------
    reference : datetime.date, optional
        The date on which ages are counted; by default the latest date in the column.

    Raises
    ------
    InputError
        If there is no such column, if it holds no dates, or if days and months cannot be told
        apart.
    """
    profile = profile_column(table, column, schema.reading_of(column))
    remedies = _age_remedies(profile) if profile.holds_dates else ()
    if not remedies:
        raise InputError(
            f"The column {quoted(column)} cannot be read as ages: too few of its texts are dates "
            "such as 2018-01-30."
        )
    if len(remedies) > 1:
        raise InputError(
            f"The dates of the column {quoted(column)}, such as {quoted(profile.date_example)}, "
            "can be read in two ways: write them with the year first."
        )
    return replace(remedies[0], reference=reference or remedies[0].reference).applied(schema)


def as_numbers(table: Table, schema: Schema, column: str) -> Schema:
    """Change the schema so that a column is read as numbers, with its signs, limits or dates.

    Texts that still are not numbers are read as missing.

    Raises
    ------
    InputError
        If there is no such column, or if more than a few of its texts are not numbers.
    """
    profile = profile_column(table, column, schema.reading_of(column))
    if profile.holds_dates:
        return _as_form(profile, NumberForm.YEAR).applied(schema)
    if profile.odd_form is not None:
        return _as_form(profile, profile.odd_form).applied(schema)
    if profile.is_mostly_numeric:
        schema = _without_strays(profile).applied(schema)
    elif not profile.is_numeric:
        raise InputError(
            f"The column {quoted(column)} cannot be read as numbers: too many of its texts, such "
            f"as {shown(profile.values(profile.strays), MAX_SHOWN)}, are not numbers."
        )
    return schema.with_kind(column, ColumnKind.NUMERICAL)


def with_limit_mark(table: Table, schema: Schema, column: str) -> Schema:
    """Change the schema so that limits are read as numbers, and a further feature marks them.

    Raises
    ------
    InputError
        If there is no such column, or if none of its texts is a limit such as ``<0.5``.
    """
    schema = as_numbers(table, schema, column)
    if schema.column(column).form is not NumberForm.LIMITS:
        raise InputError(
            f"The column {quoted(column)} has no limits such as <0.5 that can be marked."
        )
    return schema.with_limit_mark(column)


def _without_strays(profile: Profile) -> Remedy:
    """Read the stray texts as missing. A column with few whole numbers stays categorical."""
    is_code = len(profile.distinct_numbers) <= MAX_CODES and profile.is_whole
    return Remedy(
        Change.MISSING,
        "Read as missing",
        profile.name,
        ColumnKind.CATEGORICAL if is_code else ColumnKind.NUMERICAL,
        texts=tuple(profile.values(profile.strays)),
    )


def _code_findings(profile: Profile) -> Iterator[Finding]:
    """Report numbers such as 0 and 999 that are far from all others."""
    are_ages = profile.reading.form.is_age
    suspects = profile.suspected_codes() if profile.is_numeric and not are_ages else []
    name, n_known = profile.name, profile.n_rows - profile.n_missing
    for code in suspects[:MAX_SHOWN]:
        n = int(profile.counts[profile.factor.texts.index(code)])
        yield info(
            name,
            f"Column {quoted(name)} is {quoted(code)} in {n:,} of {n_known:,} rows, far from its "
            "other values: if that means a missing value, name it as one.",
            Remedy(Change.MISSING, "Read as missing", name, texts=(code,)),
        )


def _category_findings(profile: Profile, *, has_many: bool) -> Iterator[Finding]:
    name = profile.name
    if has_many:
        yield warning(
            name,
            f"Column {quoted(name)} has {profile.n_distinct} categories: a tree may fit chance "
            "with so many; group them, cap the subset size, or ignore the column.",
            ignore(name),
        )
    alike = profile.spellings()
    if alike:
        text, label = alike[0]
        more = f" ({len(alike)} such spellings)" if len(alike) > 1 else ""
        yield warning(
            name,
            f"Column {quoted(name)} has both {quoted(label)} and {quoted(text)}{more}, which count "
            "as different categories: join them if they are the same.",
            Remedy(Change.JOIN, "Join them", name, joined=alike),
        )


def _leak_findings(
    table: Table, profile: Profile, kind: ColumnKind, target: Target, positive: str | None
) -> Iterator[Finding]:
    """Report a column that alone determines the outcome, always or almost always."""
    name, counts = profile.name, None
    if len(target.labels) <= MANY_CATEGORIES:
        counts = profile.class_counts(target.classes, len(target.labels))
        if profile.decides(kind, counts):
            facts = f"Column {quoted(name)} alone determines the outcome {quoted(target.name)}"
            yield replace(warning(name, f"{facts}: {_LEAK_ADVICE}", ignore(name)), gives_away=True)
            return
    overall = _overall_accuracy(table, profile, kind, target, positive, counts)
    finding = _near_leak(profile, target, overall)
    if finding is not None:
        yield finding


def training_leaks(
    table: Table, schema: Schema, target: Target, train: npt.NDArray[np.int64]
) -> Iterator[Finding]:
    """Report columns that almost determine the outcome on training rows, and not on all rows.

    On all rows their balanced accuracy is at least 90%.

    Parameters
    ----------
    train : int64[n]
        The training rows, from 0.
    """
    if schema.positive not in target.labels:
        return
    classes = np.full_like(target.classes, -1)
    classes[train] = target.classes[train]
    trained = replace(target, classes=classes)
    for column in schema.features:
        name, kind = column.name, column.kind
        profile = profile_column(table, name, schema.reading_of(name))
        if profile.is_constant or _is_identifier(profile, kind):
            continue
        overall = _overall_accuracy(table, profile, kind, target, schema.positive)
        if overall is None or not _WORTH_A_LOOK <= overall < ALMOST_ALWAYS:
            continue
        accuracy = _accuracy(profile, kind, trained, schema.positive)
        leak = _near_leak(profile, target, accuracy, " on the training rows")
        found = column_findings(table, profile, kind, target, schema.positive)
        if leak is not None and not any(finding.gives_away for finding in found):
            yield leak


def _near_leak(
    profile: Profile, target: Target, accuracy: float | None, where: str = ""
) -> Finding | None:
    """Warn of a column that alone almost determines the outcome; None if it does not."""
    if accuracy is None or accuracy < ALMOST_ALWAYS:
        return None
    message = (
        f"Column {quoted(profile.name)} alone almost determines the outcome {quoted(target.name)} "
        f"(balanced accuracy {accuracy:.1%}{where}): {_LEAK_ADVICE}"
    )
    return replace(warning(profile.name, message, ignore(profile.name)), gives_away=True)


def _overall_accuracy(
    table: Table,
    profile: Profile,
    kind: ColumnKind,
    target: Target,
    positive: str | None,
    counts: npt.NDArray[np.int64] | None = None,
) -> float | None:
    """Compute `_accuracy` on all rows, once for each table."""
    key = ("balanced accuracy", profile.name, profile.reading, kind, target, positive)
    return table.remember(key, partial(_accuracy, profile, kind, target, positive, counts))


def _accuracy(
    profile: Profile,
    kind: ColumnKind,
    target: Target,
    positive: str | None,
    counts: npt.NDArray[np.int64] | None = None,
) -> float | None:
    """Balanced accuracy of the column alone for the positive class, on rows with an outcome.

    `counts` are the rows of each label with each text, int64[V, C], if they are known.
    """
    if positive not in target.labels:
        return None
    place = target.labels.index(positive)
    if counts is None:
        classes = np.where(target.known, target.classes == place, -1)
        counts, place = profile.class_counts(classes, 2), 1
    found = counts[:, place]
    return profile.balanced_accuracy(kind, np.stack([counts.sum(axis=1) - found, found], axis=1))


def _is_identifier(profile: Profile, kind: ColumnKind) -> bool:
    """Whether a column looks like identifiers if it is used as this kind."""
    if profile.is_row_number:
        return True
    return profile.has_too_many_categories and kind is not ColumnKind.NUMERICAL
