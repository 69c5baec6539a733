"""Whether another file of the project imports this one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from devlint.analysis.project.mentions import Holder
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search


def is_imported(project: Project) -> bool:
    """Whether another file of the project imports this one at its top; not where nobody knows."""
    return bool(search(project, IMPORTERS, project.path))


def _stem(path: str) -> bytes:
    name = path.replace("\\", "/").rpartition("/")[2]
    return name.removesuffix(".py").encode("utf-8", "surrogatepass")


def _importers(index: Index, paths: Iterable[str], path: str) -> Iterator[Holder]:
    stem = re.escape(_stem(path))
    pattern = re.compile(rb"\b(?:from|import)\b[^#\n]*\b%s\b" % stem)
    for importer, module in index.matching(paths, pattern):
        imports = (one for found in module.bindings.values() for one in found if one.alias is not None)
        if any(path in (index.path(importer, name) for name in (one.module, one.origin) if name) for one in imports):
            yield Holder(importer)


IMPORTERS = Search("importers", lambda path: (_stem(path),), _importers)
