"""``cluster-certificates``: what the machines of a Dask cluster show each other."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from odt_core.jobs.certificates import write_certificates


def run(options: argparse.Namespace) -> int:
    """Write the certificates."""
    write_certificates(Path(options.folder))
    print(
        f"Certificates are in {options.folder}: copy the folder to every machine of the cluster, "
        "by a safe way, and name it there in ODT_DASK_CERTIFICATES.",
        file=sys.stderr,
    )
    return 0
