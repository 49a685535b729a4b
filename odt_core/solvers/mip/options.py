"""The switches of the integer program."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MipOptions:
    """The paper's improvements that the program uses.

    The five configurations of the paper's section 5.1 are ``MipOptions(strengthen=False,
    anchor=False, relax=False)`` (Nothing), one of the three switched off (No Anchor, No Relax, No
    Strength), and ``MipOptions()`` (All).

    Attributes
    ----------
    strengthen : bool
        Rows (strongleft)/(strongright) instead of (left)/(right), section 4.3.1.
    anchor : bool
        Anchor values at nodes that can be reversed, section 4.3.2.
    delete : bool
        Only the c variables of correct leaves, and no (pickone), section 4.3.3.
    relax : bool
        Continuous variables if that is valid, section 4.3.4. Without this switch every variable is
        binary.
    numerical_direction : bool
        At nodes that can be reversed, break the symmetry of numerical features by their direction
        (w = 1) instead of an anchor, section 4.4.
    card_direction : bool
        The same for features under max_card (w = 1: the small set goes left), section 4.5.
    confirm_always : bool
        Whether CBC in the engine ``hybrid`` confirms programs of any size with all remaining time,
        instead of only programs that take about two seconds.
    """

    strengthen: bool = True
    anchor: bool = True
    relax: bool = True
    delete: bool = True
    numerical_direction: bool = False
    card_direction: bool = False
    confirm_always: bool = False


DEFAULT_OPTIONS = MipOptions()
"""All of the paper's improvements."""
