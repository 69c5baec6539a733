"""Functions of ``torch.cuda`` that tests of a project replace, to see that they are called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from devlint.analysis.project.mentions import Holder
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search


def is_replaced_elsewhere(project: Project, name: str) -> bool:
    """Whether another file replaces ``torch.cuda.<name>``: ``patch("torch.cuda.synchronize")``."""
    return bool(search(project, REPLACED_CALLS, name))


def _replacing(index: Index, paths: Iterable[str], name: str) -> Iterator[Holder]:
    word = re.escape(name.encode())
    named = rb"[\"'](?:[\w.]+\.)?torch\.cuda\.%s[\"']" % word
    of_module = rb"(?:[\w.]+\.)?cuda\s*,\s*[\"']%s[\"']" % word
    call = re.compile(rb"\b(?:patch|object|setattr)\(\s*(?:target\s*=\s*)?(?:%s|%s)" % (named, of_module))
    assigned = re.compile(rb"^\s*torch\.cuda\.%s\s*=[^=]" % word, re.MULTILINE)
    for path in paths:
        text = index.disk.read(path) or b""
        if call.search(text) or assigned.search(text):
            yield Holder(path)


REPLACED_CALLS = Search("replaced calls", lambda name: (name.encode(),), _replacing)
