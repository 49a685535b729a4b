"""Which point of the frontier is looked at: by slider, by a click, by a floor or by costs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import streamlit as st

from odt_core.errors import InputError
from odt_core.evaluation import CostRange, cheapest
from odt_core.jobs import Job
from odt_core.studies import FrontierView, Sweep
from odt_core.training import parse_floor, parse_weight
from odt_core.words import number_words, percent_words
from pages.common.state import work
from pages.common.text import plain, shorten
from pages.sensitivity.view import KeptPoint

FLOOR_ON, COST_FN, COST_FP = "sens_floor_on", "sens_cost_fn", "sens_cost_fp"
DEFAULT_FLOOR = Fraction(95, 100)


class Choice:
    """The chosen point of one frontier, kept in the session under names of its own."""

    def __init__(self, job: Job, view: FrontierView) -> None:
        self.view = view
        self.point_key = f"sens_point_{job.id}"
        self.floor_key = f"sens_floor_{job.id}"
        self.error_key = f"sens_error_{job.id}"
        self.pin_key = f"sens_pin_{job.id}"
        if self.point_key not in st.session_state:
            self._begin()

    def _begin(self) -> None:
        """The current tree's floor, or 95% sensitivity."""
        job = work().job
        asked = None if job is None else job.spec.train.objective
        if asked is not None and asked.min_tnr is not None and asked.min_tpr is None:
            st.session_state[FLOOR_ON] = Sweep.TNR.value
        st.session_state.setdefault(FLOOR_ON, Sweep.TPR.value)
        floor = None
        if asked is not None:
            floor = asked.min_tpr if self.sweep is Sweep.TPR else asked.min_tnr
        floor = floor or DEFAULT_FLOOR
        st.session_state[self.floor_key] = number_words(float(100 * floor))
        at = self.view.at_level(floor, self.sweep)
        self.go_to(self.view.highest(self.sweep) if at is None else at)
        if at is None:
            st.session_state[self.error_key] = self._unreached_words()
        st.session_state.setdefault(COST_FN, "")
        st.session_state.setdefault(COST_FP, "")

    @property
    def index(self) -> int:
        """The chosen point."""
        return int(st.session_state[self.point_key])

    @property
    def sweep(self) -> Sweep:
        """The rate that the floor is on."""
        return Sweep(st.session_state.get(FLOOR_ON, Sweep.TPR.value))

    @property
    def floor(self) -> Fraction:
        """The floor that was asked for, which the chosen point need not keep."""
        try:
            return parse_floor(st.session_state[self.floor_key], "The floor")
        except InputError:
            return self.view.floor_of(self.index, self.sweep)

    @property
    def serves_floor(self) -> bool:
        """Whether the chosen point is the best one that keeps the floor asked for."""
        return self.view.at_level(self.floor, self.sweep) == self.index

    @property
    def reaches_floor(self) -> bool:
        """Whether any tree of the frontier keeps the floor asked for."""
        return self.view.at_level(self.floor, self.sweep) is not None

    @property
    def kept(self) -> KeptPoint:
        """The chosen point under the floor asked for or, where it serves another, under its own."""
        floor = self.floor if self.serves_floor else self.view.floor_of(self.index, self.sweep)
        return KeptPoint(self.index, floor, self.sweep)

    @property
    def compared(self) -> int | None:
        """The point that was put aside to compare with."""
        found = st.session_state.get(self.pin_key)
        return None if found is None else int(found)

    @property
    def asked_ratio(self) -> Fraction | None:
        """How many false alarms a miss costs as the user says; None where nothing is said."""
        texts = [str(st.session_state.get(key, "")) for key in (COST_FN, COST_FP)]
        if not any(text.strip() for text in texts):
            return None
        try:
            fn, fp = (_cost(text) for text in texts)
        except InputError:
            return None
        return fn / fp

    @property
    def ratio(self) -> Fraction | None:
        """How many false alarms a miss costs: as the user says, or where this tree is cheapest.

        None where nothing is said and no costs make this tree the cheapest.
        """
        cost = self.view.points[self.index].cost
        return self.asked_ratio or (None if cost is None else cost.inside)

    @property
    def is_cheapest(self) -> bool:
        """Whether no other tree costs less at the user's costs, if there are any."""
        cost, asked = self.view.points[self.index].cost, self.asked_ratio
        return asked is None or (cost is not None and asked in cost)

    def go_to(self, index: int) -> None:
        """Choose a point; the floor asked for stays."""
        st.session_state[self.point_key] = index
        st.session_state[self.error_key] = ""

    def on_slide(self) -> None:
        """The slider was moved."""
        st.session_state[self.error_key] = ""

    def on_floor(self) -> None:
        """A floor was typed, is on the other rate now, or is to be gone back to."""
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
        floor, rate = number_words(float(100 * self.floor)), self.sweep.rate(best.train)
        return (
            f"No tree of this shape{found} reaches the floor of {floor}% {word} in training. "
            f"The highest is {percent_words(rate)}."
        )

    def on_costs(self) -> None:
        """Costs were typed."""
        st.session_state[self.error_key] = ""
        texts = [str(st.session_state.get(key, "")) for key in (COST_FN, COST_FP)]
        if not any(text.strip() for text in texts):
            return
        try:
            self.go_to(cheapest(self.view.pairs, *(_cost(text) for text in texts)))
        except InputError as error:
            st.session_state[self.error_key] = str(error)

    def on_point(self, data: Any) -> None:
        """A point of the figure was clicked."""
        index = data[0] if isinstance(data, list) else data
        if index is not None and 0 <= int(index) < len(self.view.points):
            self.go_to(int(index))


def draw_choice(choice: Choice, positive: str) -> None:
    """The slider over tree and curves; a floor and costs that move it."""
    view = choice.view
    name = plain(shorten(positive, 40))
    if len(view.points) > 1:
        st.select_slider(
            "Trade-off: specificity to the left, sensitivity to the right",
            list(reversed(range(len(view.points)))),
            format_func=lambda i: _slider_words(view, i),
            key=choice.point_key,
            on_change=choice.on_slide,
            help="Each step is another best tree. Arrow keys work too, and so does a click on a "
            "point in the ROC plane.",
        )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Floor on",
            [sweep.value for sweep in Sweep],
            format_func=lambda value: sweep_words(Sweep(value)),
            key=FLOOR_ON,
            persist_state="session",
            on_change=choice.on_floor,
            width=165,
        )
        other = Sweep.TNR if choice.sweep is Sweep.TPR else Sweep.TPR
        st.text_input(
            "At least, in %",
            key=choice.floor_key,
            on_change=choice.on_floor,
            max_chars=12,
            width=125,
            help="The floor on the training rows, exactly as written: the tree of highest "
            f"{other.word} that keeps it is shown.",
        )
        for key, label, meaning in (
            (COST_FN, "A miss costs", f"A miss: the tree does not see {name}."),
            (COST_FP, "A false alarm costs", f"A false alarm: it says {name} wrongly."),
        ):
            st.session_state.setdefault(key, "")
            st.text_input(
                label,
                key=key,
                persist_state="session",
                placeholder="not set",
                on_change=choice.on_costs,
                max_chars=12,
                width=150,
                help=f"{meaning} Instead of a floor: the tree of least cost on the training rows "
                "is shown. Only the ratio of both costs matters.",
            )
        if choice.reaches_floor and not choice.serves_floor:
            st.button("Back to the floor", key="sens_back", on_click=choice.on_floor)
        if not choice.is_cheapest:
            st.button("Show the cheapest", key="sens_cheapest", on_click=choice.on_costs)
        st.caption(_cost_words(choice), width="stretch")
    error = st.session_state.get(choice.error_key)
    if error:
        st.error(plain(error))


def sweep_words(sweep: Sweep) -> str:
    """The rate as a choice."""
    return f"{sweep.word.capitalize()} ({sweep.name})"


def _slider_words(view: FrontierView, index: int) -> str:
    point = view.points[index]
    return f"sensitivity {percent_words(point.tpr)} · specificity {percent_words(point.tnr)}"


def _cost_words(choice: Choice) -> str:
    """For which costs the chosen tree is the cheapest, and how the user's own lie; Markdown."""
    cost, asked = choice.view.points[choice.index].cost, choice.asked_ratio
    found = "" if choice.view.bound is None else " found"
    if cost is None:
        return f"Whatever misses and false alarms cost, another tree{found} is cheaper."
    words = f"This is the cheapest tree{found} **{range_words(cost)}**."
    if asked is None:
        return words
    yours = f"Your costs, {ratio_words(asked)} for a miss,"
    return f"{words} {yours} {'are within.' if asked in cost else 'call for another tree.'}"


def range_words(cost: CostRange) -> str:
    """For which costs; without a full stop."""
    low = ratio_words(cost.low)
    if cost.high is None:
        return (
            f"where a miss costs {alarm_words(cost.low)} or more"
            if cost.low
            else "whatever a miss costs"
        )
    if not cost.low:
        return f"where a miss costs at most {alarm_words(cost.high)}"
    if cost.low == cost.high:
        return f"where a miss costs exactly {alarm_words(cost.low)}"
    return f"where a miss costs {low} to {alarm_words(cost.high)}"


def alarm_words(ratio: Fraction) -> str:
    """How many false alarms a miss costs: ``1 false alarm``."""
    return f"{ratio_words(ratio)} false {'alarm' if ratio == 1 else 'alarms'}"


def ratio_words(ratio: Fraction) -> str:
    """A ratio of costs with three digits."""
    return number_words(float(f"{float(ratio):.3g}"))


def _cost(text: str) -> Fraction:
    """A cost as it is written; 1 where only the other one is.

    Raises
    ------
    InputError
        If it is not a positive number.
    """
    return parse_weight(text, "A cost") if text.strip() else Fraction(1)
