"""A rule's docstring is its manual: as Markdown, and as plain text for a terminal."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

from devlint.core.lazy_regex import regex

_TITLE = regex(r"^(\S.*)\n-{3,}$", re.MULTILINE)
_DOUBLE = regex(r"(?<!`)``(?!`)")


def markdown(docstring: str) -> str:
    """Underlined titles as headings, double backquotes as single ones."""
    return plain(docstring, lambda title: f"#### {title}")


def plain(docstring: str, heading: Callable[[str], str] = str) -> str:
    """The same for a terminal, each title as ``heading`` gives it."""
    return _DOUBLE.sub("`", _TITLE.sub(lambda title: heading(title[1]), inspect.cleandoc(docstring)))
