"""A frozen tree on rows that did not train it."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

from odt_core.confusion import Confusion
from odt_core.data import SplitSpec, Table, infer_schema, read_table
from odt_core.errors import InputError
from odt_core.evaluation import Tone
from odt_core.export import Model
from odt_core.problem import Goal, Objective
from odt_core.solution import Engine
from odt_core.studies import PartOfTable, ValidationResult, ValidationSpec, run_validation
from odt_core.topology import Topology
from odt_core.training import TrainSpec, prepare_training, run_training

N = 600


def rows_of(seed: int, shift: float = 0.0) -> list[str]:
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(N // 2):
        site, patient = rng.choice(["A", "B", "C"]), f"p{rng.integers(0, 10**9)}"
        for _ in range(2):  # two visits of each patient
            age = rng.integers(20, 90)
            is_ill = rng.random() < (0.8 if age > 60 + shift else 0.15)
            lines.append(f"{patient},{site},{age},{'ill' if is_ill else 'well'}")
    return lines


def table(lines: list[str], head: str = "patient,site,age,class") -> Table:
    return read_table("\n".join([head, *lines]).encode(), name="visits.csv")


@pytest.fixture(scope="module")
def visits() -> Table:
    return table(rows_of(1))


@pytest.fixture(scope="module")
def spec(visits: Table) -> TrainSpec:
    schema = infer_schema(visits, "class", "ill").with_group("patient")
    return TrainSpec(
        schema,
        SplitSpec.parse("0.7"),
        Topology.parse("depth-1"),
        Objective(Goal.MAX_TNR, min_tpr=Fraction(3, 4)),
        engine=Engine.SEARCH,
    )


@pytest.fixture(scope="module")
def model(visits: Table, spec: TrainSpec) -> Model:
    found = run_training(visits, spec).model
    assert found is not None
    return found


def test_other_rows_are_counted_as_the_tree_answers_them(model: Model) -> None:
    other = table(rows_of(2, shift=5))
    result = run_validation(other, ValidationSpec(model))
    frame = other.frame
    (decision,) = model.tree.decisions
    cut = model.tree.features[decision.split.feature].cuts[max(decision.split.left)]
    left, right = model.tree.leaves
    is_left = frame["age"].astype(float) <= cut
    predicted = np.where(is_left, left.label, right.label).astype(bool)
    ill = (frame["class"] == "ill").to_numpy()
    assert result.metrics.confusion == Confusion.count(ill, predicted)
    assert result.leaves == tuple(
        (int((~ill & here).sum()), int((ill & here).sum())) for here in (is_left, ~is_left)
    )
    assert (result.flow.read, result.flow.used, result.flow.excluded) == (N, N, ())
    assert result.n_groups == N // 2 and not result.is_same_file
    assert result.calibration.observed.successes == ill.sum()
    assert result.train_spec is not None and result.test is not None


def test_training_rows_and_their_patients_are_left_out_of_the_same_file(
    model: Model, visits: Table, spec: TrainSpec
) -> None:
    prepared = prepare_training(visits, spec)
    assert prepared.test is not None
    result = run_validation(visits, ValidationSpec(model))
    assert result.is_same_file and result.flow.used == prepared.test.n_rows
    assert result.metrics.confusion == model.tree.confusion(prepared.test) == result.test
    (trained,) = result.flow.excluded
    assert (trained.reason, trained.rows) == ("trained the tree", prepared.train.n_rows)


def test_a_patient_with_a_training_row_is_left_out_whole(visits: Table, spec: TrainSpec) -> None:
    # a tree that was trained on single visits, on the same file
    alone = TrainSpec(
        spec.schema.with_group(None), spec.split, spec.topology, spec.objective, engine=spec.engine
    )
    found = run_training(visits, alone).model
    assert found is not None
    grouped = Model(found.tree, spec.schema.to_json(), found.encoder, found.facts)
    result = run_validation(visits, ValidationSpec(grouped))
    reasons = [each.reason for each in result.flow.excluded]
    assert reasons == ["trained the tree", "the same patient as a training row"]
    assert sum(each.rows for each in result.flow.excluded) + result.flow.used == N


def test_a_part_is_the_rows_with_its_values(model: Model, visits: Table) -> None:
    whole = run_validation(visits, ValidationSpec(model, by="site"))
    part = run_validation(visits, ValidationSpec(model, part=PartOfTable("site", ("B",))))
    assert whole.groups is not None
    of_b = next(group for group in whole.groups.groups if group.name == "B")
    assert part.metrics.confusion == of_b.counts
    assert part.part == "site is B"
    assert part.flow.excluded[0].reason == "not in the part (site is B)"
    assert sum(group.counts.n for group in whole.groups.groups) == whole.flow.used
    assert whole.subgroups[0].column == "site" and whole.of_column("age") is not None


def test_rows_without_a_usable_outcome_are_left_out_and_reported(model: Model) -> None:
    lines = ["q1,A,30,well", "q2,A,70,ill", "q3,A,70,", "q4,A,70,unclear", "q5,A,71,unclear"]
    result = run_validation(table(lines), ValidationSpec(model))
    assert result.flow.used == 2
    assert [(each.reason, each.rows) for each in result.flow.excluded] == [
        ("the outcome 'class' is missing", 1),
        ("the outcome 'class' is neither class ('unclear')", 2),
    ]


@pytest.mark.parametrize(
    ("lines", "head", "said"),
    [
        (["A,30"], "site,age", "no column 'class', which holds the outcome"),
        (["30,Ill", "40,Well"], "age,class", "has the labels 'Ill' and 'Well', but the tree"),
        (["a,ill", "b,well"], "site,class", "no column 'age', which the tree asks about"),
    ],
)
def test_a_file_that_cannot_validate_is_refused_in_a_sentence(
    model: Model, lines: list[str], head: str, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        run_validation(table(lines, head), ValidationSpec(model))


def test_a_part_without_rows_and_a_column_that_is_not_there_are_refused(
    model: Model, visits: Table
) -> None:
    with pytest.raises(InputError, match="No row is left to validate on"):
        run_validation(visits, ValidationSpec(model, part=PartOfTable("site", ("Z",))))
    with pytest.raises(InputError, match="no column 'region'"):
        run_validation(visits, ValidationSpec(model, by="region"))


def test_the_result_comes_back_from_json_with_all_that_follows_from_it(model: Model) -> None:
    other = table(rows_of(2, shift=5))
    result = run_validation(other, ValidationSpec(model, run="r", by="site"))
    record = json.loads(json.dumps(result.to_json(), allow_nan=False))
    again = ValidationResult.from_json(record)
    assert again.to_json() == record
    assert again.metrics == result.metrics and again.verdict == result.verdict
    assert again.subgroups == result.subgroups and again.differences == result.differences
    (floor,) = again.floors
    assert floor.name == "sensitivity" and floor.test == again.metrics.sensitivity
    assert record["validation"]["tp"] == result.metrics.confusion.tp
    assert [group["value"] for group in record["groups"]] == ["A", "B", "C"]
    spec = ValidationSpec(model, "r", PartOfTable("site", ("A", "B")), "age")
    assert ValidationSpec.from_json(spec.to_json()).to_json() == spec.to_json()
    record["leaves"].append([1, 1])
    with pytest.raises(ValueError, match="do not fit"):
        ValidationResult.from_json(record)


def test_another_prevalence_is_reported(model: Model) -> None:
    rare = [f"r{i},A,30,well" for i in range(200)] + [f"s{i},A,70,ill" for i in range(4)]
    result = run_validation(table(rare), ValidationSpec(model))
    assert "The prevalence differs" in result.prevalence_shift
    assert result.metrics.prevalence.successes == 4
    curve = result.decision_curve([0.05, 0.5])
    assert curve.tree[0] >= curve.treat_all[0] and len(curve.tree) == 2
    assert result.net_benefit(0.1) == pytest.approx(
        (result.metrics.confusion.tp - result.metrics.confusion.fp / 9) / 204
    )


def lines_of(source: Table) -> list[str]:
    return [",".join(map(str, row)) for row in source.frame.itertuples(index=False)]


def test_a_copy_of_the_training_file_is_recognised_by_leaves_and_classes(
    model: Model, visits: Table
) -> None:
    copy = table(lines_of(visits)[::-1])
    result = run_validation(copy, ValidationSpec(model))
    assert not result.is_same_file and result.flow.used == N
    assert result.repetition == result.verdict.remark
    assert "trained and tested the tree: they are probably the same rows." in result.repetition
    assert result.verdict.tone is Tone.CAUTION
    record = json.loads(json.dumps(result.to_json()))
    assert record["repeats_training"] is True
    assert ValidationResult.from_json(record).repetition == result.repetition
    del record["test_leaves"]  # as older programs wrote it: without the test counts
    assert not ValidationResult.from_json(record).repetition


def test_a_copy_of_the_training_rows_alone_is_recognised_too(
    model: Model, visits: Table, spec: TrainSpec
) -> None:
    lines = lines_of(visits)
    trained = [lines[row] for row in prepare_training(visits, spec).train_rows]
    result = run_validation(table(trained), ValidationSpec(model))
    assert "that trained the tree: they are probably the same rows." in result.repetition
    one_more = run_validation(table([*trained, trained[0]]), ValidationSpec(model))
    assert not one_more.repetition and one_more.verdict.remark not in ("", result.repetition)


def test_rows_of_another_file_are_reported_as_not_compared(model: Model, visits: Table) -> None:
    other = run_validation(table(rows_of(2)), ValidationSpec(model))
    assert "are not compared with the training rows one by one" in other.flow_note
    assert not other.repetition and other.to_json()["repeats_training"] is False
    own = run_validation(visits, ValidationSpec(model))
    assert not own.flow_note and not own.repetition


def test_a_file_with_a_header_only_is_refused(model: Model) -> None:
    with pytest.raises(InputError, match="visits.csv has no rows below the header: choose"):
        run_validation(table([]), ValidationSpec(model))


@pytest.mark.parametrize(
    ("label", "rate", "which"),
    [("well", "sensitivity", "positive"), ("ill", "specificity", "negative")],
)
def test_rows_of_one_class_leave_a_rate_unjudged(
    model: Model, label: str, rate: str, which: str
) -> None:
    rows = [f"q{age},A,{age},{label}" for age in range(20, 90)]
    remark = run_validation(table(rows), ValidationSpec(model)).verdict.remark
    assert remark.startswith(
        f"The validation rows cannot show the {rate}: none is of the {which} class."
    )
