"""Whose turn it is: a queue that is fair between owners, and between an owner's lanes.

Who has fewest runs running comes first; of equals, who has waited longest since a run of theirs
was last started; of equals, who queued first. So one owner's five hundred runs delay another's
single one by no more than the runs that are running already.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Share:
    """What a lane or an owner has of the queue.

    Attributes
    ----------
    n_waiting, n_running : int
        Runs.
    started_at : datetime
        When one was last started; `NEVER` if none was.
    first : int
        Number of the first run that waits; it grows with time.
    """

    n_waiting: int
    n_running: int
    started_at: datetime
    first: int

    @property
    def turn(self) -> tuple[int, datetime, int]:
        """The smaller, the sooner."""
        return (self.n_running, self.started_at, self.first)

    def ahead_of(self, other: Share, place: int) -> int:
        """How many of my waiting runs will be started before the other's run at `place`.

        Turns go in rounds: a run's round is the number of runs that will be running before it.
        Within a round, who enters it without having been started in the one before is senior.
        """
        rounds = other.n_running + place - self.n_running
        mine = (-self.n_running, self.started_at, self.first)
        if mine < (-other.n_running, other.started_at, other.first):
            rounds += 1
        return min(max(rounds, 0), self.n_waiting)


@dataclass(frozen=True)
class Lane:
    """A lane with runs waiting, and its owner's share of the queue."""

    owner: str
    name: str
    share: Share
    owners: Share


def in_turn(lanes: Iterable[Lane]) -> list[Lane]:
    """Lanes in the order in which they may start a run now."""
    return sorted(lanes, key=lambda lane: (lane.owners.turn, lane.share.turn))


def count_ahead(lanes: Iterable[Lane], mine: Lane, place: int) -> int:
    """How many waiting runs will be started before one, if nothing new comes and none ends.

    Parameters
    ----------
    lanes : iterable of Lane
        All with runs waiting.
    mine : Lane
        The run's.
    place : int
        Its place in the lane, from 0.
    """
    others: Mapping[str, Share] = {
        lane.owner: lane.owners for lane in lanes if lane.owner != mine.owner
    }
    siblings = [lane for lane in lanes if lane.owner == mine.owner and lane.name != mine.name]
    place += sum(lane.share.ahead_of(mine.share, place) for lane in siblings)
    return place + sum(owner.ahead_of(mine.owners, place) for owner in others.values())
