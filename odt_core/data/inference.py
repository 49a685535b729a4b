"""Proposals for the meaning of a table's columns, which the user can change."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

import pyarrow as pa

from odt_core.data.cells import CellReading
from odt_core.data.checks import shape_error
from odt_core.data.findings import shown
from odt_core.data.missing import DEFAULT_MISSING_TOKENS
from odt_core.data.profile import MANY_CATEGORIES, Profile, profile_column
from odt_core.data.schema import ColumnSchema, Schema
from odt_core.data.spelling import without_accents
from odt_core.data.table import Table
from odt_core.data.target import EVENT_NAMES, TARGET_NAMES, Target, read_target
from odt_core.errors import InputError, quoted

FEW_ROWS = 10
"""A column whose rarer value has fewer rows than this is the last choice for the outcome."""

POSITIVE_LABELS = (
    "positive pos positiv positif positivo positiva positief yes y true t + case event malignant "
    "abnormal disease diseased sick ill present dead died death deceased relapse relapsed "
    "recurrence recurrent recurred progression metastasis infected readmitted won win admitted "
    "ja oui si sim tak "
    "krank erkrankt tot gestorben verstorben bosartig rezidiv ruckfall ereignis "
    "malade mort morte decede decedee malin maligne rechute recidive evenement "
    "enfermo enferma muerto muerta fallecido fallecida maligno maligna recaida recurrencia evento "
    "malato malata morto morta deceduto deceduta ricaduta recidiva doente obito falecido falecida "
    "ziek overleden kwaadaardig recidief terugval "
    "sjuk avliden dod elakartad aterfall recidiv syk syg død ondartet tilbakefall tilbagefald "
    "chory chora zgon zmarł zmarła złosliwy nawrot"
).split()
NEGATIVE_LABELS = (
    "negative neg negativ negatif negativo negativa no n false f 0 -1 - control none benign normal "
    "healthy well absent alive survived lost discharged free remission nein non nee nej nao "
    "gesund lebend gutartig sain saine vivant vivante benin benigne sano sana vivo viva benigno "
    "benigna saudavel gezond levend goedaardig frisk levande levende godartad godartet zdrowy "
    "zdrowa zywy zywa łagodny"
).split()
NEGATIONS = frozenset(
    "no not non without free sans libre aucun aucune sin senza sem ohne kein keine frei zonder "
    "geen utan uden ingen bez brak".split()
)
"""Words that turn the other words of a label into their opposite, as in ``relapse free``."""

_SHORTEST_EVENT = 4
"""A shorter word of a label, such as ``si``, does not name an event."""

UNKNOWN_LABELS = frozenset(
    (
        "unknown, unk, not known, unspecified, undetermined, indeterminate, inconclusive, unclear, "
        "uncertain, missing, not available, no data, not recorded, not assessed, don't know, "
        "n.a, n.d, nd, ., -, --, *, "
        "unbekannt, nicht bekannt, unklar, unbestimmt, unbestimmbar, nicht bestimmt, fehlend, "
        "fehlt, keine angabe, k.a, weiß nicht, weiss nicht, "
        "inconnu, inconnue, indetermine, indeterminee, non determine, non connu, non renseigne, "
        "manquant, incertain, ne sait pas, nsp, "
        "desconocido, desconocida, indeterminado, indeterminada, no conocido, no disponible, "
        "sin datos, no sabe, incierto, "
        "sconosciuto, sconosciuta, non noto, non nota, ignoto, ignota, indeterminato, "
        "indeterminata, non disponibile, mancante, incerto, "
        "desconhecido, desconhecida, ignorado, sem dados, nao sabe, "
        "onbekend, onduidelijk, okand, ukjent, ukendt, nieznany, nieznane"
    ).split(", ")
)
"""Labels that mean an unknown outcome. They are read as missing if two other labels remain."""


def infer_schema(
    table: Table,
    target: str | None = None,
    positive: str | None = None,
    missing_tokens: Sequence[str] = DEFAULT_MISSING_TOKENS,
    target_missing: Sequence[str] | None = None,
) -> Schema:
    """Propose a schema.

    The outcome is a column with a name of `TARGET_NAMES` or `EVENT_NAMES`. Otherwise it is guessed,
    and the schema says so. The guess is a column with two values. Spellings of one value count
    once, and labels of `UNKNOWN_LABELS` do not count. If there are several such columns, a column
    with a word of `TARGET_NAMES` in its name is preferred, then a column in which neither value is
    rare, then the last column. If no column has two values, the guess is the last column with at
    most 50 values. Labels of `UNKNOWN_LABELS` are read as missing if two other labels remain.

    The positive label is a word of `POSITIVE_LABELS`. Otherwise it is the opposite of a word of
    `NEGATIVE_LABELS` (or of ``not`` and the label itself). Otherwise it is the only label with a
    word of `POSITIVE_LABELS` and without negation. Otherwise it is the rarest label that is not
    stray, and among equally rare labels the last. A label of `UNKNOWN_LABELS` is chosen only if
    there is no other. Words count in any case, with or without accents.

    For the kinds, see `odt_core.data.profile.Profile.proposed_kind`. An identifier that repeats is
    proposed as the group of rows that stay together.

    Parameters
    ----------
    target, positive : str, optional
        The outcome and its positive label, if the user has named them.
    missing_tokens, target_missing : sequence of str
        Texts to read as missing, and those for the outcome; by default the same.

    Raises
    ------
    InputError
        If the table has a single column or no rows, if there is no column `target`, if it has no
        label `positive`, or if no column can be the outcome.
    """
    finding = shape_error(table)
    if finding is not None:
        raise InputError(finding.message)
    reading = CellReading(tuple(missing_tokens), table.report.decimal)
    own_missing = reading.missing_tokens if target_missing is None else tuple(target_missing)
    is_guess = False
    if target is None:
        target, is_guess = _guess_target(table, replace(reading, missing_tokens=own_missing))
    positive, own_missing = _read_labels(table, target, positive, reading, own_missing)
    profiles = [profile_column(table, name, reading) for name in table.columns if name != target]
    return Schema(
        target,
        positive,
        tuple(ColumnSchema(profile.name, profile.proposed_kind) for profile in profiles),
        reading.missing_tokens,
        reading.decimal,
        group=next((profile.name for profile in profiles if profile.repeats_ids), None),
        target_missing=None if own_missing == reading.missing_tokens else own_missing,
        guessed=is_guess,
    )


def _read_labels(
    table: Table, target: str, positive: str | None, reading: CellReading, missing: tuple[str, ...]
) -> tuple[str, tuple[str, ...]]:
    """Find the outcome's positive label, and all texts to read as missing in the outcome."""
    outcome = read_target(table, target, replace(reading, missing_tokens=missing))
    unknown = _unknown_labels(outcome, positive)
    if unknown:
        missing = (*missing, *unknown)
        outcome = read_target(table, target, replace(reading, missing_tokens=missing))
    if positive is None:
        return guess_positive(outcome), missing
    if positive not in outcome.labels:
        raise InputError(
            f"The outcome {quoted(target)} is never {quoted(positive)}: choose the positive label "
            f"among {shown(outcome.labels, 10)}."
        )
    return positive, missing


def _unknown_labels(outcome: Target, positive: str | None) -> tuple[str, ...]:
    """Labels that mean an unknown outcome, if two other labels remain."""
    plain = dict(zip(outcome.labels, without_accents(outcome.labels), strict=True))
    means_negative = {"-"} if "+" in plain.values() else set()
    words = UNKNOWN_LABELS - means_negative
    unknown = tuple(label for label in plain if plain[label] in words and label != positive)
    others = {plain[label] for label in plain if label not in unknown}
    return unknown if len(others) >= 2 else ()


def _guess_target(table: Table, reading: CellReading) -> tuple[str, bool]:
    """The outcome's name, and whether it was guessed from values and not from names."""
    profiles = {name: profile_column(table, name, reading) for name in table.columns}
    usable = [name for name, p in profiles.items() if 2 <= p.n_distinct <= MANY_CATEGORIES]
    plain = without_accents(usable)
    for wanted in without_accents((*TARGET_NAMES, *EVENT_NAMES)):
        named = [name for name, key in zip(usable, plain, strict=True) if key == wanted]
        if named:
            return named[-1], False
    rows = {name: _rows_by_value(profiles[name]) for name in usable}
    two_valued = [name for name in usable if len(rows[name]) == 2]
    for wanted in TARGET_NAMES:
        named = [name for name in two_valued if wanted in re.split(r"[^a-z]+", name.casefold())]
        if named:
            return named[-1], True
    balanced = [name for name in two_valued if min(rows[name].values()) >= FEW_ROWS]
    if balanced or two_valued or usable:
        return (balanced or two_valued or usable)[-1], True
    raise InputError(
        f"No column can be the outcome, since each has one value or more than {MANY_CATEGORIES}: "
        "name the outcome, or add one."
    )


def _rows_by_value(profile: Profile) -> Counter[str]:
    """Number of rows with each value; spellings of one value count together.

    Values that mean an unknown outcome are left out if two others remain.
    """
    joined = dict(profile.spellings())
    found: Counter[str] = Counter()
    present = ~profile.missing
    texts = profile.factor.values.filter(pa.array(present)).to_pylist()
    for text, n in zip(texts, profile.counts[present].tolist(), strict=True):
        found[joined.get(text, text)] += n
    plain = dict(zip(found, without_accents(list(found)), strict=True))
    known = Counter({text: n for text, n in found.items() if plain[text] not in UNKNOWN_LABELS})
    return known if len(known) >= 2 else found


def guess_positive(outcome: Target) -> str:
    """Guess the positive label, as `infer_schema` describes; "" if there is none."""
    strays = set(outcome.strays())
    found = dict(zip(outcome.labels, outcome.counts, strict=True))
    plain = dict(zip(found, without_accents(list(found)), strict=True))
    usual = [label for label in found if label not in strays]
    if not usual:
        return ""
    labels = [label for label in usual if plain[label] not in UNKNOWN_LABELS] or usual
    for word in POSITIVE_LABELS:
        spelled = [label for label in labels if plain[label] == word]
        if spelled:
            return max(spelled, key=found.__getitem__)
    texts = set(plain.values())
    opposed = [label for label in labels if not _is_negative(plain[label], texts)]
    if len({plain[label] for label in labels}) == 2 and opposed and len(opposed) < len(labels):
        return max(opposed, key=found.__getitem__)
    events = [label for label in labels if _names_event(plain[label])]
    if len(events) == 1:
        return events[0]
    rarest = min(found[label] for label in labels)
    return [label for label in labels if found[label] == rarest][-1]


def _names_event(text: str) -> bool:
    """Whether a plain label has a word such as ``relapse``, and no word such as ``free``."""
    words = re.findall(r"[^\W_]+", text)
    named = [word for word in words if word in POSITIVE_LABELS and len(word) >= _SHORTEST_EVENT]
    return bool(named) and NEGATIONS.isdisjoint(words)


def _is_negative(text: str, others: Collection[str]) -> bool:
    """Whether a plain label is a word such as ``no``, or is ``not`` and another label."""
    negation = re.match("no[nt]?[ _-]*", text)
    ends = range(2, negation.end() + 1) if negation else ()
    return text in NEGATIVE_LABELS or any(text[end:] in others for end in ends)
