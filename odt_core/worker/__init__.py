"""The other side of a job: a process that reads orders, runs them, and answers with messages.

It knows how to train and study and nothing of queues and databases, which would only make it slower
to start and larger. Those who keep jobs are in `odt_core.jobs`.
"""

from odt_core.worker.messages import JobKind, JobSpec, to_line

__all__ = ["JobKind", "JobSpec", "to_line"]
