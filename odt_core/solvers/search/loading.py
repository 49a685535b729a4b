"""Loading the kernels that a search calls into this process, beside it.

From the cache on disk that takes about half a second. A thread does it, so that whoever waits still
hears the time limit and a stop.
"""

from __future__ import annotations

import threading

from odt_core.problem import Problem
from odt_core.solvers.search import compiling
from odt_core.solvers.search.parts import Part, parts_for
from odt_core.solvers.search.warm import is_warm, rehearse

COMPILING_REMARK = (
    "The exact search was still being compiled, which happens once on a machine. Train again in a "
    "minute or two: it is then much faster."
)
LOADING_REMARK = (
    "The exact search was not loaded in time, which takes about a second when a process solves for "
    "the first time."
)

_lock = threading.Lock()
_loads: dict[frozenset[Part], _Load] = {}


class _Load(threading.Thread):
    """The rehearsal of a search; what went wrong is for who asks next."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(name="loading kernels")
        self.problem = problem
        self.failure: BaseException | None = None

    def run(self) -> None:
        """Rehearse."""
        try:
            rehearse(self.problem)
        except BaseException as failure:
            self.failure = failure


def is_loaded(problem: Problem) -> bool:
    """Whether a search for a problem's best tree would begin at once. Never waits.

    Loading begins when this is asked first, if the kernels are compiled.
    """
    needed = parts_for(problem)
    if is_warm(needed):
        return True
    with _lock:
        load = _loads.get(needed)
        if load is None:
            if not compiling.is_compiled(needed):
                return False
            load = _loads[needed] = _Load(problem)
            load.start()
        elif not load.is_alive():
            del _loads[needed]
            if load.failure is not None:
                raise load.failure
    return is_warm(needed)


def remark_without(problem: Problem) -> str:
    """Says why there was no search yet."""
    return LOADING_REMARK if compiling.is_compiled(parts_for(problem)) else COMPILING_REMARK


def waited_remark(seconds: float) -> str:
    """Says what became of the first seconds of a run."""
    return (
        f"The first {seconds:.0f} s went by while the exact search was being compiled, which "
        "happens once on a machine."
    )
