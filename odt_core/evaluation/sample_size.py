"""Numbers of rows and events for each question of a shape, before anything is trained."""

from __future__ import annotations

from dataclasses import dataclass

from odt_core.problem import EncodedData
from odt_core.topology import Shape
from odt_core.words import count_words, number_words, printable

FEW_EVENTS = 10
"""Events for each question below which a tree is likely to fit chance. It is the usual rule of
thumb for each parameter of a model: a lower limit and not a guarantee."""


@dataclass(frozen=True)
class SampleSize:
    """The numbers of training rows and events, and the number of questions of a shape.

    Attributes
    ----------
    rows : int
        Number of training rows.
    events : int
        Number of training rows of the rarer class.
    event : str
        The rarer class's name.
    questions : int
        Largest number of questions that the shape has.
    """

    rows: int
    events: int
    event: str
    questions: int

    @property
    def rows_per_question(self) -> float:
        """Training rows for each question."""
        return self.rows / self.questions

    @property
    def events_per_question(self) -> float:
        """Events for each question."""
        return self.events / self.questions

    @property
    def is_small(self) -> bool:
        """Whether there are few events for each question."""
        return self.events_per_question < FEW_EVENTS

    @property
    def words(self) -> str:
        """The numbers and their meaning, in up to three sentences."""
        size = (
            f"{count_words(self.rows, 'training row')} and "
            f"{count_words(self.events, 'event')} (rows of the rarer class, "
            f"{printable(self.event)}) for {count_words(self.questions, 'question')}: "
            f"{_one_digit(self.rows_per_question)} rows and "
            f"{_one_digit(self.events_per_question)} events for each."
        )
        if not self.is_small:
            return size
        advice = "A smaller shape is safer." if self.questions > 1 else ""
        return (
            f"{size} Fewer than {FEW_EVENTS} events for each question are few: the tree may fit "
            f"chance. {advice}"
        ).strip()


def sample_size(train: EncodedData, shape: Shape) -> SampleSize:
    """Count the rows and events for each question of a shape."""
    is_positive_rarer = train.n_positive <= train.n_negative
    return SampleSize(
        rows=train.n_rows,
        events=min(train.n_positive, train.n_negative),
        event=train.positive_label if is_positive_rarer else train.negative_label,
        questions=shape.n_nodes,
    )


def _one_digit(value: float) -> str:
    return number_words(round(value, 1)) if value < 100 else f"{round(value):,}"
