"""The evidence about a tree in the store: studies of its problem, and validations of the tree."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from odt_core.confusion import Confusion
from odt_core.data import Prepared, SplitSpec, Table
from odt_core.errors import MALFORMED, InputError
from odt_core.evaluation import Judged, Subgroups, column_subgroups, subgroup_columns
from odt_core.export import Model
from odt_core.jobs.job import Batch, job_of
from odt_core.problem import Objective
from odt_core.reports import Derivation, Evidence
from odt_core.solution import Engine
from odt_core.solvers.mip.options import MipOptions
from odt_core.storage import (
    Headline,
    NotFoundError,
    RunQuery,
    RunStatus,
    RunSummary,
    StorageError,
    Store,
)
from odt_core.studies import (
    Comparison,
    ComparisonFold,
    CurveRepeat,
    CurveRow,
    CurveRun,
    FoldRun,
    FrontierView,
    RangeRun,
    StabilityResult,
    TreeCandidate,
    ValidationResult,
    ValidationSpec,
    compare_runs,
    curve_table,
    gather_stability,
    is_quick,
    run_frontier,
)
from odt_core.studies.validation import model_sha256
from odt_core.topology import Topology
from odt_core.training import TrainSpec, prepare_training
from odt_core.tree import Tree
from odt_core.worker.messages import JobKind, JobSpec

MOST_LISTED, MOST_READ = 500, 30
"""How many runs of a kind are listed, and how many of these are read. The newest come first."""
MOST_VALIDATIONS = 5
"""Largest number of validations in a report."""
MOST_GROUPED = 4
"""Largest number of columns whose groups are counted."""

T = TypeVar("T")

log = logging.getLogger("odt_core.jobs.evidence")


@dataclass(frozen=True, eq=False)
class KnownRuns:
    """The runs to search: a session's own runs first, then the store's.

    Attributes
    ----------
    store : Store or None
        The store to search; None to search the session's own runs only.
    owner : str
        The owner of the runs.
    own : sequence of Batch
        The session's runs, which the store may not have; a single run is a batch of one.
    """

    store: Store | None
    owner: str
    own: Sequence[Batch] = ()

    def of_kind(
        self,
        kind: JobKind,
        looks: Callable[[Headline], bool],
        fits: Callable[[JobSpec], bool],
        dataset: str | None = None,
    ) -> Iterator[Batch]:
        """Find the finished runs of a kind whose specification fits, the session's own first.

        Parameters
        ----------
        kind : JobKind
            The kind of run.
        looks : callable
            Whether a run's main settings are of interest. Other runs are not read.
        fits : callable
            Whether a specification is of interest.
        dataset : str, optional
            SHA-256 of the file that they used; any file by default.
        """
        for at_hand in self.own:
            spec = at_hand.jobs[0].spec
            is_on_it = spec.kind is kind and dataset in (None, spec.dataset)
            if is_on_it and at_hand.is_over and at_hand.results and fits(spec):
                yield at_hand
        if self.store is None:
            return
        query = RunQuery(
            kinds=(kind.value,), statuses=(RunStatus.DONE,), dataset=dataset, limit=MOST_LISTED
        )
        try:
            runs = self.store.runs.list(self.owner, query).runs
        except StorageError:  # the session's own runs are returned all the same
            log.warning("stored runs cannot be read", exc_info=True)
            return
        alike = [run for run in runs if looks(run.headline)]
        for summary in alike[:MOST_READ]:
            batch = self._read(self.store, summary, fits)
            if batch is not None:
                yield batch

    def _read(
        self, store: Store, summary: RunSummary, fits: Callable[[JobSpec], bool]
    ) -> Batch | None:
        """Read a run with its parts; None if it does not fit, is deleted or has another version."""
        try:
            record = store.runs.get(self.owner, summary.id)
            if not fits(JobSpec.from_json(record.spec)):
                return None
            is_study = summary.members is not None
            records = store.studies.members(self.owner, summary.id) if is_study else (record,)
            return Batch(tuple(map(job_of, records)), owner=self.owner, id=summary.id)
        except (NotFoundError, InputError):
            log.info("run %s cannot be read", summary.id, exc_info=True)
            return None


def _is_of(tree: Tree) -> Callable[[Headline], bool]:
    """Make a test for a tree's outcome and positive class."""
    return lambda found: (found.target, found.positive) == (tree.target, tree.positive_label)


def find_evidence(model: Model, known: KnownRuns) -> Evidence:
    """Find the newest studies of a tree's problem, and the validations of the tree itself.

    Parameters
    ----------
    model : Model
        The tree with its training settings.
    known : KnownRuns
        The runs to search.

    Raises
    ------
    InputError
        If the model's record of its training is damaged.
    """
    validations = _validations(model, known)
    derivation = Derivation.of(model)
    spec, file = derivation.spec, derivation.data.sha256
    if spec is None or not file:
        return Evidence(validations=validations)
    counts = derivation.train.confusion
    sizes = (counts.n_positive, counts.n_negative)
    search = _EvidenceSearch(spec, model.tree, file, sizes, known)
    return Evidence(
        frontier=_frontier(search),
        curves=_curves(search),
        comparison=_comparison(search),
        stability=_stability(search),
        validations=validations,
    )


def held_out_groups(model: Model, table: Table, first: str | None = None) -> tuple[Subgroups, ...]:
    """Group a tree's test rows by the values of columns.

    Parameters
    ----------
    model : Model
        The tree with its training settings.
    table : Table
        The file that it was trained on.
    first : str, optional
        A column to show first. The tree's own columns follow, then others.

    Raises
    ------
    InputError
        If there is no such column, or the table is not read as it was in training.
    """
    spec, tree = Derivation.of(model).spec, model.tree
    if spec is None:
        return ()
    prepared = prepare_training(table, spec)
    if prepared.test is None or not tree.reads(prepared.test):
        return ()
    if first is not None:
        table.require(first)
    judged = Judged(prepared.test_rows, prepared.test.y, tree.predict(prepared.test.codes))
    own = [tree.features[g].name for g in tree.used_features]
    found = subgroup_columns(table, spec.schema)
    order = dict.fromkeys([*([] if first is None else [first]), *own, *found])
    return tuple(
        column_subgroups(table, spec.schema, column, judged)
        for column in list(order)[:MOST_GROUPED]
    )


def training_run(model: Model, known: KnownRuns) -> Batch | None:
    """Find a finished run with the same settings, which says how to read the training file.

    Raises
    ------
    InputError
        As for `find_evidence`.
    """
    derivation = Derivation.of(model)
    spec, file = derivation.spec, derivation.data.sha256
    if spec is None or not file:
        return None
    for kind in (JobKind.TRAIN, JobKind.ADOPT):
        found = known.of_kind(kind, _is_of(model.tree), lambda other: other.train == spec, file)
        for batch in found:
            return batch
    return None


def quick_frontier(model: Model, table: Table) -> FrontierView | None:
    """Find the frontier of a tree's shape, if that is likely to take about a second at most.

    The search runs in this process, so a process that serves pages must not call this.

    Parameters
    ----------
    model : Model
        The tree with its training settings.
    table : Table
        The file that it was trained on.
    """
    spec = Derivation.of(model).spec
    if spec is None or not is_quick_frontier(spec, prepare_training(table, spec)):
        return None
    return run_frontier(table, spec)


def is_quick_frontier(spec: TrainSpec, prepared: Prepared) -> bool:
    """Whether the frontier of a specification is likely to be found in about a second."""
    shape = spec.topology
    return isinstance(shape, Topology) and is_quick(prepared.train, shape, spec.max_card)


def problem_of(spec: TrainSpec) -> TrainSpec:
    """Remove from a specification the settings that only affect how its problem is solved."""
    return dataclasses.replace(
        spec, engine=Engine.SEARCH, time_limit=60.0, threads=1, seed=0, mip=MipOptions()
    )


def same_frontier(mine: TrainSpec, other: TrainSpec) -> bool:
    """Whether two specifications have the same frontier; their objectives do not matter."""
    return _without_goal(mine) == _without_goal(other)


def _without_goal(spec: TrainSpec) -> TrainSpec:
    return dataclasses.replace(problem_of(spec), objective=Objective())


@dataclass(frozen=True, eq=False)
class _EvidenceSearch:
    """A search for the studies of a problem among some runs.

    Attributes
    ----------
    spec : TrainSpec
        The tree's settings.
    tree : Tree
        The tree.
    file : str
        SHA-256 of the file that it was trained on.
    sizes : (int, int)
        Positive and negative training rows.
    known : KnownRuns
        The runs to search.
    """

    spec: TrainSpec
    tree: Tree
    file: str
    sizes: tuple[int, int]
    known: KnownRuns

    def runs(self, kind: JobKind, fits: Callable[[JobSpec], bool]) -> Iterator[Batch]:
        """Find the finished runs of a kind on the same file whose specification fits."""
        return self.known.of_kind(kind, _is_of(self.tree), fits, self.file)

    def has_rows(self, counts: Confusion) -> bool:
        """Whether counts may be those of the tree's training rows.

        The same settings give other rows if the file is read in another way.
        """
        return (counts.n_positive, counts.n_negative) == self.sizes


def _frontier(search: _EvidenceSearch) -> FrontierView | None:
    def fits(other: JobSpec) -> bool:
        return same_frontier(search.spec, other.train)

    for batch in search.runs(JobKind.FRONTIER, fits):
        found = _typed(batch, lambda batch: FrontierView.from_json(batch.results[0]))
        if found is not None and found.points and search.has_rows(found.points[0].train):
            return found
    return None


def _curves(search: _EvidenceSearch) -> tuple[CurveRow, ...]:
    spec = search.spec

    def alike(other: TrainSpec) -> TrainSpec:
        whole = SplitSpec(train_size="all")
        return dataclasses.replace(_without_goal(other), split=whole, topology=spec.topology)

    def fits(other: JobSpec) -> bool:
        part = other.part
        has_shape = isinstance(part, CurveRepeat) and spec.topology in part.topologies
        return has_shape and alike(other.train) == alike(spec)

    def rows(batch: Batch) -> tuple[CurveRow, ...]:
        return curve_table(CurveRun.of_results(batch.results))

    batches = search.runs(JobKind.CURVE, fits)
    return next((found for batch in batches if (found := _typed(batch, rows))), ())


def _comparison(search: _EvidenceSearch) -> Comparison | None:
    spec = search.spec

    def fits(other: JobSpec) -> bool:
        """Whether this tree's settings are among the candidates, on the same rows or on all."""
        part, split = other.part, dataclasses.replace(other.train.split, fold=None)
        if not isinstance(part, ComparisonFold):
            return False
        if split.train_size != "all" and split != spec.split:
            return False
        base = dataclasses.replace(other.train, split=spec.split)
        trees = (each for each in part.candidates if isinstance(each, TreeCandidate))
        return any(problem_of(tree.apply(base)) == problem_of(spec) for tree in trees)

    def rows(batch: Batch) -> Comparison:
        runs = FoldRun.of_results(batch.results)
        return compare_runs(runs, spec.objective, len(batch.jobs))

    batches = search.runs(JobKind.COMPARE, fits)
    return next((found for batch in batches if (found := _typed(batch, rows))), None)


def _stability(search: _EvidenceSearch) -> StabilityResult | None:
    def fits(other: JobSpec) -> bool:
        return problem_of(other.train) == problem_of(search.spec)

    def gathered(batch: Batch) -> StabilityResult:
        return gather_stability([RangeRun.from_json(result) for result in batch.results])

    for batch in search.runs(JobKind.STABILITY, fits):
        found = _typed(batch, gathered)
        original = None if found is None else found.original
        if original is not None and search.has_rows(original.train):
            return found
    return None


def _validations(model: Model, known: KnownRuns) -> tuple[ValidationResult, ...]:
    """Find the newest validation on each file and each part of it."""
    tree, own = model.tree, model_sha256(model)

    def fits(other: JobSpec) -> bool:
        return isinstance(other.part, ValidationSpec)

    found: dict[tuple[str, str], ValidationResult] = {}
    for batch in known.of_kind(JobKind.VALIDATE, _is_of(tree), fits):
        each = _typed(batch, lambda batch: ValidationResult.from_json(batch.results[0]))
        if each is not None and each.model_sha256 == own:
            found.setdefault((each.data.sha256, each.part), each)
    return tuple(found.values())[:MOST_VALIDATIONS]


def _typed(batch: Batch, read: Callable[[Batch], T]) -> T | None:
    """Read a run's result; None if an imported or older record has another form."""
    try:
        return read(batch)
    except (InputError, *MALFORMED):
        log.info("the result of run %s cannot be read", batch.id, exc_info=True)
        return None
