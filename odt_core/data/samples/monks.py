"""The first MONK's problem: all robots, and a rule that two features decide together."""

from __future__ import annotations

from itertools import product

from odt_core.data.samples.sample import Content, Sample

_FEATURES = {
    "head_shape": ("round", "square", "octagon"),
    "body_shape": ("round", "square", "octagon"),
    "is_smiling": ("yes", "no"),
    "holding": ("sword", "balloon", "flag"),
    "jacket_color": ("red", "yellow", "green", "blue"),
    "has_tie": ("yes", "no"),
}


def _content() -> Content:
    rows = [
        (*robot, "monk" if robot[0] == robot[1] or robot[4] == "red" else "not_monk")
        for robot in product(*_FEATURES.values())
    ]
    return (*_FEATURES, "class"), rows


MONKS_1 = Sample(
    key="monks-1",
    title="MONK's problem 1",
    description="All 432 robots with six features. A robot is a monk if its head and body have "
    "the same shape or its jacket is red. Generated from the definition; the same rows as the UCI "
    "set of that name.",
    target="class",
    positive="monk",
    content=_content,
)
