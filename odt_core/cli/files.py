"""Checks of the files that a command reads and writes."""

from __future__ import annotations

import argparse
import os.path

from odt_core.errors import InputError, quoted

INPUTS, OUTPUTS = ("file", "model", "validation", "rules", "evidence"), ("output", "rows_output")
"""The options for files to read and to write."""


def refuse_overwriting(options: argparse.Namespace) -> None:
    """Refuse to write over a file that the command reads.

    Raises
    ------
    InputError
        If an output is one of the inputs, even by another path or a link.
    """
    given = vars(options)
    for output in OUTPUTS:
        target = given.get(output)
        if target is None or not os.path.isfile(target):
            continue
        for name in INPUTS:
            sources = given.get(name) or []
            for source in [sources] if isinstance(sources, str) else sources:
                if os.path.isfile(source) and os.path.samefile(source, target):
                    raise InputError(
                        f"--{output.replace('_', '-')}: the file {quoted(target)} is also an input "
                        "and would be lost: choose another file."
                    )
