"""The rule card: a tree on one page for the bedside, with a form that computes the answer."""

from __future__ import annotations

from collections.abc import Iterator

from odt_core import MADE_BY
from odt_core.data import ColumnEncoder
from odt_core.evaluation import ReportedRate
from odt_core.export.reading import encoder_columns, reading_words
from odt_core.problem import Feature
from odt_core.render import tree_dot, tree_summary, tree_svg
from odt_core.reports.derivation import Derivation
from odt_core.reports.page import Page, escaped, inline_svg, json_block, sized_svg
from odt_core.reports.paper import SMALLEST_PRINT, fit, paper_tree
from odt_core.reports.rule_form import form_record, options
from odt_core.reports.statements import Statements
from odt_core.reports.tables import rate_table
from odt_core.tree import Tree
from odt_core.words import count_words, goal_words, printable, spoken_rule, unseen_words

TREE_WIDTH, TREE_HEIGHT = 520.0, 290.0
"""The size of the tree's place on the page, in points."""

SCREEN_HEIGHT = 640.0
"""The largest height of a large tree on screen, in points. Paper gets another drawing."""

SMALL_TREE = 4
"""The most leaves of a tree that shrinks to a phone's width. Larger trees scroll."""

MOST_RULES, MOST_NOTE = 900, 400
"""The most characters of the rules in words, and of a note, on a printed page."""

NEW_VALUES = (
    "Take care with a value that no training row had: no row supports the answer. The form on "
    "screen says so."
)

LONG_TITLE = 60
"""The most characters of a title in the usual size; longer titles are smaller."""

MEASURES = (ReportedRate.SENSITIVITY, ReportedRate.SPECIFICITY, ReportedRate.PPV, ReportedRate.NPV)


def rule_card(derivation: Derivation, statements: Statements) -> bytes:
    """Write the rule card as one HTML file.

    Parameters
    ----------
    derivation : Derivation
        The tree with its training.
    statements : Statements
        The author's statements.
    """
    tree = derivation.tree
    title = f"Rule card: {printable(tree.target)}"
    whole, rules = _whole_tree(derivation), _rules(derivation)
    is_large = fit(whole, TREE_WIDTH, TREE_HEIGHT) < SMALLEST_PRINT or len(rules) > MOST_RULES
    height = SCREEN_HEIGHT if is_large else TREE_HEIGHT
    body = "\n".join(
        [
            head_html("Rule card", derivation, statements),
            _figure(whole, tree, TREE_WIDTH, height, "screen" if is_large else ""),
            *(_paper(derivation) if is_large else ()),
            _form(derivation),
            f'<div class="{"facts wide" if is_large else "facts"}"><div class="pair">',
            f'<section class="words"><h2>In words</h2>{rules}</section>',
            f"<section><h2>How good it is</h2>{_rates(derivation)}</section>",
            "</div>",
            *_notes(derivation),
            f"<section><h2>Where it comes from</h2>{_origin(derivation, statements)}</section>",
            "</div>",
            foot_html(derivation),
            json_block("rule", form_record(derivation)),
        ]
    )
    return Page(title, body, ("sheet.css", "card.css"), "rule_form.js").to_bytes()


def head_html(kind: str, derivation: Derivation, statements: Statements) -> str:
    """Write the head of a sheet: its kind, the tree's classes and its stage."""
    tree, stage = derivation.tree, statements.stage
    positive, negative = escaped(tree.positive_label), escaped(tree.negative_label)
    is_long = len(tree.target + tree.positive_label + tree.negative_label) > LONG_TITLE
    long = ' class="long"' if is_long else ""
    return (
        f'<header><div><p class="kind">{kind}</p><h1{long}>{escaped(tree.target)}: '
        f"{positive} or {negative}?</h1></div>"
        f'<p class="stage"><b>{escaped(stage)}</b>{escaped(stage.words)}</p></header>'
    )


def tree_html(derivation: Derivation, width: float, height: float) -> str:
    """Write the drawing of the tree, with counts of training and test rows."""
    return _figure(_whole_tree(derivation), derivation.tree, width, height)


def _whole_tree(derivation: Derivation) -> bytes:
    return tree_svg(tree_dot(derivation.tree, test=derivation.test_leaves, with_lists=True))


def _figure(svg: bytes, tree: Tree, width: float, height: float, where: str = "") -> str:
    drawing = inline_svg(svg, tree_summary(tree), width=width, height=height)
    size = "large" if tree.n_leaves > SMALL_TREE else "small"
    return f'<figure class="tree {size} {where}">{drawing}</figure>'


def _paper(derivation: Derivation) -> Iterator[str]:
    """The drawing of a large tree that is printed, and its key."""
    found = paper_tree(derivation)
    label = f'role="img" aria-label="{escaped(tree_summary(derivation.tree))}"'
    yield f'<figure class="tree paper">{sized_svg(found.svg, label)}</figure>'
    keys = " ".join(f"<b>{escaped(name)}</b> {escaped(text)}" for name, text in found.keys)
    for text in (keys, escaped(found.left_out)):
        if text:
            yield f'<p class="paper keys">{text}</p>'


def foot_html(derivation: Derivation) -> str:
    """Write the foot of a sheet: the program and the training file."""
    sha256 = derivation.data.sha256
    file = f" Training file SHA-256: {escaped(sha256)}." if sha256 else ""
    return f"<footer>Written by {MADE_BY}.{file}</footer>"


def _rules(derivation: Derivation) -> str:
    items = "".join(
        f"<li><b>{escaped(row.predicted)}</b> "
        f"{escaped(spoken_rule(derivation.tree, row.number - 1))}</li>"
        for row in derivation.leaves
    )
    return f'<ol class="rules">{items}</ol>'


def _notes(derivation: Derivation) -> Iterator[str]:
    """Write notes on values that no training row had, and on the reading of cells."""
    tree = derivation.tree
    columns = encoder_columns(derivation.model.encoder)
    for note in (unseen_words(tree), " ".join(reading_words(tree, columns))):
        if len(note) > MOST_NOTE:
            yield f'<p class="muted screen">{escaped(note)}</p>'
        elif note:
            yield f'<p class="muted">{escaped(note)}</p>'
    if len(unseen_words(tree)) > MOST_NOTE:
        yield f'<p class="muted paper">{escaped(NEW_VALUES)}</p>'


def _rates(derivation: Derivation) -> str:
    sets = {"Training": derivation.train}
    if derivation.test is not None:
        sets = {"Test": derivation.test, **sets}
    found = derivation.verdict
    if derivation.validation is not None:
        # half a page has space for two columns, and held-out rows matter more than training rows
        held_out = {"Test": derivation.test} if derivation.test is not None else sets
        sets = {"Validation": derivation.validation.metrics, **held_out}
        found = derivation.validation.verdict
    below = "" if derivation.test is not None else f"<p>{escaped(found.text)}</p>"
    return f'{rate_table(sets, MEASURES)}{below}<p class="muted">{escaped(found.remark)}</p>'


def _origin(derivation: Derivation, statements: Statements) -> str:
    tree, train = derivation.tree, derivation.train.confusion
    name = derivation.data.name
    positive = printable(tree.positive_label)
    sentences = [
        f"Found on {count_words(train.n, 'training row')}"
        + (f" of {printable(name)}" if name else "")
        + f", of which {train.n_positive:,} are {positive}."
    ]
    if derivation.spec is not None:
        goal = goal_words(derivation.objective, tree.negative_label)
        sentences.append(f"Goal: {goal}.")
    if derivation.proof is not None:
        sentences.append(f"{derivation.proof.status}.")
    origin = f"<p>{escaped(' '.join(sentences))}</p>"
    return f"{origin}<dl>{stated_html(statements)}</dl>"


def stated_html(statements: Statements) -> str:
    """Write the author's statements as a list, with a blank line for each open statement."""
    return "".join(
        f"<dt>{name}</dt><dd>{escaped(text) if text else '<span class=blank>&nbsp;</span>'}</dd>"
        for name, text in (
            ("Intended use", statements.intended_use),
            ("Author", statements.author),
        )
    )


def _form(derivation: Derivation) -> str:
    tree = derivation.tree
    columns = encoder_columns(derivation.model.encoder)
    fields = "".join(
        _field(place, feature, columns[feature.name])
        for place, feature in enumerate(tree.features[g] for g in tree.asked_features)
    )
    return (
        '<form id="case" class="screen" autocomplete="off"><h2>One case</h2><div class="case">'
        f'<div>{fields}<button type="reset">Clear</button></div>'
        '<div id="answer" role="status" aria-live="polite"></div></div>'
        '<p class="muted">Your entries do not leave this page.</p></form>'
    )


def _field(place: int, feature: Feature, column: ColumnEncoder) -> str:
    name, own = escaped(feature.name), f"value{place}"
    if feature.is_numerical:
        control = (
            f'<label for="{own}">{name}</label>'
            f'<input type="text" inputmode="decimal" id="{own}" aria-describedby="hint{place}">'
            '<label class="unknown"><input type="checkbox"> not known</label>'
        )
    else:
        choices = [
            *((str(code), text) for code, text in options(feature, column)),
            (str(column.missing_or_unseen), "not known"),
            ("-1", "another value"),
        ]
        entries = "".join(
            f'<option value="{code}">{escaped(text)}</option>' for code, text in choices
        )
        control = (
            f'<label for="{own}">{name}</label>'
            f'<select id="{own}"><option value="">Choose</option>{entries}</select>'
        )
    return (
        f'<div class="field" data-input="{place}">{control}'
        f'<p class="hint" id="hint{place}" aria-live="polite"></p></div>'
    )
