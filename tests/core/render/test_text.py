"""Measuring and breaking lines."""

from __future__ import annotations

import html
import string
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odt_core.render import graphviz_command
from odt_core.render.text import text_width, wrap
from tests.core.trees import unhurried


def drawn_width(text: str, bold: bool) -> float:
    """Width of a line in points, as Graphviz measures it."""
    label = html.escape(text)
    label = f"<B>{label}</B>" if bold else label
    table = f'<TABLE BORDER="0" CELLPADDING="0" CELLSPACING="0"><TR><TD>{label}</TD></TR></TABLE>'
    dot = f"digraph {{ n [shape=plain fontname=Arial fontsize=100 label=<{table}>] }}"
    plain = subprocess.run([graphviz_command(), "-Tplain"], input=dot.encode(), capture_output=True)
    (line,) = [line for line in plain.stdout.decode().splitlines() if line.startswith("node")]
    return float(line.split()[4]) * 72


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "uniformity_of_cell_size",
        "Exec-managerial, Prof-specialty, ...",
        "MAXIMUM WMAW%",
        "is one of 5 of 14?",
        "illicit fill, trilllj",
        string.ascii_letters + string.digits,
        "<=50K & >50K (missing)",
    ],
)
def test_latin_text_is_as_wide_as_graphviz_draws_it(text, bold):
    measured, drawn = text_width(text, 100, bold=bold), drawn_width(text, bold)
    assert 0.93 * drawn < measured < 1.14 * drawn


@pytest.mark.parametrize(
    ("text", "width"), [("狭心症", 30), ("e\u0301", 5.6), ("\u200d", 0), ("نعم", 21), ("", 0)]
)
def test_other_scripts_are_not_taken_for_blanks(text, width):
    assert text_width(text, 10) == pytest.approx(width)


@unhurried
@given(st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=80))
def test_breaking_loses_no_letter(text):
    lines = wrap(text, 9, 74)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@unhurried
@given(st.text("abcWM _-,.(", max_size=80))
def test_lines_fit_but_for_hanging_commas_and_dots(text):
    for line in wrap(text, 9, 74):
        shorter = line.removesuffix(" ...").rstrip(",")
        assert text_width(shorter, 9) <= 74 + text_width(", ", 9) or len(shorter) <= 1


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one two", ["one two"]),
        ("yes: almond, anise, none", ["yes: almond,", "anise, none"]),
        ("single_epithelial_cell_size", ["single_", "epithelial_", "cell_size"]),
        ("aaaa, bbbb, cccccc, ...", ["aaaa, bbbb,", "cccccc, ..."]),
        ("", [""]),
    ],
)
def test_lines_break_between_words_or_behind_marks(text, lines):
    assert wrap(text, 10, 62) == lines
