"""Projects that never name a device: what they save was on the CPU, and can be loaded anywhere."""

from __future__ import annotations

import re

from devlint.analysis.project.ask import project_around
from devlint.analysis.project.mentions import files_holding
from devlint.analysis.project.searches import Search, search
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact

_WORDS = regex(
    rb"cuda|device|gpu|\b(?:mps|xpu|hip|hpu)\b"
    rb"|accelerat(?:e\b|or)|\b(?:catalyst|fabric|fastai|ignite|\w*lightning|skorch|transformers)\b",
    re.IGNORECASE,
)
"""What names a device, or a library that puts modules on one by itself."""


@fact
def saves_without_devices(ctx: FileContext) -> bool:
    """Whether a file saves such files itself, and no file of its project has a word for a device or its choice."""
    text, project = ctx.source.text, project_around(ctx)
    if project.root is None or "torch.save(" not in text or _WORDS.search(text.encode("utf-8", "surrogatepass")):
        return False
    return search(project, NAMING, "") == []


NAMING = Search("names of devices", lambda _: (b"",), lambda index, paths, _: files_holding(_WORDS, index, paths))
