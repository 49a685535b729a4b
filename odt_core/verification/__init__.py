"""An independent check of a proof, by trying all trees of a shape in plain NumPy."""

from __future__ import annotations

from odt_core.verification.enumeration import EnumerationResult, verify
from odt_core.verification.models import (
    Claim,
    StoredVerification,
    Verification,
    run_verification,
    verify_model,
)

__all__ = [
    "Claim",
    "EnumerationResult",
    "StoredVerification",
    "Verification",
    "run_verification",
    "verify",
    "verify_model",
]
