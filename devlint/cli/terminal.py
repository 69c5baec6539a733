"""What a terminal can show: colours, links, and lines that are written again."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

_LINKING_PROGRAMS = ("iTerm.app", "WezTerm", "ghostty", "Hyper", "Tabby", "rio", "WarpTerminal")
"""Not vscode: it finds ``path:row:column`` in plain text itself, on other machines too."""
_LINKING_TERMS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "contour")
_LINKING_VARIABLES = ("WT_SESSION", "KONSOLE_VERSION", "KITTY_WINDOW_ID", "DOMTERM")
_VTE_WITH_LINKS = 5002


def use_colour(choice: str, stream: TextIO) -> bool:
    """Whether to print in colour: as asked, else never with NO_COLOR, always with FORCE_COLOR, else on a terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or is_terminal(stream)


def use_links(choice: str, stream: TextIO) -> bool:
    """Whether to print links: where there is colour, on a terminal known to show them, or as FORCE_HYPERLINK says."""
    forced = os.environ.get("FORCE_HYPERLINK")
    if forced is not None:
        return forced not in ("", "0")
    if choice == "never" or not is_terminal(stream) or not use_colour("auto", stream):
        return False
    term = os.environ.get("TERM", "")
    if term.startswith(("screen", "tmux")) or "TMUX" in os.environ:
        return False  # whether the terminal around it shows links is not known
    vte = os.environ.get("VTE_VERSION", "")
    return (
        term.startswith(_LINKING_TERMS)
        or os.environ.get("TERM_PROGRAM") in _LINKING_PROGRAMS
        or any(name in os.environ for name in _LINKING_VARIABLES)
        or (vte.isdecimal() and int(vte) >= _VTE_WITH_LINKS)
    )


def columns(stream: TextIO) -> int:
    """The width of the terminal; 80 where it does not say."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def is_terminal(stream: TextIO) -> bool:
    """Whether a stream is a terminal on which colours work and lines can be written again."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"
