"""The report: everything needed to judge a tree, in one HTML file that prints well.

It follows the checklist of TRIPOD+AI [1]_, and names the items that the author must add.

References
----------
.. [1] G. S. Collins and others, TRIPOD+AI statement: updated guidance for reporting clinical
   prediction models that use regression or machine learning methods. BMJ 385, 2024, e078378.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from odt_core import MADE_BY
from odt_core.alternatives.edits import rules_in_drawing
from odt_core.data import Schema
from odt_core.evaluation import decision_curve, floors, net_benefit
from odt_core.exact import shortest_decimal
from odt_core.export.reading import encoder_columns, reading_words
from odt_core.problem import Feature
from odt_core.reports.benefit import benefit_html, groups_html
from odt_core.reports.card import foot_html, head_html, stated_html, tree_html
from odt_core.reports.derivation import Derivation
from odt_core.reports.page import Page, escaped
from odt_core.reports.statements import Statements
from odt_core.reports.studies import (
    comparison_html,
    curves_html,
    frontier_html,
    stability_html,
)
from odt_core.reports.tables import (
    count_table,
    floor_table,
    leaf_rows,
    rate_table,
    table,
)
from odt_core.reports.validations import validation_html
from odt_core.studies import ValidationResult
from odt_core.training import settings_words
from odt_core.words import (
    ENGINE_WORDS,
    category_words,
    count_words,
    goal_words,
    list_words,
    printable,
    unseen_words,
)

TREE_WIDTH, TREE_HEIGHT = 520.0, 640.0
"""The size of the tree's place on the page, in points."""

MOST_VALUES = 12
"""The most categories or cut points of a column that the report lists."""


def report(derivation: Derivation, statements: Statements) -> bytes:
    """Write the report as one HTML file.

    Parameters
    ----------
    derivation : Derivation
        The tree with its training.
    statements : Statements
        The author's statements.
    """
    tree = derivation.tree
    found = derivation.verdict
    body = "\n".join(
        [
            head_html("Report", derivation, statements),
            f'<p class="verdict">{escaped(found.text)} {escaped(found.remark)}</p>',
            f"<dl>{stated_html(statements)}</dl>",
            _section("Data", _data(derivation)),
            _section("Predictors", _predictors(derivation)),
            _section("Method", _method(derivation)),
            _section("The tree", tree_html(derivation, TREE_WIDTH, TREE_HEIGHT)),
            _section("Its leaves", _leaves(derivation)),
            *_unused(derivation),
            _section("How good it is", _performance(derivation)),
            *_usefulness(derivation),
            *_studies(derivation),
            *(
                _section(title, validation_html(found))
                for title, found in _named_validations(derivation.evidence.validations)
            ),
            _section("Provenance", _provenance(derivation)),
            _section("What TRIPOD+AI asks for", _items()),
            foot_html(derivation),
        ]
    )
    title = f"Report: {printable(tree.target)}"
    return Page(title, body, ("sheet.css",), has_pictures=True).to_bytes()


def _section(title: str, content: str) -> str:
    return f"<section><h2>{title}</h2>{content}</section>"


def _data(derivation: Derivation) -> str:
    tree = derivation.tree
    positive = printable(tree.positive_label)
    train = derivation.train.confusion
    events = f"{train.n_positive:,} training rows are {positive}"
    if derivation.test is not None:
        events += f", {derivation.test.confusion.n_positive:,} test rows"
    source = derivation.data.name or "a file with an unknown name"
    outcome = (
        f"The outcome is {printable(tree.target)}. Its positive class is {positive}, the other is "
        f"{printable(tree.negative_label)}. {events}."
    )
    return f"<p>Source: {escaped(source)}. {escaped(outcome)}</p>{_flow(derivation)}"


def _flow(derivation: Derivation) -> str:
    """The table of rows read, left out and used."""
    flow = derivation.flow
    if flow is None:
        return '<p class="muted">The model does not say how many rows were read and left out.</p>'
    rows = [
        ("Read", flow.read),
        *((f"Left out: {escaped(each.reason)}", each.rows) for each in flow.excluded),
        ("Used for training", flow.train),
        ("Used for testing", flow.test),
        *([("Usable, but in neither", flow.unused)] if flow.unused else []),
    ]
    return table("Where the rows went", ["", "Rows"], [[name, f"{n:,}"] for name, n in rows])


def _predictors(derivation: Derivation) -> str:
    """Write the columns of the tree; the others follow after it."""
    tree = derivation.tree
    note = (
        "Categories and cut points come from the training rows alone. A missing value is a value "
        "of its own."
    )
    words = [note, *reading_words(tree, encoder_columns(derivation.model.encoder))]
    below = "".join(f'<p class="muted">{escaped(each)}</p>' for each in words)
    n_others = len(tree.features) - len(tree.used_features)
    others = f"; {count_words(n_others, 'other')} after the tree" if n_others else ""
    title = f"What the tree asks about{others}"
    return _columns(title, [tree.features[g] for g in tree.used_features]) + below


def _unused(derivation: Derivation) -> Iterator[str]:
    """Write the columns that the tree could have asked about, but does not."""
    used = set(derivation.tree.used_features)
    others = [each for g, each in enumerate(derivation.tree.features) if g not in used]
    if others:
        table_html = _columns("What the tree could have asked about", others)
        yield _section("Columns that are not in the tree", table_html)


def _columns(title: str, features: Sequence[Feature]) -> str:
    rows = [[escaped(each.name), each.kind.value, escaped(_coding(each))] for each in features]
    return table(title, ["Column", "Kind", "Categories, or cut points"], rows, "names")


def _coding(feature: Feature) -> str:
    """A column's categories or cut points, shortened if there are many."""
    if not feature.is_numerical:
        names = [category_words(text) for text in feature.values[:MOST_VALUES]]
        others = feature.n_values - len(names)
        return list_words([*names, f"{others:,} others"] if others else names)
    if len(feature.cuts) > MOST_VALUES:
        ends = f"{shortest_decimal(feature.cuts[0])} to {shortest_decimal(feature.cuts[-1])}"
        text = f"{len(feature.cuts):,} cut points from {ends}"
    else:
        text = list_words([shortest_decimal(cut) for cut in feature.cuts]) or "no cut point"
    return f"{text}; or missing" if feature.has_missing else text


def _method(derivation: Derivation) -> str:
    return "".join(
        f"<p>{escaped(text)}</p>" for text in (_sought(derivation), _judged(derivation)) if text
    )


def _sought(derivation: Derivation) -> str:
    """The goal, the rows and the status of the search."""
    spec, proof = derivation.spec, derivation.proof
    sentences = [
        "The model is a decision tree. Each question asks whether a category is in a set, or "
        "whether a number is at most a cut point."
    ]
    if spec is not None:
        goal = goal_words(spec.objective, derivation.tree.negative_label)
        rules = rules_in_drawing(spec, derivation.tree)
        set_words = "; ".join(
            f"{name.lower()}: {words}"
            for name, words in settings_words(spec, rules).items()
            if words and name not in ("Time limit", "Engine", "Threads", "Solver's seed")
        )
        sentences.append(
            f"The search looked for the tree of shape {spec.topology.name} with the {goal} on the "
            f"training rows. Settings: {set_words}. {ENGINE_WORDS[spec.engine]}"
        )
    sentences.append(
        "The integer program comes from Günlük, Kalagnanam, Li, Menickelly and Scheinberg "
        "(Optimal Decision Trees for Categorical Data via Integer Programming)."
    )
    if proof is not None:
        sentences.append(f"{proof.status}. {proof.detail}")
    return " ".join(sentences)


def _judged(derivation: Derivation) -> str:
    """The methods of the evaluation."""
    tested = (
        "Test rows took no part in the search or in the choice of categories and cut points."
        if derivation.test is not None
        else "There were no test rows."
    )
    return (
        "All counts were recounted from the rows and do not come from a solver. Intervals are 95% "
        "intervals: Wilson's for shares, Newcombe's for balanced accuracy, the log method for "
        "likelihood ratios. The tree was chosen on the training rows, so their rates are too good "
        f"for new cases. {tested}"
    )


def _leaves(derivation: Derivation) -> str:
    unseen = unseen_words(derivation.tree)
    below = f'<p class="muted">{escaped(unseen)}</p>' if unseen else ""
    return leaf_rows(derivation.leaves, derivation.tree) + below


def _performance(derivation: Derivation) -> str:
    tree, test = derivation.tree, derivation.test
    sets = {"Training": derivation.train}
    tables = [count_table(_rows_title("Training", derivation.train.confusion.n),
                          derivation.train.confusion, tree)]  # fmt: skip
    if test is not None:
        sets["Test"] = test
        tables.append(count_table(_rows_title("Test", test.confusion.n), test.confusion, tree))
    for title, found in _named_validations(derivation.evidence.validations):
        sets[title] = found.metrics
    pair = f'<div class="pair">{"".join(tables)}</div>' if len(tables) > 1 else tables[0]
    return f"{pair}<h3>Rates</h3>{rate_table(sets)}{_floors(derivation)}"


def _rows_title(name: str, n: int) -> str:
    return f"{name}: {count_words(n, 'row')}, the tree's answers and the true classes"


def _floors(derivation: Derivation) -> str:
    found = floors(derivation.objective, derivation.train, derivation.test)
    return f"<h3>Floors</h3>{floor_table(found, 'test')}" if found else ""


def _usefulness(derivation: Derivation) -> Iterator[str]:
    """Net benefit and groups, if there are test rows."""
    counts, confusion = derivation.test_leaves, derivation.test_counts
    if counts is not None and confusion is not None and confusion.n:
        yield _section(
            "Is acting on it worth it?",
            benefit_html(
                lambda thresholds: decision_curve(derivation.tree, counts, thresholds),
                lambda threshold: net_benefit(confusion, threshold),
                "test",
            ),
        )
    groups = groups_html(derivation.evidence.groups, derivation.tree, "test")
    if groups:
        yield _section("Does it hold in every group?", groups)


def _studies(derivation: Derivation) -> Iterator[str]:
    """The studies of the same problem."""
    evidence = derivation.evidence
    if evidence.frontier is not None and evidence.frontier.points:
        yield _section("Trade-offs of this shape", frontier_html(evidence.frontier, derivation))
    if evidence.curves:
        yield _section("Training promises against test", curves_html(evidence.curves))
    if evidence.comparison is not None and evidence.comparison.rows:
        yield _section("Compared with other trees", comparison_html(evidence.comparison))
    if evidence.stability is not None and evidence.stability.fitted:
        yield _section("Stability", stability_html(evidence.stability, derivation))


def _named_validations(
    found: Sequence[ValidationResult],
) -> Iterator[tuple[str, ValidationResult]]:
    """Each validation with its title, numbered if there are several."""
    for number, each in enumerate(found, start=1):
        yield "Validation" if len(found) == 1 else f"Validation {number}", each


def _provenance(derivation: Derivation) -> str:
    entries = "".join(
        f"<dt>{name}</dt><dd>{escaped(text)}</dd>" for name, text in _origins(derivation) if text
    )
    return f"<dl>{entries}</dl>"


def _origins(derivation: Derivation) -> Iterator[tuple[str, str]]:
    spec, proof = derivation.spec, derivation.proof
    yield "File", derivation.data.name
    yield "SHA-256", derivation.data.sha256
    yield "Missing values", _missing_words(derivation)
    if spec is not None:
        yield "Seeds", f"split {spec.split.seed}, solver {spec.seed}"
        yield "Engine", spec.engine.value
        yield "Time limit", settings_words(spec)["Time limit"]
    if proof is not None:
        yield "Status", proof.status
        yield "Reached", proof.reached
        yield "Bound", proof.bound
        yield "Gap", "" if proof.gap is None else ("none" if proof.gap == 0 else f"{proof.gap:,}")
        yield "Remark", proof.remark
    yield "Trained by", "; ".join(f"{name} {version}" for name, version in derivation.versions)
    yield "Written by", MADE_BY


def _missing_words(derivation: Derivation) -> str:
    """The texts that count as missing."""
    record = derivation.model.schema
    if not record:
        return ""
    tokens = [f'"{printable(token)}"' for token in Schema.from_json(record).missing_tokens]
    return f"an empty cell{', ' if tokens else ''}{list_words(tokens)}"


_ITEMS = (
    ("5, 7", "Data sources and preparation", "Data; Predictors; the author adds dates"),
    ("8", "Outcome", "Data"),
    ("9", "Predictors", "Predictors; Columns that are not in the tree"),
    ("10, 21", "Sample size and events", "Data; How good it is"),
    ("11", "Missing data", "Predictors; Provenance"),
    ("12, 16", "Analysis, training and evaluation", "Method; How good it is; Validation"),
    ("15, 22", "Output and full specification of the model", "The tree; Its leaves; model file"),
    ("18e, 18f", "Data and code sharing", "Provenance; the author adds where they are"),
    ("20", "Flow of the rows", "Data"),
    ("23", "Performance with intervals, and in groups", "How good it is; Does it hold in every "
     "group?"),
    ("1 to 4", "Title, abstract, background, objectives", "the author adds these"),
    ("6", "Participants: setting, eligibility, treatment", "the author adds these"),
    ("13, 14", "Class imbalance and fairness", "Does it hold in every group? The author adds the "
     "rest"),
    ("17, 19", "Ethics, involvement of patients", "the author adds these"),
    ("18a to 18d", "Funding, conflicts, protocol, registration", "the author adds these"),
    ("24 to 27", "Updating, interpretation, limits, use", "Intended use; the author adds the rest"),
)  # fmt: skip


def _items() -> str:
    return table(
        "Items of the checklist and their place in this report",
        ["Item", "About", "Where"],
        [[escaped(part) for part in item] for item in _ITEMS],
    )
