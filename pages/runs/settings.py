"""The settings of a run in words."""

from __future__ import annotations

from odt_core.alternatives.edits import rules_in_drawing
from odt_core.alternatives.question import QuestionPart
from odt_core.errors import InputError
from odt_core.jobs import JobKind, JobSpec
from odt_core.storage import RunRecord
from odt_core.studies import CurveRepeat, ValidationSpec
from odt_core.training import settings_words
from odt_core.tree import Tree
from odt_core.words import list_words, number_words
from pages.common.settings import OTHERS_WORDS, shape_of
from pages.common.stored import ranked_tree
from pages.runs.outcome import outcome_of
from pages.runs.words import goal_of

SHAPE = "Shape"
"""The name of the setting that says the shape."""


def asked_of(record: RunRecord) -> dict[str, str]:
    """Return a run's settings by name; plain text.

    For a run of another version, only the settings in the list of runs are known.
    """
    run = record.summary
    headline = run.headline
    known = {
        "Data": run.table_name,
        "Outcome": f"{headline.target} = {headline.positive}" if headline.target else "",
        SHAPE: shape_of(run),
        "Goal": goal_of(run),
    }
    try:
        spec = JobSpec.from_json(record.spec)
    except InputError:
        return known
    tree = _tree_of(record, spec)
    rules = None if tree is None else rules_in_drawing(spec.train, tree)
    settings = settings_words(spec.train, rules)
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
        settings |= {"Engine": "search", **_question_words(spec.part)}
    elif spec.kind is not JobKind.TRAIN:  # studies always use the search
        settings["Engine"] = "search"
    return known | settings


def _tree_of(record: RunRecord, spec: JobSpec) -> Tree | None:
    """The drawn tree that a run's rules are about, if it is known."""
    if spec.kind is not JobKind.QUESTION:
        return outcome_of(record).tree
    try:
        job = ranked_tree(record.summary.id)
    except InputError:  # its run was deleted
        return None
    return None if job.trained is None else job.trained.tree


def _question_words(part: QuestionPart) -> dict[str, str]:
    """Where columns are ranked, with the number in the drawing if there is one."""
    if part.question is None:
        return {"Question": f"node {part.node + 1} of the shape"}
    return {
        "Question": str(part.question + 1),
        "What else may change": OTHERS_WORDS[part.others].lower(),
    }


def _part_words(part: ValidationSpec) -> str:
    """The rows of a validation."""
    if part.part is None:
        return "all rows that did not train the tree"
    return part.part.words
