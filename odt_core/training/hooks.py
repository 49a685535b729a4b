"""What a run reports while it works: its stages, its progress and the best tree so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from odt_core.problem import EncodedData, Problem
from odt_core.solution import Found, TracePoint
from odt_core.solvers.control import Control
from odt_core.training.spec import TrainSpec

if TYPE_CHECKING:
    from odt_core.export import Model


class Stage(StrEnum):
    """A stage of a training run. The time limit applies to ``solving``.

    A study is ``compiling`` while it waits until the search is compiled, once on each machine.
    """

    PREPARING = "preparing"
    COMPILING = "compiling"
    SOLVING = "solving"
    FINISHING = "finishing"


class Outcome(Protocol):
    """The outcome of a run: a result with a JSON form, and perhaps a model."""

    @property
    def model(self) -> Model | None:
        """The model."""

    def to_json(self) -> dict[str, Any]:
        """The result."""


@dataclass(frozen=True, eq=False)
class BestSoFar:
    """The best tree, or list of trees, that an unfinished run has found.

    Attributes
    ----------
    is_proved : bool
        Whether no tree is better, so that the rest of the run only confirms it.
    result : callable
        Computes the complete outcome if the run ended now. This takes a moment.
    """

    is_proved: bool
    result: Callable[[], Outcome]


@dataclass(frozen=True)
class Hooks:
    """The functions that a run calls while it works.

    Attributes
    ----------
    on_stage : callable
        Called with each stage as it begins.
    on_progress : callable, optional
        Called with the problem and each new point of the trace of its solve.
    on_best : callable, optional
        Called with better results during the run.
    should_stop : callable
        Called many times a second. True ends the run with what it has found.
    """

    on_stage: Callable[[Stage], None] = lambda stage: None
    on_progress: Callable[[Problem, TracePoint], None] | None = None
    on_best: Callable[[BestSoFar], None] | None = None
    should_stop: Callable[[], bool] = lambda: False

    def begin_solving(self, rows: Iterable[EncodedData]) -> None:
        """Begin the solves of a study, on these rows or on rows drawn from them.

        Until the search is compiled for such rows, the study waits.
        """
        from odt_core.solvers.search.loader import loader  # processes that serve pages never solve

        loader.load(rows, lambda: self.on_stage(Stage.COMPILING), self.should_stop)
        self.on_stage(Stage.SOLVING)

    def report(self, result: Callable[[], Outcome], is_proved: bool = False) -> None:
        """Report a better result (see `BestSoFar`), if anybody follows."""
        if self.on_best is not None:
            self.on_best(BestSoFar(is_proved, result))

    def control(
        self,
        spec: TrainSpec,
        problem: Problem | None = None,
        on_found: Callable[[Found], None] | None = None,
    ) -> Control:
        """Return the control of a solve with the limits of a specification.

        The solve reports its progress if its problem is given. It calls `on_found` if anybody
        wants the best results.
        """
        on_progress = self.on_progress
        return Control(
            spec.time_limit,
            spec.threads,
            spec.seed,
            None
            if problem is None or on_progress is None
            else lambda point: on_progress(problem, point),
            None if self.on_best is None else on_found,
            self.should_stop,
        )


SILENT = Hooks()
"""The hooks of a run that nobody follows or stops."""
