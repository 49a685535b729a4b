"""Sets of rows as bits: row i is bit i % 64 (least significant first) of word i // 64."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Masks = npt.NDArray[np.uint64]
"""Sets of rows, ``uint64[..., W]``; bits without a row are 0."""

_ONES = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)


def n_words(n: int) -> int:
    """Words that n rows take, at least one."""
    return max(-(-n // 64), 1)


def pack(member: npt.NDArray[np.bool_]) -> Masks:
    """``bool[..., N]`` as bits, ``uint64[..., W]``."""
    n = member.shape[-1]
    full = np.zeros((*member.shape[:-1], n_words(n) * 8), np.uint8)
    packed = np.packbits(member, axis=-1, bitorder="little")
    full[..., : packed.shape[-1]] = packed
    return full.view(np.uint64)


def unpack(masks: Masks, n: int) -> npt.NDArray[np.bool_]:
    """``uint64[..., W]`` as ``bool[..., N]`` for n rows."""
    bytes_ = np.ascontiguousarray(masks).view(np.uint8)
    return np.unpackbits(bytes_, axis=-1, count=n, bitorder="little").view(np.bool_)


def everything(n: int) -> Masks:
    """The set of all n rows."""
    return pack(np.ones(n, np.bool_))


def rows_of(mask: Masks, n: int) -> npt.NDArray[np.int64]:
    """The rows of one set, rising."""
    return np.flatnonzero(unpack(mask, n))


def count(masks: Masks) -> npt.NDArray[np.int64]:
    """How many rows each set holds."""
    bytes_ = np.ascontiguousarray(masks).view(np.uint8)
    return np.asarray(_ONES[bytes_].sum(axis=-1, dtype=np.int64))
