"""Data sets that come with the product: generated, or inside a dependency."""

from __future__ import annotations

from odt_core.data.samples.breast_cancer import BREAST_CANCER
from odt_core.data.samples.monks import MONKS_1
from odt_core.data.samples.sample import Sample
from odt_core.data.samples.tic_tac_toe import TIC_TAC_TOE
from odt_core.data.samples.triage import TRIAGE

SAMPLES: dict[str, Sample] = {
    sample.key: sample for sample in (BREAST_CANCER, TRIAGE, TIC_TAC_TOE, MONKS_1)
}
"""The samples by key."""

__all__ = ["SAMPLES", "Sample"]
