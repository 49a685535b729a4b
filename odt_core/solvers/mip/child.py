"""The solving process: ``python -m odt_core.solvers.mip.child``.

Orders arrive on standard input and messages leave on standard output, both pickled. The solver's
log goes to standard error. The process ends when its parent ends: a thread notices that standard
input closes, even during a solve, and on Linux the kernel kills the process. Nothing heavier than
numpy and python-mip is imported.
"""

from __future__ import annotations

import gc
import os
import pickle
import queue
import sys
import threading
from pathlib import Path
from typing import BinaryIO

from odt_core import MADE_BY
from odt_core.processes import end_with_parent, flush_c_output, write_c_output_by_line
from odt_core.solvers.mip.backends import BACKENDS
from odt_core.solvers.mip.loading import answer_of, load, set_start
from odt_core.solvers.mip.messages import (
    END_OF_LOG,
    GAP,
    Answer,
    Failure,
    Message,
    SolveOrder,
    WriteOrder,
    Written,
)


def solve(order: SolveOrder) -> Answer:
    """Carry out a solve."""
    backend = BACKENDS[order.engine]
    model, variables = load(order.program, backend.title)
    model.verbose = 1
    model.seed = order.seed
    model.max_mip_gap = 0.0
    model.max_mip_gap_abs = GAP
    backend.set_up(model, order)
    if order.start is not None:
        set_start(model, variables, order.start)
    status = model.optimize(max_seconds=order.time_limit)
    end_log()
    return answer_of(model, variables, status)


def end_log() -> None:
    """Flush the output of the solver's library, then mark the end of the log."""
    flush_c_output()
    os.write(1, f"{END_OF_LOG}\n".encode())


def write(order: WriteOrder) -> Written:
    """Write the program with the solver whose files both solvers read correctly.

    CBC does not understand the sections of integers in HiGHS's LP files, and compresses and renames
    its own MPS files.
    """
    model, _ = load(order.program, "CBC" if order.path.lower().endswith(".lp") else "HiGHS")
    model.verbose = 0
    model.write(order.path)
    path = Path(order.path)
    mark = "\\" if path.suffix.lower() == ".lp" else "*"
    path.write_bytes(f"{mark} {MADE_BY}\n".encode() + path.read_bytes())
    return Written()


def serve(orders: queue.Queue[SolveOrder | WriteOrder], answers: BinaryIO) -> None:
    """Carry out one order after the other."""

    def say(message: Message) -> None:
        pickle.dump(message, answers)
        answers.flush()

    while True:
        order = orders.get()
        try:
            say(solve(order) if isinstance(order, SolveOrder) else write(order))
        except Exception as error:
            # The calling process raises it. This process continues.
            say(Failure(f"{type(error).__name__}: {error}"))
        del order
        gc.collect()


def read_orders(source: BinaryIO, orders: queue.Queue[SolveOrder | WriteOrder]) -> None:
    """Queue the orders. End the process at once when standard input closes."""
    while True:
        try:
            orders.put(pickle.load(source))
        except (EOFError, pickle.UnpicklingError):
            os._exit(0)


def main() -> None:
    """Serve until standard input closes."""
    end_with_parent()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # solvers print to file descriptor 1
    write_c_output_by_line()
    orders: queue.Queue[SolveOrder | WriteOrder] = queue.Queue()
    threading.Thread(target=read_orders, args=(sys.stdin.buffer, orders), daemon=True).start()
    serve(orders, answers)


if __name__ == "__main__":
    main()
