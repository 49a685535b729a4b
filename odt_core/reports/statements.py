"""What only the author of a sheet can say: what it is for, how far it is, who stands for it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from odt_core.errors import InputError


class Stage(StrEnum):
    """How far a tree is on its way into use."""

    DERIVED = "derived"
    VALIDATED = "validated"
    IN_USE = "in use"

    @property
    def words(self) -> str:
        """What the stage means."""
        return {
            Stage.DERIVED: "Found on one set of rows, not yet validated on others.",
            Stage.VALIDATED: "Validated on other rows than those it was found on.",
            Stage.IN_USE: "In use.",
        }[self]

    @classmethod
    def parse(cls, text: str) -> Stage:
        """The stage of a name; ``in-use`` is ``in use``.

        Raises
        ------
        InputError
            If there is no such stage.
        """
        name = text.strip().lower().replace("-", " ")
        if name not in tuple(cls):
            known = ", ".join(stage.replace(" ", "-") for stage in cls)
            raise InputError(f"The stage {text!r} is not known: choose one of {known}.")
        return cls(name)


@dataclass(frozen=True)
class Statements:
    """What the author of a sheet states.

    Attributes
    ----------
    stage : Stage
        How far the tree is.
    intended_use : str
        For whom, where and for which decision it is meant; empty if it is not stated.
    author : str
        Who stands for it; empty if it is not stated.
    """

    stage: Stage = Stage.DERIVED
    intended_use: str = ""
    author: str = ""
