"""The settings of a run in words."""

from __future__ import annotations

from odt_core.alternatives.question import QuestionPart
from odt_core.errors import InputError
from odt_core.jobs import JobKind, JobSpec
from odt_core.storage import RunRecord
from odt_core.studies import CurveRepeat, ValidationSpec
from odt_core.training import settings_words
from odt_core.words import list_words, number_words
from pages.runs.wording import goal_of, shape_of


def asked_of(record: RunRecord) -> dict[str, str]:
    """Return a run's settings by name; plain text.

    For a run of another version, only the settings in the list of runs are known.
    """
    run = record.summary
    headline = run.headline
    known = {
        "Data": run.table_name,
        "Outcome": f"{headline.target} = {headline.positive}" if headline.target else "",
        "Shape": shape_of(run),
        "Goal": goal_of(run),
    }
    try:
        spec = JobSpec.from_json(record.spec)
    except InputError:
        return known
    settings = settings_words(spec.train)
    if isinstance(spec.part, CurveRepeat):
        levels = [number_words(float(100 * level)) for level in spec.part.levels]
        settings["Floors"] = f"{spec.part.sweep.word} at least {list_words(levels)}%"
        if run.members is not None:
            settings["Split"] += f" and on: {run.members.n} splits"
    if spec.kind is JobKind.VERIFY:
        settings["Engine"] = "every tree, one by one"
    elif isinstance(spec.part, ValidationSpec):
        settings |= {"Engine": "none: the tree is frozen", "Part": _part_words(spec.part)}
    elif isinstance(spec.part, QuestionPart):
        settings |= {"Engine": "search", "Question": str(spec.part.node + 1)}
    elif spec.kind is not JobKind.TRAIN:  # studies always use the search
        settings["Engine"] = "search"
    return known | settings


def _part_words(part: ValidationSpec) -> str:
    """The rows of a validation."""
    if part.part is None:
        return "all rows that did not train the tree"
    return part.part.words
