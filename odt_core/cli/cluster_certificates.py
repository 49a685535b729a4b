"""``cluster-certificates``: certificates for the machines of a Dask cluster."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from odt_core.jobs.cluster import write_certificates


def run(options: argparse.Namespace) -> int:
    """Write the certificates."""
    write_certificates(Path(options.folder))
    print(
        f"The certificates are in {options.folder}: copy this folder safely to every machine of "
        "the cluster, and set ODT_DASK_CERTIFICATES there to the copy.",
        file=sys.stderr,
    )
    return 0
