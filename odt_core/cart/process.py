"""CART in a process of its own, for long tables: ``python -m odt_core.cart.process``.

Importing scikit-learn takes a second, and in that time Python runs no other thread. The process
imports it while the table is read, and fits CART while the search runs.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import Any

from odt_core.cart.fitting import fit_cart, load_cart, shorter
from odt_core.problem import EncodedData
from odt_core.processes import apart, with_this_package
from odt_core.tree import Tree


class CartProcess:
    """A process that fits one CART. As a context it ends the process, whether used or not."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=with_this_package(),
            **apart(),  # Ctrl-C does not end it, because an interrupted run wants its CART
        )

    def __enter__(self) -> CartProcess:
        return self

    def __exit__(self, *_: object) -> None:
        with self._process as process:  # closes its pipes, and waits for its end
            process.kill()

    def fit(self, train: EncodedData, **settings: Any) -> Tree:
        """Fit the CART that `fit_cart` fits with the same arguments. Works only once."""
        assert self._process.stdin is not None and self._process.stdout is not None
        train = shorter(train)
        try:
            with self._process.stdin as orders:
                pickle.dump((train, settings), orders, pickle.HIGHEST_PROTOCOL)
            tree: Tree = pickle.load(self._process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            # The process has ended, perhaps because memory is short.
            return fit_cart(train, **settings)
        return tree


def main() -> None:
    """Read rows and settings from standard input, and write the tree to standard output."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # scikit-learn imports pandas if it can, but CART does not need it.
    sys.modules["pandas"] = None  # type: ignore[assignment]
    load_cart()
    del sys.modules["pandas"]
    try:
        train, settings = pickle.load(sys.stdin.buffer)
    except EOFError:  # the run has ended without a CART
        return
    with answers:
        pickle.dump(fit_cart(train, **settings), answers, pickle.HIGHEST_PROTOCOL)


if __name__ == "__main__":
    main()
