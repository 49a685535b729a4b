"""The width of text, and its breaks into lines.

Graphviz in the browser and in the graphviz-pure wheel knows the widths of Latin letters only, and
takes any other character for a blank. So labels are measured here, generously, and each cell gets a
least width.
"""

from __future__ import annotations

import unicodedata

# Widths in Arial, in units of the font size, by groups of letters with about the same width.
_WIDTHS = {
    character: width
    for characters, width in (
        ("ijl'|", 0.23),
        (" .,:;!/\\ftI[]", 0.28),
        ('r()-`"{}*', 0.36),
        ("Jckvsxyz", 0.5),
        ("?abdeghnopquL0123456789$#_", 0.56),
        ("+<=>~^FTZ", 0.6),
        ("ABEKPSVXY&", 0.67),
        ("wCDHNRUGOQ", 0.75),
        ("mM%W@", 0.95),
    )
    for character in characters
}
_BOLD = 1.08


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Estimate the width of a line in points; at most a few percent too small in any script."""
    units = sum(_character_width(character) for character in text)
    return units * size * (_BOLD if bold else 1.0)


def _character_width(character: str) -> float:
    if character in _WIDTHS:
        return _WIDTHS[character]
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    return 0.7


def wrap(text: str, size: float, width: float, *, bold: bool = False) -> list[str]:
    """Break text into lines of at most `width` points, between words if possible.

    Commas and the dots of a shortened list may stick out a little, because they never start a line.
    """
    lines = [""]
    for word in text.split(" "):
        first, *rest = _parts(word, size, width, bold)
        longer = f"{lines[-1]} {first}" if lines[-1] else first
        fits = first == "..." or text_width(longer.rstrip(","), size, bold=bold) <= width
        if lines[-1] and not fits:
            lines.append(first)
        else:
            lines[-1] = longer
        lines += rest
    return lines


def _parts(word: str, size: float, width: float, bold: bool) -> list[str]:
    """Break a word into parts that fit on a line, after a mark rather than inside a name."""
    parts = [""]
    for character in word:
        part = parts[-1]
        fits = character in ",;:" or text_width(part + character, size, bold=bold) <= width
        if part and not fits:
            cut = max(part.rfind(mark) for mark in "_-./") + 1
            cut = cut if cut > len(part) // 3 else len(part)
            parts[-1:] = [part[:cut], part[cut:]]
        parts[-1] += character
    return parts
