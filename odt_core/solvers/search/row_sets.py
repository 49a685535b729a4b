"""Sets of rows as bits, and the types of arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

Masks = npt.NDArray[np.uint64]
"""Sets of rows, ``uint64[..., W]``: row i is bit i % 64 (least significant first) of word i // 64.
Bits without a row are 0."""


def n_words(n: int) -> int:
    """Words of a mask of n rows."""
    return max(-(-n // 64), 1)


def pack(member: Flags) -> Masks:
    """``bool[..., N]`` as bits, ``uint64[..., W]``."""
    full = np.zeros((*member.shape[:-1], n_words(member.shape[-1]) * 8), np.uint8)
    packed = np.packbits(member, axis=-1, bitorder="little")
    full[..., : packed.shape[-1]] = packed
    return full.view(np.uint64)


def unpack(masks: Masks, n: int) -> Flags:
    """``uint64[..., W]`` as ``bool[..., N]`` for n rows."""
    bytes_ = np.ascontiguousarray(masks).view(np.uint8)
    return np.unpackbits(bytes_, axis=-1, count=n, bitorder="little").view(np.bool_)


def count(masks: Masks) -> Whole:
    """How many rows each set has, ``int64[...]``."""
    return np.asarray(np.bitwise_count(masks).sum(axis=-1, dtype=np.int64))
