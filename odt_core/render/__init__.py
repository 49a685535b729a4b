"""Trees and shapes as drawings, each with a text alternative."""

from odt_core.render.alternative import topology_alt_text, tree_alt_text, tree_summary
from odt_core.render.dot import Density, Direction, drawn_width, tree_dot
from odt_core.render.files import graphviz_command, tree_png, tree_svg
from odt_core.render.shape import topology_svg
from odt_core.render.small_tree import small_tree_dot
from odt_core.render.theme import DARK, LIGHT, THEMES, Theme

__all__ = [
    "DARK",
    "LIGHT",
    "THEMES",
    "Density",
    "Direction",
    "Theme",
    "drawn_width",
    "graphviz_command",
    "small_tree_dot",
    "topology_alt_text",
    "topology_svg",
    "tree_alt_text",
    "tree_dot",
    "tree_png",
    "tree_summary",
    "tree_svg",
]
