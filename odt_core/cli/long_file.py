"""``train`` with a long file: work that starts while the file is read."""

from __future__ import annotations

import argparse
import threading
from importlib import import_module
from pathlib import Path

from odt_core.cart.process import CartProcess

LONG = 5_000_000
"""The fewest bytes of a long file, which takes a quarter of a second to read."""


def run(options: argparse.Namespace) -> int:
    """Run ``train``. For a long file, a process fits CART, and a thread loads the kernels."""
    path = Path(options.file)
    if not path.is_file() or path.stat().st_size < LONG:
        return int(import_module("odt_core.cli.train").run(options))
    with CartProcess() as process:
        # imported while the process starts, because that takes a third of a second
        train = import_module("odt_core.cli.train")
        if options.engine in ("hybrid", "search"):
            threading.Thread(target=_load_kernels).start()
        return int(train.run(options, process))


def _load_kernels() -> None:
    from odt_core.solvers.search.loader import loader

    loader.load()
