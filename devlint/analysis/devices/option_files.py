"""In which files options are defined: those that a function is given, ``train(args)``, and those beside a file."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devlint.analysis.project.calls import CALLS, CallSite, calls_elsewhere, handed_on
from devlint.analysis.project.options import OPTIONS
from devlint.analysis.project.processes import may_run_with
from devlint.analysis.project.project import Project
from devlint.analysis.project.searches import search
from devlint.core.lazy_regex import regex

_DEPTH = 4
_PARSED = regex(r"([\w.]*?)\.?(?:parse_args|parse_known_args)\(\)\Z")
"""What reads options: ``parser.parse_args()``, a method of a parser or a function of another file."""


def option_files(project: Project, function: str, parameter: str, position: int | None) -> frozenset[str] | None:
    """The files whose parsers make all that other files give to a parameter; None where nobody knows."""
    return _of_sites(project, calls_elsewhere(project, function), parameter, position, _DEPTH)


def definers_beside(project: Project, option: str) -> frozenset[str]:
    """The files that define an option and may run in one process with this one."""
    paths = {one.path for one in search(project, OPTIONS, option) or ()}
    return frozenset(one for one in paths if may_run_with(project, [one]))


def _of_sites(
    project: Project, sites: Iterable[CallSite] | None, parameter: str, position: int | None, depth: int
) -> frozenset[str] | None:
    plain = [one for one in sites or () if not one.has_stars or one.positional or one.keywords]  # spawn hides the rest
    if not plain or depth == 0:
        return None
    found: set[str] = set()
    for site in plain:
        text = site.argument(parameter, position)
        for value in dict(site.values).get(text or "", ()) or ("?",):
            files = _of_value(project, site, value, text or "", depth)
            if files is None:
                return None
            found |= files
    return frozenset(found)


def _of_value(project: Project, site: CallSite, value: str, name: str, depth: int) -> frozenset[str] | None:
    """The files that define the options in a value of a call's file."""
    handed = handed_on(value)
    if handed is not None:
        return _of_sites(project, _calls_of(project, site.path, handed.function), name, handed.position, depth - 1)
    parsed = _PARSED.match(value)
    module = project.index.module(site.path)
    if parsed is None or module is None:
        return None
    definition = project.index.resolve(module, value.removesuffix("()"))
    if definition is not None and isinstance(definition.node, ast.FunctionDef):
        return frozenset({definition.module.path})
    owner = module.bindings.get(parsed.group(1), ())
    return frozenset({site.path}) if parsed.group(1) and all(one.alias is None for one in owner) else None


def _calls_of(project: Project, path: str, function: str) -> list[CallSite]:
    """The calls of a function of another file, there and elsewhere."""
    return [one for one in search(project, CALLS, function) or () if _is_called(project, one, path)]


def _is_called(project: Project, site: CallSite, path: str) -> bool:
    module = project.index.module(site.path)
    definition = project.index.resolve(module, site.called) if module is not None else None
    return definition is not None and definition.module.path == path
