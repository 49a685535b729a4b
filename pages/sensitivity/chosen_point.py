"""The choice of a point of the frontier: by slider, click, floor or costs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import streamlit as st

from odt_core.errors import InputError
from odt_core.evaluation import CostRange, cheapest
from odt_core.exact import parse_floor, parse_weight
from odt_core.jobs import Job
from odt_core.studies import FrontierView, OperatingPoint, Sweep
from odt_core.words import number_words, percent_words
from pages.common.markup import plain, shorten
from pages.common.session import work
from pages.common.widgets import start_value
from pages.sensitivity.frontier import KeptPoint

FLOOR_ON, COST_FN, COST_FP = "sens_floor_on", "sens_cost_fn", "sens_cost_fp"
DEFAULT_FLOOR = Fraction(95, 100)


class ChosenPoint:
    """The chosen point of one frontier, stored in the session under the frontier's own keys."""

    def __init__(self, job: Job, view: FrontierView) -> None:
        self.view = view
        self.point_key = f"sens_point_{job.id}"
        self.floor_key = f"sens_floor_{job.id}"
        self.error_key = f"sens_error_{job.id}"
        self.pin_key = f"sens_pin_{job.id}"
        if self.point_key not in st.session_state:
            self._begin()

    def _begin(self) -> None:
        """Begin with the current tree's floor, or with 95% sensitivity."""
        job = work().job
        asked = None if job is None else job.spec.train.objective
        if asked is not None and asked.min_tnr is not None and asked.min_tpr is None:
            st.session_state[FLOOR_ON] = Sweep.TNR.value
        start_value(FLOOR_ON, Sweep.TPR.value)
        floor = None
        if asked is not None:
            floor = asked.min_tpr if self.sweep is Sweep.TPR else asked.min_tnr
        floor = floor or DEFAULT_FLOOR
        st.session_state[self.floor_key] = number_words(100 * floor)
        at = self.view.at_level(floor, self.sweep)
        self.go_to(self.view.highest(self.sweep) if at is None else at)
        if at is None:
            st.session_state[self.error_key] = self._unreached_words()

    @property
    def index(self) -> int:
        """Index of the chosen point."""
        return int(st.session_state[self.point_key])

    @property
    def point(self) -> OperatingPoint:
        """The chosen point."""
        return self.view.points[self.index]

    @property
    def sweep(self) -> Sweep:
        """The rate that has the floor."""
        return Sweep(st.session_state.get(FLOOR_ON, Sweep.TPR.value))

    @property
    def floor(self) -> Fraction:
        """The floor that the user set. The chosen point need not keep it."""
        try:
            return parse_floor(st.session_state[self.floor_key], "The floor")
        except InputError:
            return self.view.floor_of(self.index, self.sweep)

    @property
    def serves_floor(self) -> bool:
        """Whether the chosen point is the best point for the user's floor."""
        return self.view.at_level(self.floor, self.sweep) == self.index

    @property
    def reaches_floor(self) -> bool:
        """Whether any tree of the frontier keeps the user's floor."""
        return self.view.at_level(self.floor, self.sweep) is not None

    @property
    def kept(self) -> KeptPoint:
        """The chosen point with the user's floor, or with its own floor if another is better."""
        floor = self.floor if self.serves_floor else self.view.floor_of(self.index, self.sweep)
        return KeptPoint(self.view, self.index, floor, self.sweep)

    @property
    def pinned(self) -> int | None:
        """Index of the point that was put aside to compare; None without such a point."""
        found = st.session_state.get(self.pin_key)
        return None if found is None else int(found)

    @property
    def compared(self) -> int | None:
        """Index of the point that was put aside, if it is not the chosen point."""
        return None if self.pinned == self.index else self.pinned

    @property
    def asked_ratio(self) -> Fraction | None:
        """The number of false alarms that a miss costs, as the user set it; None if not set."""
        try:
            costs = self._costs()
        except InputError:
            return None
        return None if costs is None else costs[0] / costs[1]

    def _costs(self) -> tuple[Fraction, Fraction] | None:
        """The user's costs of a miss and of a false alarm, 1 for an empty field; None if not set.

        Raises
        ------
        InputError
            If a cost is not a positive number.
        """
        texts = [str(st.session_state.get(key, "")) for key in (COST_FN, COST_FP)]
        if not any(text.strip() for text in texts):
            return None
        fn, fp = (parse_weight(text, "A cost") if text.strip() else Fraction(1) for text in texts)
        return fn, fp

    @property
    def ratio(self) -> Fraction | None:
        """The number of false alarms that a miss costs, by the user or by the tree.

        If the user set no costs, it is a ratio for which this tree is the cheapest; None without
        such a ratio.
        """
        cost = self.point.cost
        return self.asked_ratio or (None if cost is None else cost.inside)

    @property
    def is_cheapest(self) -> bool:
        """Whether no other tree costs less at the user's costs; true if none are set."""
        cost, asked = self.point.cost, self.asked_ratio
        return asked is None or (cost is not None and asked in cost)

    def go_to(self, index: int) -> None:
        """Choose a point. The user's floor stays."""
        st.session_state[self.point_key] = index
        st.session_state[self.error_key] = ""

    def on_slide(self) -> None:
        """Handle a move of the slider."""
        st.session_state[self.error_key] = ""

    def on_floor(self) -> None:
        """Choose the point for the user's floor, after a change of the floor or with Back."""
        text = str(st.session_state[self.floor_key])
        try:
            floor = parse_floor(text, f"The floor on {self.sweep.word}")
            at = self.view.at_level(floor, self.sweep)
            if at is None:
                raise InputError(self._unreached_words())
        except InputError as error:
            st.session_state[self.error_key] = str(error)
            return
        self.go_to(at)

    def _unreached_words(self) -> str:
        word, best = self.sweep.word, self.view.points[self.view.highest(self.sweep)]
        found = "" if self.view.bound is None else " that was found"
        floor, rate = number_words(100 * self.floor), self.sweep.rate(best.train)
        return (
            f"No tree of this shape{found} reaches the floor of {floor}% {word} in training. "
            f"The highest is {percent_words(rate)}."
        )

    def on_costs(self) -> None:
        """Choose the cheapest point after a change of the costs."""
        st.session_state[self.error_key] = ""
        try:
            costs = self._costs()
            if costs is not None:
                self.go_to(cheapest(self.view.pairs, *costs))
        except InputError as error:
            st.session_state[self.error_key] = str(error)

    def on_point(self, data: Any) -> None:
        """Choose the point of the figure that was clicked."""
        index = data[0] if isinstance(data, list) else data
        if index is not None and 0 <= int(index) < len(self.view.points):
            self.go_to(int(index))


def draw_point_choice(chosen: ChosenPoint, positive: str) -> None:
    """Draw the slider, and the floor and the costs that move it."""
    view = chosen.view
    name = plain(shorten(positive, 40))
    if len(view.points) > 1:
        st.select_slider(
            "Trade-off: specificity to the left, sensitivity to the right",
            list(reversed(range(len(view.points)))),
            format_func=lambda i: _slider_words(view, i),
            key=chosen.point_key,
            on_change=chosen.on_slide,
            help="Each step is another best tree. You can also use the arrow keys, or click a "
            "point in the ROC plane.",
        )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Floor on",
            [sweep.value for sweep in Sweep],
            format_func=lambda value: sweep_words(Sweep(value)),
            key=FLOOR_ON,
            persist_state="session",
            on_change=chosen.on_floor,
            width=165,
        )
        st.text_input(
            "Floor, in %",
            key=chosen.floor_key,
            on_change=chosen.on_floor,
            max_chars=12,
            width=125,
            help="The exact floor on the training rows. The page shows the tree with the highest "
            f"{chosen.sweep.other.word} that keeps it.",
        )
        for key, label, meaning in (
            (COST_FN, "A miss costs", f"If the tree does not recognise {name}, this is a miss."),
            (
                COST_FP,
                "A false alarm costs",
                f"If the tree wrongly says {name}, this is a false alarm.",
            ),
        ):
            start_value(key, "")
            st.text_input(
                label,
                key=key,
                persist_state="session",
                placeholder="not set",
                on_change=chosen.on_costs,
                max_chars=12,
                width=150,
                help=f"{meaning} With both costs, the page shows the tree with the least cost on "
                "the training rows, instead of a tree for a floor. Only the ratio of both costs "
                "matters.",
            )
        if chosen.reaches_floor and not chosen.serves_floor:
            st.button("Back to the floor", key="sens_back", on_click=chosen.on_floor)
        if not chosen.is_cheapest:
            st.button("Show the cheapest", key="sens_cheapest", on_click=chosen.on_costs)
        st.caption(_cost_words(chosen), width="stretch")
    error = st.session_state.get(chosen.error_key)
    if error:
        st.error(plain(error))


def sweep_words(sweep: Sweep) -> str:
    """Name the rate, as an option of the choice."""
    return f"{sweep.word.capitalize()} ({sweep.name})"


def _slider_words(view: FrontierView, index: int) -> str:
    counts = view.points[index].train
    return f"sensitivity {percent_words(counts.tpr)} · specificity {percent_words(counts.tnr)}"


def _cost_words(chosen: ChosenPoint) -> str:
    """Say for which costs the chosen tree is the cheapest, and compare the user's; Markdown."""
    cost, asked = chosen.point.cost, chosen.asked_ratio
    found = "" if chosen.view.bound is None else " found"
    if cost is None:
        return f"Whatever misses and false alarms cost, another tree{found} is cheaper."
    words = f"This is the cheapest tree{found} **{range_words(cost)}**."
    if asked is None:
        return words
    yours = f"Your costs, {ratio_words(asked)} for a miss,"
    return f"{words} {yours} {'are in this range.' if asked in cost else 'call for another tree.'}"


def range_words(cost: CostRange) -> str:
    """Describe a range of costs, without a full stop."""
    if cost.high is None and not cost.low:
        return "whatever a miss costs"
    if cost.high is None:
        return f"where a miss costs {alarm_words(cost.low)} or more"
    if not cost.low:
        return f"where a miss costs at most {alarm_words(cost.high)}"
    if cost.low == cost.high:
        return f"where a miss costs exactly {alarm_words(cost.low)}"
    return f"where a miss costs {ratio_words(cost.low)} to {alarm_words(cost.high)}"


def alarm_words(ratio: Fraction) -> str:
    """Write the number of false alarms that a miss costs: ``1 false alarm``."""
    return f"{ratio_words(ratio)} false {'alarm' if ratio == 1 else 'alarms'}"


def ratio_words(ratio: Fraction) -> str:
    """Write a ratio of costs with three digits."""
    return number_words(ratio, 3)
