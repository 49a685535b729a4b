"""The figures of results in Plotly, each with a text alternative, and as files."""

from odt_core.figures.benefit import benefit_chart
from odt_core.figures.calibration import calibration_chart
from odt_core.figures.chart import Chart
from odt_core.figures.columns import columns_chart
from odt_core.figures.comparison import comparison_chart, questions_chart
from odt_core.figures.files import FigureFormat, chart_file
from odt_core.figures.path import path_chart
from odt_core.figures.progress import progress_chart
from odt_core.figures.ranking import ColumnBar, ranking_chart
from odt_core.figures.roc import roc_chart
from odt_core.figures.stability import asked_chart, cuts_chart, instability_chart
from odt_core.figures.subgroups import subgroup_chart
from odt_core.figures.sweep import sweep_chart, sweep_plane_chart

__all__ = [
    "Chart",
    "ColumnBar",
    "FigureFormat",
    "asked_chart",
    "benefit_chart",
    "calibration_chart",
    "chart_file",
    "columns_chart",
    "comparison_chart",
    "cuts_chart",
    "instability_chart",
    "path_chart",
    "progress_chart",
    "questions_chart",
    "ranking_chart",
    "roc_chart",
    "subgroup_chart",
    "sweep_chart",
    "sweep_plane_chart",
]
