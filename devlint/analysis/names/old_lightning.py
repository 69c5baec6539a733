"""Projects that are for a Lightning whose modules have no ``self.device``: it came with version 0.7.6, in May 2020."""

from __future__ import annotations

from devlint.analysis.project.ask import project_around
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact

_PINNED = regex(
    rb"(?i)pytorch[-_]lightning[\"']?\s*(?:=\s*[\"'])?(?:={1,3}|<=)?\s*v?0\.(?:[0-6]\b|7\.[0-5]\b)"
    rb"|pytorch[-_]lightning[^\n#;]{0,20}<\s*0\.(?:[0-6]\b|7(?:\.[0-6])?(?![.\d]))"
)
"""A version that is wanted, or one below which it has to be."""
_OLD = (
    "pl.data_loader",
    "ptl.data_loader",
    "pytorch_lightning.data_loader",
    "def tng_dataloader",
    "import data_loader",
)
"""What only programs for such a version have: later ones do without it."""


@fact
def is_for_old_lightning(ctx: FileContext) -> bool:
    """Whether a file, or what its project requires, is for a Lightning that may know no ``self.device``."""
    if "lightning" in ctx.source.text and any(word in ctx.source.text for word in _OLD):
        return True
    return any(_PINNED.search(text) is not None for text in project_around(ctx).requirements())
