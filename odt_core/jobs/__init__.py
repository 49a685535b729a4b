"""Run training specifications and studies in other processes: queue, progress, cancel, history.

Solving never happens in the process that serves pages: a solver can crash, cannot be interrupted,
and holds the interpreter. A job is a plain JSON specification and a run in the store; a warm worker
process runs it and answers with messages, one JSON object a line.
"""

from odt_core.jobs.job import Batch, Job
from odt_core.jobs.manager import JobManager, unkept_manager
from odt_core.worker import JobKind, JobSpec

__all__ = ["Batch", "Job", "JobKind", "JobManager", "JobSpec", "unkept_manager"]
