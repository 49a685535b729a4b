"""The worker process: reads orders, runs jobs, and answers with messages.

It can train and run studies. It knows nothing of queues and databases, which would make it larger
and slower to start. `odt_core.jobs` keeps the jobs.
"""

from odt_core.worker.messages import JobKind, JobSpec, to_line

__all__ = ["JobKind", "JobSpec", "to_line"]
