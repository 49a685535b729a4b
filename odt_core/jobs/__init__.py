"""Run training specifications in other processes: queue, progress, cancel.

Solving never happens in the process that serves pages: a solver can crash, cannot be interrupted,
and holds the interpreter. A job is a plain JSON specification; a warm worker process runs it and
answers with messages, one JSON object a line.
"""

from odt_core.jobs.manager import Job, JobManager, JobState
from odt_core.jobs.messages import JobSpec

__all__ = ["Job", "JobManager", "JobSpec", "JobState"]
