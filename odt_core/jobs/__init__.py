"""Run training jobs and studies in other processes: queue, progress, cancel, history.

The process that serves pages never solves anything. A solver can crash, cannot be interrupted, and
blocks the Python interpreter. A job is a JSON specification and a run in the store. A warm worker
process runs it and answers with messages, one JSON object on each line.
"""

from odt_core.jobs.job import Batch, Job
from odt_core.jobs.manager import JobManager, temporary_manager
from odt_core.worker.messages import JobKind, JobSpec

__all__ = ["Batch", "Job", "JobKind", "JobManager", "JobSpec", "temporary_manager"]
