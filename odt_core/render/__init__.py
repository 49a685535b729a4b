"""Trees, shapes and progress as pictures, each with a text alternative."""

from odt_core.render.alternative import topology_alt_text, tree_alt_text, tree_summary
from odt_core.render.benefit import benefit_alt_text, benefit_figure
from odt_core.render.calibration import calibration_alt_text, calibration_figure
from odt_core.render.columns import ColumnMark, columns_alt_text, columns_figure
from odt_core.render.comparison import (
    ComparedPoint,
    Rank,
    comparison_alt_text,
    comparison_figure,
    questions_figure,
)
from odt_core.render.dot import Density, Direction, drawn_width, tree_dot
from odt_core.render.files import graphviz_command, tree_png, tree_svg
from odt_core.render.path import PathMark, path_alt_text, path_figure
from odt_core.render.progress import progress_alt_text, progress_figure
from odt_core.render.roc import RocFloor, RocPoint, roc_alt_text, roc_figure
from odt_core.render.shape import topology_svg
from odt_core.render.small_tree import small_tree_dot
from odt_core.render.stability import (
    AskedColumn,
    CutColumn,
    RowCircle,
    asked_alt_text,
    asked_figure,
    cuts_alt_text,
    cuts_figure,
    instability_alt_text,
    instability_figure,
)
from odt_core.render.static import FigureFormat, figure_file
from odt_core.render.subgroups import subgroup_alt_text, subgroup_figure
from odt_core.render.sweep import (
    SweepPoint,
    SweepSeries,
    sweep_alt_text,
    sweep_figure,
    sweep_roc_figure,
)
from odt_core.render.theme import DARK, LIGHT, THEMES, Theme

__all__ = [
    "calibration_alt_text",
    "calibration_figure",
    "subgroup_alt_text",
    "subgroup_figure",
    "DARK",
    "LIGHT",
    "THEMES",
    "AskedColumn",
    "ColumnMark",
    "columns_alt_text",
    "columns_figure",
    "small_tree_dot",
    "ComparedPoint",
    "CutColumn",
    "Density",
    "Direction",
    "FigureFormat",
    "PathMark",
    "Rank",
    "RocFloor",
    "RocPoint",
    "RowCircle",
    "SweepPoint",
    "SweepSeries",
    "Theme",
    "asked_alt_text",
    "asked_figure",
    "benefit_alt_text",
    "benefit_figure",
    "comparison_alt_text",
    "comparison_figure",
    "cuts_alt_text",
    "cuts_figure",
    "drawn_width",
    "figure_file",
    "graphviz_command",
    "instability_alt_text",
    "instability_figure",
    "path_alt_text",
    "path_figure",
    "progress_alt_text",
    "progress_figure",
    "questions_figure",
    "roc_alt_text",
    "roc_figure",
    "sweep_alt_text",
    "sweep_figure",
    "sweep_roc_figure",
    "topology_alt_text",
    "topology_svg",
    "tree_alt_text",
    "tree_dot",
    "tree_png",
    "tree_summary",
    "tree_svg",
]
