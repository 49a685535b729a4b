"""The order of the queue: owners take turns fairly, and the lanes of one owner take turns.

The owner with the fewest running runs comes first. Among equals, the owner whose last start is
longest ago comes first, and then the owner who queued first. So five hundred runs of one owner
delay a single run of another only until one of the running runs ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Share:
    """A lane's or an owner's share of the queue.

    Attributes
    ----------
    n_waiting, n_running : int
        Numbers of runs.
    started_at : datetime
        Time of the last start; `NEVER` if there was none.
    first : int
        Number of the first waiting run; later runs have higher numbers.
    """

    n_waiting: int
    n_running: int
    started_at: datetime
    first: int

    @property
    def turn(self) -> tuple[int, datetime, int]:
        """Sort key: the smaller comes first."""
        return (self.n_running, self.started_at, self.first)

    def ahead_of(self, other: Share, place: int) -> int:
        """Count the waiting runs of this share that will start before the other's run at `place`.

        Runs start in cycles. A run's cycle is the number of its owner's (or lane's) runs that will
        be running before it. Within a cycle, a share that did not start a run in the cycle before
        comes first.
        """
        cycles = other.n_running + place - self.n_running
        mine = (-self.n_running, self.started_at, self.first)
        if mine < (-other.n_running, other.started_at, other.first):
            cycles += 1
        return min(max(cycles, 0), self.n_waiting)


@dataclass(frozen=True)
class Lane:
    """A lane with waiting runs, and its owner's share of the queue."""

    owner: str
    name: str
    share: Share
    owners: Share


def in_turn(lanes: Iterable[Lane]) -> list[Lane]:
    """Sort lanes in the order in which they may start a run now."""
    return sorted(lanes, key=lambda lane: (lane.owners.turn, lane.share.turn))


def count_ahead(lanes: Iterable[Lane], mine: Lane, place: int) -> int:
    """Count the waiting runs that will start before a run, if no run is added and none ends.

    Parameters
    ----------
    place : int
        The run's place in its lane, from 0.
    """
    others: Mapping[str, Share] = {
        lane.owner: lane.owners for lane in lanes if lane.owner != mine.owner
    }
    siblings = [lane for lane in lanes if lane.owner == mine.owner and lane.name != mine.name]
    place += sum(lane.share.ahead_of(mine.share, place) for lane in siblings)
    return place + sum(owner.ahead_of(mine.owners, place) for owner in others.values())
