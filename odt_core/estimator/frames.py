"""The data frames of scikit-learn's users: categorical columns and numbers."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from odt_core.errors import InputError

FROM_DTYPE = "from_dtype"


def column_names(names: Iterable[str]) -> list[str]:
    """Normalise names to Unicode NFC, as in every `Table`."""
    return [unicodedata.normalize("NFC", name) for name in names]


def categorical_mask(
    frame: pd.DataFrame, categorical_features: Any, *, has_names: bool
) -> npt.NDArray[np.bool_]:
    """Decide which columns are categorical.

    Parameters
    ----------
    frame : pandas.DataFrame
        The G features.
    categorical_features : "from_dtype", None, or array-like of bool, int or str
        As for `sklearn.ensemble.HistGradientBoostingClassifier`, but ``from_dtype`` also takes
        columns of text and booleans.
    has_names : bool
        Whether the user named the columns.

    Returns
    -------
    bool[G]

    Raises
    ------
    InputError
        If it names an absent column, or a column holds dates.
    """
    n_columns = frame.shape[1]
    if categorical_features is None:
        return np.zeros(n_columns, dtype=np.bool_)
    if isinstance(categorical_features, str):
        if categorical_features != FROM_DTYPE:
            raise InputError(
                f"categorical_features is {categorical_features!r}: give 'from_dtype', None, or "
                "a list of columns."
            )
        return np.array([_is_text(frame.iloc[:, g]) for g in range(n_columns)], dtype=np.bool_)
    chosen = np.asarray(categorical_features)
    if chosen.dtype.kind == "b" and chosen.shape != (n_columns,):
        raise InputError(
            f"categorical_features is a mask of {chosen.size} values, but X has {n_columns} "
            "columns: give one value for each column."
        )
    mask = np.zeros(n_columns, dtype=np.bool_)
    mask[chosen if chosen.dtype.kind == "b" else _positions(frame, chosen, has_names)] = True
    return mask


def _is_text(column: pd.Series[Any]) -> bool:
    if isinstance(column.dtype, (pd.CategoricalDtype, pd.StringDtype)):
        return True
    if pd.api.types.is_bool_dtype(column.dtype):
        return True
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        raise InputError(
            f"Column {column.name!r} holds dates: give a number instead, such as the year, or name "
            "the column in categorical_features."
        )
    if pd.api.types.is_object_dtype(column.dtype):
        return any(isinstance(cell, (str, bool, np.bool_)) for cell in column)
    return False


def _positions(
    frame: pd.DataFrame, chosen: npt.NDArray[Any], has_names: bool
) -> npt.NDArray[np.int64]:
    """The positions of columns that are given by name or number."""
    if chosen.size == 0:
        return np.array([], dtype=np.int64)
    if chosen.dtype.kind == "i":
        if chosen.min() < 0 or chosen.max() >= frame.shape[1]:
            raise InputError(
                f"categorical_features names the column {chosen.max()}, but X has the columns 0 "
                f"to {frame.shape[1] - 1}."
            )
        return chosen.astype(np.int64)
    if not all(isinstance(name, str) for name in chosen.tolist()):
        raise InputError("categorical_features must be a list of names, numbers or booleans.")
    if not has_names:
        raise InputError(
            "categorical_features gives names, but X has none: give the columns' numbers, or X as "
            "a data frame."
        )
    place = {name: g for g, name in enumerate(frame.columns)}
    names = column_names(chosen.tolist())
    absent = next((name for name in names if name not in place), None)
    if absent is not None:
        raise InputError(f"categorical_features names {absent!r}, which is not a column of X.")
    return np.array([place[name] for name in names], dtype=np.int64)


def with_numbers(frame: pd.DataFrame, numerical: Sequence[str]) -> pd.DataFrame:
    """Return the frame with its numerical columns as floats; missing values are NaN.

    Raises
    ------
    InputError
        If a cell of a numerical column is not a finite number.
    """
    return frame.assign(**{name: _numbers(frame[name]) for name in numerical})


def _numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    name = column.name
    try:
        numbers = pd.to_numeric(column).astype(float)
    except (ValueError, TypeError) as error:
        bad = next((cell for cell in column if not _is_number(cell)), None)
        raise InputError(
            f"Column {name!r} holds {str(bad)[:40]!r}, which is not a number: name the column in "
            "categorical_features, or leave it out."
        ) from error
    if np.isinf(numbers).any():
        raise InputError(f"Input X contains infinity in column {name!r}: give numbers or NaN.")
    return numbers


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (ValueError, TypeError):
        return cell is None or cell is pd.NA
    return True
