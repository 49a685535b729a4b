"""Fair turns, without a database."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from odt_core.storage.turns import NEVER, Lane, Share, count_ahead, in_turn

START = datetime(2030, 1, 1, tzinfo=UTC)


@dataclasses.dataclass
class Simulation:
    """Lanes of owners with runs waiting; runs are numbered in the order in which they queued."""

    waiting: dict[tuple[str, str], list[int]]
    running: dict[tuple[str, str], int]
    started: dict[tuple[str, str], datetime]

    def lanes(self) -> list[Lane]:
        return [
            Lane(owner, name, self.share({(owner, name)}), self.share(self.of(owner)))
            for (owner, name), waiting in self.waiting.items()
            if waiting
        ]

    def of(self, owner: str) -> set[tuple[str, str]]:
        return {key for key in self.waiting if key[0] == owner}

    def share(self, keys: set[tuple[str, str]]) -> Share:
        waiting = [run for key in keys for run in self.waiting[key]]
        return Share(
            n_waiting=len(waiting),
            n_running=sum(self.running[key] for key in keys),
            started_at=max(self.started[key] for key in keys),
            first=min(waiting),
        )

    def order(self) -> list[int]:
        """Start everything that waits, one run at a time; none ends."""
        started, clock = [], START + timedelta(days=1)
        while lanes := self.lanes():
            key = (in_turn(lanes)[0].owner, in_turn(lanes)[0].name)
            clock += timedelta(seconds=1)
            started.append(self.waiting[key].pop(0))
            self.running[key] += 1
            self.started[key] = clock
        return started


@st.composite
def simulations(draw: st.DrawFn) -> Simulation:
    keys = draw(
        st.lists(
            st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")),
            min_size=1,
            max_size=5,
            unique=True,
        )
    )
    queued = draw(st.lists(st.sampled_from(keys), min_size=1, max_size=14))
    waiting: dict[tuple[str, str], list[int]] = {key: [] for key in keys}
    for number, key in enumerate(queued):
        waiting[key].append(number)
    running = {key: draw(st.integers(0, 3)) for key in keys}
    moments = draw(st.permutations(range(len(keys))))
    started = {
        key: START + timedelta(seconds=moment) if running[key] or moment % 2 else NEVER
        for key, moment in zip(keys, moments, strict=True)
    }
    return Simulation(waiting, running, started)


@given(simulations())
def test_the_shown_position_equals_the_order_of_turns(simulation: Simulation) -> None:
    lanes = simulation.lanes()
    shown = {
        run: count_ahead(lanes, lane, place)
        for lane in lanes
        for place, run in enumerate(simulation.waiting[lane.owner, lane.name])
    }
    actual = {run: place for place, run in enumerate(simulation.order())}
    assert shown == actual


def test_a_single_run_waits_for_one_of_five_hundred() -> None:
    crowd = {("a", "study"): list(range(500)), ("b", "session"): [500]}
    order = Simulation(crowd, dict.fromkeys(crowd, 0), dict.fromkeys(crowd, NEVER)).order()
    assert order.index(500) == 1


def test_a_session_of_its_owner_is_not_held_up_by_a_study() -> None:
    crowd = {("a", "study"): list(range(500)), ("a", "session"): [500]}
    order = Simulation(crowd, dict.fromkeys(crowd, 0), dict.fromkeys(crowd, NEVER)).order()
    assert order.index(500) == 1


def test_two_lanes_give_an_owner_no_second_share() -> None:
    crowd = {("a", "x"): [0, 1, 2], ("a", "y"): [3, 4, 5], ("b", "x"): [6, 7, 8]}
    order = Simulation(crowd, dict.fromkeys(crowd, 0), dict.fromkeys(crowd, NEVER)).order()
    assert order == [0, 6, 3, 7, 1, 8, 4, 2, 5]
