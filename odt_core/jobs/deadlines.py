"""How long a job may take, and in what words it ends when it took longer."""

from __future__ import annotations

import time

from odt_core.jobs.held import Held, Running
from odt_core.jobs.pool import Loss, Pool
from odt_core.training.progress import Stage

CANCEL_GRACE = 1.0
"""Seconds a solve has to stop after a cancel."""
DEADLINE_GRACE = 15.0
"""Seconds a solve may run past its time limit."""
OTHER_WORK_LIMIT = 600.0
"""Seconds for what is not bounded by the time limit: reading before a solve, counting after it."""


def kill_late(held: Held, pool: Pool) -> None:
    """Kill the workers of jobs that run far past what they may."""
    with held.lock:
        late = [r for r in held.running.values() if time.monotonic() > deadline(r)]
        for running in late:
            running.overdue = running.stop_at is None
    for running in late:
        pool.kill(running.job.id)


def deadline(running: Running) -> float:
    """When a running job loses its worker, by the monotonic clock.

    A job that is asked to stop while it solves has a moment; once the solve has stopped, its best
    tree is worth waiting for.
    """
    if running.job.stage is Stage.FINISHING:
        return running.stage_at + OTHER_WORK_LIMIT
    if running.stop_at is not None:
        return running.stop_at + CANCEL_GRACE
    if running.job.stage is Stage.SOLVING:
        return running.stage_at + running.job.spec.time_limit + DEADLINE_GRACE
    return running.stage_at + OTHER_WORK_LIMIT


def loss_words(running: Running, loss: Loss) -> str:
    """Why a job lost its worker, and what to do."""
    if loss.memory_limit is not None:
        return (
            f"The run needed more memory than a solver process may take "
            f"({loss.memory_limit // 2**20:,} MiB) and was stopped: train again with a smaller "
            "shape, fewer columns or fewer rows, or raise ODT_WORKER_MEMORY."
        )
    if running.overdue:
        limit = (
            f"{DEADLINE_GRACE:g} s after its time limit"
            if running.job.stage is Stage.SOLVING
            else f"{OTHER_WORK_LIMIT:g} s of {running.job.stage}"
        )
        return (
            f"The run did not end within {limit} and was stopped: train again with a smaller "
            "shape, fewer columns or fewer rows."
        )
    return (
        f"The solver's process ended unexpectedly ({loss.how}): train again, with a smaller shape "
        "or fewer columns if it repeats."
    )
