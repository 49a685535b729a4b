"""An independent check of a proof: all trees of a shape, one by one, in plain NumPy."""

from __future__ import annotations

from odt_core.verification.enumeration import Verdict, verify
from odt_core.verification.models import Verification, verify_model

__all__ = ["Verdict", "Verification", "verify", "verify_model"]
