"""The searches of a project by their kinds, as recorded questions name them: a module of its own, for it needs all."""

from __future__ import annotations

from devlint.analysis.project.attributes import SET, SET_BY_SELF
from devlint.analysis.project.calls import BASE_INITIALIZATIONS, CALLS
from devlint.analysis.project.card_choosers import CARD_CHOOSERS
from devlint.analysis.project.importers import IMPORTERS
from devlint.analysis.project.kernels import KERNEL_SOURCES
from devlint.analysis.project.mentions import MENTIONS
from devlint.analysis.project.options import OPTIONS
from devlint.analysis.project.overrides import HEIRS, OVERRIDES

SEARCHES = {
    one.kind: one
    for one in (
        BASE_INITIALIZATIONS,
        CALLS,
        CARD_CHOOSERS,
        HEIRS,
        IMPORTERS,
        KERNEL_SOURCES,
        MENTIONS,
        OPTIONS,
        OVERRIDES,
        SET,
        SET_BY_SELF,
    )
}
