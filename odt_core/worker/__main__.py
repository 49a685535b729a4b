"""``python -m odt_core.worker``: see `odt_core.worker.worker`."""

from odt_core.worker.worker import main

main()
