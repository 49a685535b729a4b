"""Bars of columns that a question could be about."""

from __future__ import annotations

import pytest

from odt_core.figures import ColumnBar, ranking_chart
from odt_core.figures.ranking import MOST_BARS
from odt_core.render import DARK, LIGHT, Theme

BARS = (
    ColumnBar("age", 13, 13, is_current=True),
    ColumnBar("<b>pain</b> & more", 15, 13.5),
    ColumnBar("stage", 16, 16),
)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_each_column_has_a_bar_at_its_place(theme: Theme) -> None:
    figure = ranking_chart(BARS, "training errors", without=21, theme=theme).figure
    current, others, line = figure.data
    assert (list(current.x), list(current.y), current.name) == ([13], [0], "current column")
    assert (list(others.x), list(others.y)) == ([15, 16], [1, 2])
    assert list(others.customdata) == ["<b>pain</b> & more", "stage"]
    assert list(line.x) == [21, 21]
    assert figure.layout.xaxis.range[1] > 21
    assert figure.layout.xaxis.title.text == "training errors"


def test_bars_of_both_colours_are_equally_thick_and_do_not_touch() -> None:
    bars = (ColumnBar("a", 5, 5), ColumnBar("b", 5, 5, is_current=True), ColumnBar("c", 6, 6))
    current, others = ranking_chart(bars, "training errors").figure.data
    assert (list(current.y), list(others.y)) == ([1], [0, 2])
    assert current.width == others.width < 1


def test_what_is_not_proved_is_hollow_and_says_from_where_on() -> None:
    _, others = ranking_chart(BARS, "training errors").figure.data
    hollow, full = others.marker.color
    assert hollow == LIGHT.grid and full == LIGHT.second
    figure = ranking_chart(BARS, "training errors").figure
    assert [each.text for each in figure.layout.annotations] == ["13", "13.5 to 15", "16"]
    assert "not proved" in others.hovertext[0] and "proved" in others.hovertext[1]


def test_names_from_a_file_are_no_html() -> None:
    figure = ranking_chart(BARS, "training errors").figure
    assert figure.layout.yaxis.ticktext[1] == "&lt;b&gt;pain&lt;/b&gt; &amp; more"
    assert "<b>" not in figure.data[1].hovertext[0]


def test_long_names_that_differ_at_the_end_can_be_told_apart() -> None:
    bars = [ColumnBar(f"very long name of a column number {k}", k, k) for k in range(1, 5)]
    names = ranking_chart(bars, "training errors").figure.layout.yaxis.ticktext
    assert len(set(names)) == len(bars) and all("…" in name for name in names)


def test_only_the_best_columns_are_drawn() -> None:
    bars = [ColumnBar(f"column {k}", k, k) for k in range(40)]
    assert len(ranking_chart(bars, "training errors").figure.data[0].x) == MOST_BARS
    words = ranking_chart(bars, "training errors").alt
    assert words.endswith(f"and {40 - MOST_BARS} other columns.")


def test_the_bars_in_words() -> None:
    assert ranking_chart(BARS, "training errors").alt == (
        "The fewest training errors with each column at this question: age (current) 13, "
        "<b>pain</b> & more 13.5 to 15, stage 16."
    )
    share = (ColumnBar("age", 0.05, 0.05),)
    assert "age 5.0%" in ranking_chart(share, "balanced error", is_share=True).alt
