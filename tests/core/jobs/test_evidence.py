"""The evidence about a tree: only studies of its own problem, and validations of the tree."""

from __future__ import annotations

import dataclasses

import pytest

from odt_core.data import SAMPLES, Folding, SplitSpec
from odt_core.errors import InputError
from odt_core.jobs import Batch, Job, JobKind, JobSpec
from odt_core.jobs.evidence import (
    KnownRuns,
    find_evidence,
    held_out_groups,
    quick_frontier,
    training_run,
)
from odt_core.problem import Goal, Objective
from odt_core.reports import Derivation
from odt_core.storage import LOCAL_OWNER, RunStatus, Store
from odt_core.studies import (
    ComparisonSpec,
    CurveSpec,
    PartOfTable,
    StabilitySpec,
    ValidationSpec,
)
from odt_core.topology import Topology
from tests.core.jobs.stored import keep, run_here, trained_model, triage_job

DEPTH_1 = (Topology.parse("depth-1"),)


def known(store: Store) -> KnownRuns:
    return KnownRuns(store, LOCAL_OWNER)


def of_kind(spec: JobSpec, kind: JobKind, part: object = None) -> JobSpec:
    return dataclasses.replace(spec, kind=kind, part=part)  # type: ignore[arg-type]


def with_train(spec: JobSpec, **changes: object) -> JobSpec:
    return dataclasses.replace(spec, train=dataclasses.replace(spec.train, **changes))  # type: ignore[arg-type]


def test_a_tree_without_studies_has_none(store: Store) -> None:
    found = find_evidence(trained_model(store, triage_job(store)), known(store))
    assert (found.frontier, found.curves, found.comparison, found.stability) == (
        None,
        (),
        None,
        None,
    )
    assert found.validations == ()


def test_studies_of_the_same_problem_are_found(store: Store) -> None:
    spec = triage_job(store)
    model = trained_model(store, spec)
    keep(store, of_kind(spec, JobKind.FRONTIER))
    curve = CurveSpec(topologies=DEPTH_1, repeats=2)
    # the splits are other ones, as the Sensitivity page draws them
    splits = with_train(spec, split=SplitSpec.parse("paper"), objective=Objective())
    parts = [of_kind(splits, JobKind.CURVE, curve.repeat(n)) for n in range(2)]
    keep(store, *parts, is_study=True)
    compared = ComparisonSpec.grid(DEPTH_1, folding=Folding(2))
    whole = with_train(spec, topology=Topology.parse("depth-2"))
    folds = [of_kind(whole, JobKind.COMPARE, part) for part in compared.fold_parts()]
    keep(store, *folds, is_study=True)
    resamples = [of_kind(spec, JobKind.STABILITY, part) for part in StabilitySpec(4).parts()]
    keep(store, *resamples, is_study=True)
    found = find_evidence(model, known(store))
    own = Derivation.of(model).train.confusion
    assert found.frontier is not None
    assert own in [point.train for point in found.frontier.points], "the best tree is one of them"
    assert [row.n for row in found.curves] == [2] * len(curve.levels)
    assert found.comparison is not None and found.comparison.n_folds == 2
    assert found.stability is not None and len(found.stability.refits) == 4


def test_studies_of_other_problems_are_left_alone(store: Store) -> None:
    spec = triage_job(store)
    model = trained_model(store, spec)
    keep(store, of_kind(with_train(spec, split=SplitSpec.parse("50%")), JobKind.FRONTIER))
    keep(store, of_kind(with_train(spec, max_card=1), JobKind.FRONTIER))
    other = with_train(spec, objective=Objective(Goal.BALANCED))
    parts = [of_kind(other, JobKind.STABILITY, part) for part in StabilitySpec(2).parts()]
    keep(store, *parts, is_study=True)
    found = find_evidence(model, known(store))
    assert found.frontier is None and found.stability is None


def test_validations_of_this_very_tree_are_found_the_newest_of_each_part(store: Store) -> None:
    spec = triage_job(store)
    model = trained_model(store, spec)
    another = trained_model(store, triage_job(store, "depth-2"))
    factors = SAMPLES["triage"].load().factors
    column = min((name for name in factors if name != model.tree.target),
                 key=lambda name: len(factors[name].texts))  # fmt: skip
    value = factors[column].texts[0]
    part = PartOfTable(column, (value,))
    for validated in (
        ValidationSpec(model),
        ValidationSpec(another),
        ValidationSpec(model, part=part),
        ValidationSpec(model, by=column),
    ):
        keep(store, of_kind(spec, JobKind.VALIDATE, validated))
    found = find_evidence(model, known(store)).validations
    assert [(each.part, each.by) for each in found] == [("", column), (part.words, None)]


def test_runs_at_hand_come_before_stored_ones(store: Store) -> None:
    spec = triage_job(store)
    model = trained_model(store, spec)
    asked = of_kind(spec, JobKind.FRONTIER)
    job = Job(asked, status=RunStatus.DONE, result=run_here(store, asked).result)
    at_hand = KnownRuns(store, LOCAL_OWNER, (Batch((job,)),))
    found = find_evidence(model, at_hand)
    assert found.frontier is not None and find_evidence(model, known(store)).frontier is None
    on_another_file = dataclasses.replace(asked, dataset="0" * 64)
    for other in (dataclasses.replace(job, spec=on_another_file),
                  dataclasses.replace(job, status=RunStatus.RUNNING)):  # fmt: skip
        at_hand = KnownRuns(store, LOCAL_OWNER, (Batch((other,)),))
        assert find_evidence(model, at_hand).frontier is None


def test_a_result_of_another_form_is_left_out(store: Store) -> None:
    spec = triage_job(store)
    model = trained_model(store, spec)
    asked = of_kind(spec, JobKind.FRONTIER)
    job = Job(asked, status=RunStatus.DONE, result={"points": [{"fn": 1}]})
    found = find_evidence(model, KnownRuns(store, LOCAL_OWNER, (Batch((job,)),)))
    assert found.frontier is None


def test_another_owners_runs_are_not_seen(store: Store) -> None:
    spec = triage_job(store)
    model = trained_model(store, spec)
    keep(store, of_kind(spec, JobKind.VALIDATE, ValidationSpec(model)))
    assert find_evidence(model, KnownRuns(store, "somebody else")).validations == ()
    assert training_run(model, KnownRuns(store, "somebody else")) is None


def test_the_training_run_says_how_the_file_is_read(store: Store) -> None:
    spec = triage_job(store)
    model = trained_model(store, spec)
    found = training_run(model, known(store))
    assert found is not None and found.jobs[0].spec == spec


def test_test_rows_are_counted_by_the_columns_that_matter_most(store: Store) -> None:
    model = trained_model(store, triage_job(store))
    table = SAMPLES["triage"].load()
    own = model.tree.features[model.tree.used_features[0]].name
    other = next(name for name in reversed(table.columns) if name not in (own, model.tree.target))
    groups = held_out_groups(model, table, other)
    assert [each.column for each in groups][:2] == [other, own]
    test = model.facts["result"]["test"]
    for each in groups:
        assert sum(group.counts.tp for group in each.groups) == test["tp"]
        assert sum(group.counts.n for group in each.groups) == sum(test.values())
    with pytest.raises(InputError, match="no column 'nowhere'"):
        held_out_groups(model, table, "nowhere")


def test_a_quick_frontier_is_that_of_the_study(store: Store) -> None:
    spec = triage_job(store)
    model = trained_model(store, spec)
    keep(store, of_kind(spec, JobKind.FRONTIER))
    stored = find_evidence(model, known(store)).frontier
    quick = quick_frontier(model, SAMPLES["triage"].load())
    assert stored is not None and quick is not None
    assert [(p.train, p.test) for p in quick.points] == [(p.train, p.test) for p in stored.points]
