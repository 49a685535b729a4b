"""Tables: reading, checks, splits and encoding; and built-in samples.

``read_table`` keeps every cell as text. ``infer_schema`` proposes a meaning for the columns, and
``check_schema`` reports what is wrong or odd about it. ``prepare`` converts the table to training
and test rows of integer codes, with an `Encoder` for later tables.
"""

from __future__ import annotations

from odt_core.data.binning import BinMethod, Binning
from odt_core.data.cells import CellReading
from odt_core.data.checks import check_schema
from odt_core.data.column_checks import as_ages, as_numbers, with_limit_mark
from odt_core.data.dialect import ReadOptions
from odt_core.data.encoder import ColumnEncoder, Encoder, Unseen
from odt_core.data.findings import Finding, Severity
from odt_core.data.folds import Fold, Folding
from odt_core.data.forms import NumberForm
from odt_core.data.inference import infer_schema
from odt_core.data.missing import DEFAULT_MISSING_TOKENS
from odt_core.data.preparing import (
    Exclusion,
    Flow,
    Prepared,
    prepare,
    prepare_beforehand,
    row_groups,
)
from odt_core.data.reading import read_table
from odt_core.data.remedies import Change, Remedy
from odt_core.data.resamples import draw_resample, prepare_resample
from odt_core.data.samples import SAMPLES, Sample
from odt_core.data.schema import ColumnKind, ColumnSchema, Schema
from odt_core.data.splitting import USUAL_SPLIT, SplitSpec, split_rows
from odt_core.data.stray_lines import RefusedRowsError
from odt_core.data.summary import ColumnSummary, summarize_columns
from odt_core.data.table import Table, table_from_frame
from odt_core.data.target import spellings, target_labels

__all__ = [
    "DEFAULT_MISSING_TOKENS",
    "SAMPLES",
    "BinMethod",
    "Binning",
    "ColumnEncoder",
    "CellReading",
    "Change",
    "ColumnKind",
    "ColumnSchema",
    "ColumnSummary",
    "Encoder",
    "Exclusion",
    "Finding",
    "Flow",
    "Fold",
    "Folding",
    "Severity",
    "NumberForm",
    "Prepared",
    "ReadOptions",
    "RefusedRowsError",
    "Remedy",
    "Sample",
    "Schema",
    "SplitSpec",
    "Table",
    "USUAL_SPLIT",
    "Unseen",
    "as_ages",
    "as_numbers",
    "check_schema",
    "draw_resample",
    "infer_schema",
    "prepare",
    "prepare_beforehand",
    "prepare_resample",
    "read_table",
    "row_groups",
    "spellings",
    "split_rows",
    "summarize_columns",
    "table_from_frame",
    "with_limit_mark",
    "target_labels",
]
