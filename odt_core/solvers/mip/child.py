"""The solving process: ``python -m odt_core.solvers.mip.child``.

Orders come in on standard input and messages go out on standard output, both pickled. The solver's
log goes to standard error, as it is written. The process ends with the one that started it, however
that ends: its standard input closes, which a thread notices even while a solver runs, and on Linux
the kernel kills it. Nothing heavier than numpy and python-mip is imported.
"""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import queue
import signal
import sys
import threading
from collections.abc import Callable
from typing import BinaryIO

from odt_core.solvers.mip.backends import BACKENDS
from odt_core.solvers.mip.loading import answer_of, load, set_start
from odt_core.solvers.mip.messages import (
    END_OF_LOG,
    Answer,
    Failure,
    Message,
    SolveOrder,
    WriteOrder,
    Written,
)

Say = Callable[[Message], None]


def solve(order: SolveOrder) -> Answer:
    """Carry out a solve."""
    backend = BACKENDS[order.engine]
    model, variables = load(order.program, backend.mip_name)
    model.verbose = 1
    model.seed = order.seed
    model.max_mip_gap = 0.0
    model.max_mip_gap_abs = order.gap
    backend.set_up(model, order)
    if order.start is not None:
        set_start(model, variables, order.start)
    status = model.optimize(max_seconds=order.time_limit)
    end_log()
    return answer_of(model, variables, status)


def write_log_by_line() -> None:
    """Have the C library pass on each line of a solver's log at once, although it is a pipe."""
    if sys.platform == "linux":
        line_buffered = 1
        library = ctypes.CDLL(None)
        library.setvbuf(ctypes.c_void_p.in_dll(library, "stdout"), None, line_buffered, 0)


def end_log() -> None:
    """Push out what the solver's library still holds back, then mark the end."""
    ctypes.CDLL(None).fflush(None)
    os.write(1, f"{END_OF_LOG}\n".encode())


def write(order: WriteOrder) -> Written:
    """Write the program with the solver whose files of that format both solvers read alike.

    CBC does not understand the sections of integers in HiGHS's LP files, and compresses and renames
    its own MPS files.
    """
    model, _ = load(order.program, "CBC" if order.path.lower().endswith(".lp") else "HiGHS")
    model.verbose = 0
    model.write(order.path)
    return Written()


def serve(orders: queue.Queue[SolveOrder | WriteOrder], say: Say) -> None:
    """Carry out one order after the other."""
    while True:
        order = orders.get()
        try:
            say(solve(order) if isinstance(order, SolveOrder) else write(order))
        except Exception as error:
            # The asking process raises it; this one can go on.
            say(Failure(f"{type(error).__name__}: {error}"))
        del order
        gc.collect()


def read_orders(source: BinaryIO, orders: queue.Queue[SolveOrder | WriteOrder]) -> None:
    """Queue what comes in; leave at once when the other side is gone."""
    while True:
        try:
            orders.put(pickle.load(source))
        except (EOFError, pickle.UnpicklingError):
            os._exit(0)


def die_with_parent() -> None:
    """Linux: be killed when the thread that started this process ends."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None, use_errno=True).prctl(pr_set_pdeathsig, signal.SIGKILL)


def main() -> None:
    """Serve until standard input closes."""
    die_with_parent()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # solvers print to file descriptor 1
    write_log_by_line()
    orders: queue.Queue[SolveOrder | WriteOrder] = queue.Queue()
    threading.Thread(target=read_orders, args=(sys.stdin.buffer, orders), daemon=True).start()
    lock = threading.Lock()

    def say(message: Message) -> None:
        with lock:
            pickle.dump(message, answers)
            answers.flush()

    serve(orders, say)


if __name__ == "__main__":
    main()
