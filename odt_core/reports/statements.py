"""The author's statements for a sheet: intended use, stage and author."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from odt_core.errors import InputError


class ModelStage(StrEnum):
    """The stage of a tree on its way into use."""

    DERIVED = "derived"
    VALIDATED = "validated"
    IN_USE = "in use"

    @property
    def words(self) -> str:
        """The meaning of the stage."""
        return {
            ModelStage.DERIVED: "Found on one set of rows, not yet validated on other rows.",
            ModelStage.VALIDATED: "Validated on other rows than its training rows.",
            ModelStage.IN_USE: "In use.",
        }[self]

    @classmethod
    def parse(cls, text: str) -> ModelStage:
        """Read a stage; ``in-use`` is ``in use``.

        Raises
        ------
        InputError
            If the stage is not known.
        """
        name = text.strip().lower().replace("-", " ")
        if name not in tuple(cls):
            known = ", ".join(stage.replace(" ", "-") for stage in cls)
            raise InputError(f"The stage {text!r} is not known: choose one of {known}.")
        return cls(name)


@dataclass(frozen=True)
class Statements:
    """The statements of a sheet's author.

    Attributes
    ----------
    stage : ModelStage
        The stage of the tree.
    intended_use : str
        The people, the place and the decision that it is for; empty if not stated.
    author : str
        The person who is responsible for it; empty if not stated.
    """

    stage: ModelStage = ModelStage.DERIVED
    intended_use: str = ""
    author: str = ""
