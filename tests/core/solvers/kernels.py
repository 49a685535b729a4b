"""Which kernels of the exact search this process has compiled or loaded."""

from __future__ import annotations

import importlib

from odt_core.solvers import search

MODULES = [importlib.import_module(f"{search.__name__}.{name}") for name in search.KERNELS]
KERNELS = {
    id(value): value
    for module in MODULES
    for value in vars(module).values()
    if hasattr(value, "signatures")
}


def ready() -> set[tuple[str, object]]:
    """Name and types of each."""
    return {
        (f"{kernel.__module__}.{kernel.__name__}", types)
        for kernel in KERNELS.values()
        for types in kernel.signatures
    }
