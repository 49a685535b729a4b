"""Text from files stays text."""

from __future__ import annotations

import pytest

from pages.common.markup import (
    LONG_WORD,
    MOST_LETTERS,
    html_text,
    isolate,
    name_html,
    plain,
    sentence,
    shorten,
)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("![x](http://a.b)", "\\!\\[x\\]\\(http\\:\u2060//a\\.b\\)"),
        (":material/home:", "\\:\u2060material/home\\:"),
        ("a@b.c", "a@\u2060b\\.c"),
        ("www.a.b", "www\u2060\\.a\\.b"),
        ("a -> b", "a \\-\u2060\\> b"),
        ("&lt;b&gt;", "\\&lt;b\\&gt;"),
        ("two\nlines\tof  text", "two lines of text"),
        ("age", "age"),
    ],
)
def test_signs_of_markdown_are_escaped(given: str, shown: str) -> None:
    assert plain(given) == shown


def test_text_direction_cannot_be_turned() -> None:
    assert plain("a\u202eb") == "ab"


def test_arabic_and_hebrew_words_do_not_turn_a_sentence_round() -> None:
    age, city, near, far = "العمر", "المدينة", "جدة", "مكة 2 القديمة"
    assert plain(f"{age} <= 40") == f"\u2068{age}\u2069 \\<\u2060= 40"
    assert html_text(f"'{city}' is {near}, {far}") == (
        f"&#x27;\u2068{city}\u2069&#x27; is \u2068{near}\u2069, \u2068{far}\u2069"
    )
    assert isolate("é < 4, 年龄 > 5") == "é < 4, 年龄 > 5"


def test_html_is_escaped_in_elements_and_attributes() -> None:
    assert html_text("<b title=\"x\" id='y'>&") == (
        "&lt;b title=&quot;x&quot; id=&#x27;y&#x27;&gt;&amp;"
    )


def test_only_long_words_of_a_name_break_inside() -> None:
    short, long = "Reported at least once", "x" * (LONG_WORD + 1)
    assert name_html(short) == f'<span title="{short}">{short}</span>'
    assert "overflow-wrap:anywhere" in name_html(f"one {long}")
    joined = name_html("admission_ward")
    assert joined == '<span title="admission_ward">admission_<wbr>ward</span>'
    assert "<wbr>" not in name_html("3.50-4")
    assert name_html("<b> twice").startswith('<span title="&lt;b&gt; twice">&lt;b&gt;')


def test_long_text_is_cut_with_an_ellipsis() -> None:
    assert shorten("abcdef", 4) == "abc…"
    assert shorten("abcd", 4) == "abcd"
    assert len(sentence("x" * 10**6)) == MOST_LETTERS
