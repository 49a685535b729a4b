"""The form of a run's file. An import checks the parts that pages read."""

from __future__ import annotations

from typing import Any

from odt_core.alternatives import MOST_NUMBER, AlternativesView, End
from odt_core.alternatives.question import Ranking
from odt_core.errors import InputError
from odt_core.export import Model, tree_from_json
from odt_core.jobs import JobKind, JobSpec
from odt_core.solution import Assignment, Status
from odt_core.storage import MOST_POINTS, RunFile, RunPart, check_form
from odt_core.studies import (
    CurveRun,
    FoldRun,
    PathPart,
    PathPoint,
    RangeRun,
    ValidationResult,
)
from odt_core.topology import Topology

_TEXT = {"type": "string"}
_STATUS = {"enum": [status.value for status in Status]}
_COUNT = {"type": "integer", "minimum": 0, "maximum": 50_000_000}
"""The form of a number of rows. It has a limit, because pages make lists of this length."""
_SIZE = {"type": "integer", "minimum": 0, "maximum": 2**53}
_NUMBER = {"type": "number", "minimum": -1e15, "maximum": 1e15}
_SECONDS = {"type": "number", "minimum": 0, "maximum": 1e9}
_OBJECT = {"type": "object"}
"""The form of a value that its own reader checks, such as a tree."""


def _or_none(form: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [form, {"type": "null"}]}


def _record(**fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": sorted(fields), "properties": fields}


def _with_optional(record: dict[str, Any], **fields: dict[str, Any]) -> dict[str, Any]:
    """A record with fields that runs of earlier versions do not have."""
    return record | {"properties": record["properties"] | fields}


_INTEGER = {"type": "integer"}
_CONFUSION = _record(**dict.fromkeys(("tp", "fp", "tn", "fn"), _COUNT)) | {
    "additionalProperties": False
}
_TRACE = {
    "type": "array",
    "maxItems": MOST_POINTS,
    "items": {
        "type": "array",
        "prefixItems": [_SECONDS, _or_none(_INTEGER), _or_none(_INTEGER)],
        "minItems": 3,
        "maxItems": 3,
    },
}
_MIP = _record(
    **dict.fromkeys(("columns", "integers", "rows", "nonzeros"), _SIZE), solver=_TEXT, status=_TEXT
)
_TRAINED = _record(
    status=_STATUS,
    objective=_record(
        **dict.fromkeys(("value", "bound"), _or_none(_NUMBER)),
        **dict.fromkeys(("total", "total_bound"), _or_none(_INTEGER)),
    ),
    errors=_or_none(_COUNT),
    seconds=_record(total=_SECONDS, prepare=_SECONDS),
    mip=_or_none(_MIP),
    n_train=_COUNT,
    n_test=_COUNT,
    train=_or_none(_CONFUSION),
    test=_or_none(_CONFUSION),
    tree=_or_none(_OBJECT),
    cart=_record(train=_CONFUSION, test=_or_none(_CONFUSION), tree=_OBJECT),
    words=_record(status=_TEXT, proof=_TEXT, remark=_TEXT),
    trace=_TRACE,
    data=_record(sha256=_TEXT),
)
_POINT = _record(
    fn=_COUNT,
    fp=_COUNT,
    train=_CONFUSION,
    test=_or_none(_CONFUSION),
    proved={"type": "boolean"},
    tree=_OBJECT,
    assignment=_OBJECT,
)
_FRONTIER = _record(
    points={"type": "array", "maxItems": MOST_POINTS, "items": _POINT},
    status=_TEXT,
    seconds=_SECONDS,
    bound=_or_none(
        {
            "type": "array",
            "maxItems": 10 * MOST_POINTS,
            "items": {"type": "array", "prefixItems": [_COUNT] * 2, "minItems": 2, "maxItems": 2},
        }
    ),
)
_COMPARED = _record(
    runs={
        "type": "array",
        "maxItems": MOST_POINTS,
        "items": _record(
            candidate=_OBJECT,
            fold=_OBJECT,
            status=_STATUS,
            train=_or_none(_CONFUSION),
            test=_or_none(_CONFUSION),
            leaves=_or_none(_COUNT),
            questions=_or_none(_NUMBER),
            seconds=_NUMBER,
        ),
    }
)
_REFITTED = _record(
    refits={"type": "array", "maxItems": MOST_POINTS, "items": _OBJECT},
    positive={"type": "array", "items": _COUNT},
    original=_or_none(_OBJECT),
)
_VERIFIED = _record(
    holds={"type": ["boolean", "null"]},
    better=_or_none(_OBJECT),
    covered=_NUMBER,
    counted=_SIZE,
    seconds=_SECONDS,
    words=_record(status=_TEXT),
    status=_STATUS,
)
_VALIDATED = _record(
    validation=_OBJECT,
    train=_CONFUSION,
    test=_or_none(_CONFUSION),
    tree=_OBJECT,
    leaves={"type": "array", "items": {"type": "array", "items": _COUNT}},
    subgroups={"type": "array", "maxItems": MOST_POINTS, "items": _OBJECT},
    differences={"type": "array", "maxItems": MOST_POINTS, "items": _OBJECT},
    data=_record(name=_TEXT, sha256=_TEXT, flow=_OBJECT),
    model_sha256=_TEXT,
    part=_TEXT,
    group_column=_or_none(_TEXT),
    words=_record(status=_TEXT),
)
_REACH = {
    "status": _STATUS,
    "total": _or_none(_INTEGER),
    "bound": _or_none(_INTEGER),
}
_RANKED = _record(
    without=_record(**_REACH),
    columns={"type": "array", "maxItems": MOST_POINTS, "items": _record(name=_TEXT, **_REACH)},
    left=_COUNT,
    loss=_record(
        goal=_TEXT, is_weighted={"type": "boolean"}, most=_INTEGER, unit=_INTEGER | {"minimum": 1}
    ),
    status=_STATUS,
    words=_record(status=_TEXT),
)
_LISTED_TREE = _record(
    errors=_COUNT,
    loss=_NUMBER,
    loss_total=_INTEGER,
    columns={"type": "array", "items": _TEXT},
    named=_COUNT,
    topology=_TEXT,
    train=_CONFUSION,
    test=_or_none(_CONFUSION),
    assignment=_OBJECT,
    tree=_OBJECT,
)
_LISTED = _record(
    trees={
        "type": "array",
        "maxItems": MOST_NUMBER,
        "items": _with_optional(_LISTED_TREE, settled={"type": "boolean"}),
    },
    least=_or_none(_NUMBER),
    complete_to=_or_none(_NUMBER),
    is_all={"type": "boolean"},
    end={"enum": [end.value for end in End]},
    n_best=_COUNT,
    is_n_best_complete={"type": "boolean"},
    columns={
        "type": "array",
        "maxItems": MOST_POINTS,
        "items": _record(
            name=_TEXT,
            trees=_COUNT,
            least_errors_without=_or_none(_NUMBER),
            bound_without=_or_none(_NUMBER),
            proved={"type": "boolean"},
        ),
    },
    loss=_TEXT,
    most=_INTEGER,
    status=_STATUS,
    words=_record(status=_TEXT),
)
_FORMS = {
    JobKind.TRAIN: _TRAINED,
    JobKind.ADOPT: _TRAINED,
    JobKind.FRONTIER: _FRONTIER,
    JobKind.COMPARE: _COMPARED,
    JobKind.STABILITY: _REFITTED,
    JobKind.VERIFY: _VERIFIED,
    JobKind.VALIDATE: _VALIDATED,
    JobKind.QUESTION: _RANKED,
    JobKind.ALTERNATIVES: _with_optional(
        _LISTED,
        bound_total=_INTEGER,
        least_free=_or_none(_NUMBER),
        is_least_free_proved={"type": "boolean"},
    ),
}
"""JSON schemas of the parts of results that pages read. The readers of curves and paths check every
value themselves."""


def check_run_file(file: RunFile) -> None:
    """Check that this program can show a run's settings, tree, numbers and model.

    Raises
    ------
    InputError
        If it cannot.
    """
    kinds = {part.values["kind"] for part in (file.run, *(file.members or ()))}
    if len(kinds) > 1:
        raise _unusable("its runs are of several kinds")
    lengths = set()
    for part in (file.run, *(file.members or ())):
        try:
            spec = _check_part(part, file.dataset)
        except InputError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise _unusable(f"{type(error).__name__}: {error}") from error
        if isinstance(spec.part, PathPart):
            lengths.add(spec.part.most_questions)
    if len(lengths) > 1:
        raise _unusable("its paths end at different numbers of questions")


def _unusable(reason: str) -> InputError:
    return InputError(
        f"The run's file cannot be used ({reason}): export it again with the same version of the "
        "program."
    )


def _check_part(part: RunPart, dataset: str) -> JobSpec:
    values = part.values
    spec = JobSpec.from_json(values["spec"])
    _refuse_unknown(values["spec"], spec.to_json(), "spec")
    if spec.dataset != dataset:
        raise InputError("The run's file names two data sets: export it again.")
    if spec.kind.value != values["kind"]:
        raise InputError("The run's file names two kinds of run: export it again.")
    check_form(part.metrics.solved, _or_none(_STATUS), "metrics.solved")
    check_form(values["trace"], _or_none(_TRACE), "trace")
    _check_model(values["model"])
    for name in ("result", "best"):
        if values[name] is not None:
            check_form(values[name], _FORMS.get(spec.kind, _OBJECT), name)
            _check_inside(values[name], spec)
    return spec


def _refuse_unknown(given: Any, known: Any, where: str) -> None:
    """Refuse unknown settings, which the program would store without using them."""
    if isinstance(given, dict) and isinstance(known, dict):
        unknown = next((name for name in given if name not in known), None)
        if unknown is not None:
            raise _unusable(f"{where}: {str(unknown)[:100]!r} is not a known setting")
        for name, value in given.items():
            _refuse_unknown(value, known[name], f"{where}.{name}")
    elif isinstance(given, list) and isinstance(known, list):
        for value, read in zip(given, known, strict=False):
            _refuse_unknown(value, read, where)


def _check_inside(found: dict[str, Any], spec: JobSpec) -> None:
    """Check the trees and settings of a result by reading them."""
    kind = spec.kind
    if kind is JobKind.FRONTIER:
        for point in found["points"]:
            tree_from_json(point["tree"])
            Assignment.from_json(point["assignment"])
    elif kind is JobKind.VERIFY:
        if found["better"] is not None:
            tree_from_json(found["better"])
    elif kind is JobKind.QUESTION:
        Ranking.from_json(found)
    elif kind is JobKind.ALTERNATIVES:
        view = AlternativesView(found)
        for place, tree in enumerate(view.trees):
            view.tree(place)
            Topology.parse(tree.topology)
            Assignment.from_json(tree.record["assignment"])
    elif kind is JobKind.VALIDATE:
        ValidationResult.from_json(found)
    elif kind is JobKind.CURVE:
        for run in found["runs"]:
            CurveRun.from_json(run)
    elif kind is JobKind.COMPARE:
        for run in found["runs"]:
            FoldRun.from_json(run)
    elif kind is JobKind.STABILITY:
        RangeRun.from_json(found)
    elif isinstance(spec.part, PathPart):
        Status(found["status"])
        if [p["questions"] for p in found["points"]] != [*range(spec.part.most_questions + 1)]:
            raise _unusable("a path that lacks a number of questions")
        for point in found["points"]:
            PathPoint.from_json(point)
            if point["tree"] is not None:
                tree_from_json(point["tree"])
    else:
        _check_model(found.get("model"))
        tree_from_json(found["cart"]["tree"])
        if found["tree"] is not None:
            if found["train"] is None or found["errors"] is None:
                raise _unusable("a tree without its counts")
            tree_from_json(found["tree"])


def _check_model(model: dict[str, Any] | None) -> None:
    if model is not None:
        Model.from_json(model)
