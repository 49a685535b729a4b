"""The worker process: reads orders, runs jobs, and answers with messages.

It can train and run studies. It knows nothing of queues and databases, which would make it larger
and slower to start. `odt_core.jobs` keeps the jobs. This file imports nothing, because the process
that reads a large table (`odt_core.worker.table_reader`) needs neither solvers nor studies.
"""
