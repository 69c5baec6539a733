"""Projects that never name a device: what they save was on the CPU, and can be loaded anywhere."""

from __future__ import annotations

from devlint.analysis.project.ask import project_around
from devlint.analysis.project.mentions import files_holding
from devlint.analysis.project.searches import Search, search
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact

_WORDS = ("accelerat", "cuda", "device", "fabric", "gpu", "hip", "ignite", "lightning", "mps", "xpu", "Trainer")
_NAMES = tuple(one.encode() for one in _WORDS)
_ANY = regex(b"|".join(_NAMES))


@fact
def names_no_device(ctx: FileContext) -> bool:
    """Whether a file saves such files itself, and no file of its project has a word for a device or its choice."""
    text, project = ctx.source.text, project_around(ctx)
    if project.root is None or "torch.save(" not in text or any(one in text for one in _WORDS):
        return False
    return search(project, _NAMED, "") == []


_NAMED = Search("names of devices", lambda _: _NAMES, lambda index, paths, _: files_holding(_ANY, index, paths))
