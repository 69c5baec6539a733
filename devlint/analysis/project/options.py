"""Options of the command line, in whichever file of the project they are defined."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from devlint.analysis.apis.option_kinds import STARS, Keywords
from devlint.analysis.project.attributes import AttributeAssignment, set_from_outside, set_in
from devlint.analysis.project.calls import CALLS, CallSite
from devlint.analysis.project.mentions import is_unknown_elsewhere
from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import dotted_text, nodes_below
from devlint.syntax.python_tree.python_terms import python_term
from devlint.torch_api.device_naming import OPTION_CALLS


class ProjectOption(Record):
    """One call that defines an option."""

    path: str
    call: str
    """As Python writes it."""
    is_under_condition: bool = False
    """Whether it is only defined if something holds."""

    @property
    def asks(self) -> bool:
        """Whether its default is asked of torch."""
        return "is_available" in self.call

    @property
    def keywords(self) -> Keywords:
        """What the call is given by keyword."""
        return {one.arg or STARS: python_term(one.value) for one in self._parsed.keywords}

    @property
    def has_dashes(self) -> bool:
        """Whether it may be left out: one without dashes must be given."""
        names = (one.value for one in self._parsed.args if isinstance(one, ast.Constant))
        return any(isinstance(one, str) and one.startswith("-") for one in names)

    @property
    def _parsed(self) -> ast.Call:
        call = ast.parse(self.call, mode="eval").body
        assert isinstance(call, ast.Call)
        return call


def may_be_defined(project: Project, name: str) -> bool:
    """Whether other files have a word for an option, and none that defines it does so under a condition alone."""
    options = search(project, OPTIONS, name)
    if options:
        return any(not one.is_under_condition for one in options)
    return project.root is None or not is_unknown_elsewhere(project, name)


def is_option_that_never_asks(project: Project, name: str, imported: Sequence[str] = ()) -> bool:
    """Whether another file defines the option ``args.name``, and no file asks for CUDA before it takes its word.

    One that defines it asks for its own options alone: another script may not. ``imported`` are the paths of files that
    count though they may be in no project.
    """
    index = project.index
    found = [*(search(project, OPTIONS, name) or ()), *_options(index, imported, name)]
    setters = [*(set_from_outside(project, name) or ()), *set_in(index, imported, name)]
    definers, askers = {one.path for one in found}, {one.path for one in (*found, *setters) if one.asks}
    return not definers <= askers and askers <= definers


def options_set_nowhere(
    project: Project,
    name: str,
    imported: Sequence[str] = (),
    but_numbers: bool = False,
    within: frozenset[str] | None = None,
) -> list[Keywords]:
    """What defines the option ``args.name`` in other files; nothing where some file sets it to anything else.

    With ``but_numbers`` a file may set it to the number of a process: ``args.gpu = gpu``. Of other files than those
    ``within`` the parsers do not matter.
    """
    index = project.index
    elsewhere, setters = search(project, OPTIONS, name), set_from_outside(project, name)
    if elsewhere is None or setters is None:
        return []
    setters = [*setters, *set_in(index, imported, name)]
    if not all(but_numbers and _keeps_number(project, one, name) for one in setters):
        return []
    defined = (*elsewhere, *_options(index, imported, name))
    calls = {one.call: one.keywords for one in defined if within is None or one.path in within}
    return [calls[one] for one in sorted(calls)]


def _keeps_number(project: Project, setter: AttributeAssignment, option: str) -> bool:
    """Whether ``args.gpu = gpu`` keeps the number of a process, or what the option itself says."""
    calls = search(project, CALLS, setter.worker) if setter.worker else None
    calls = [one for one in calls if _may_call(project, one, setter.path)] if calls is not None else None
    if calls is None or any(one.has_stars for one in calls if one.path != setter.path):
        return False
    given = [(*one.positional, "")[0] for one in calls if not one.has_stars]  # here, spawn hides what it gives
    return all(one.isdecimal() or one == "None" or one.endswith(f".{option}") for one in given)


def _may_call(project: Project, site: CallSite, path: str) -> bool:
    """Whether a call may be one of a file's function, and is none of another one that has the same name."""
    module = project.index.module(site.path)
    definition = project.index.resolve(module, site.called) if module is not None else None
    return definition is None or definition.module.path == path


def set_elsewhere_to_others(project: Project, name: str) -> bool:
    """Whether another file may set an attribute to anything but the number of a process: ``args.gpu = gpu``."""
    return any(not _keeps_number(project, one, name) for one in set_from_outside(project, name) or ())


def may_be_set_elsewhere(project: Project, name: str, option: str) -> bool:
    """Whether another file may set an attribute of this one's options; one that defines the option sets its own."""
    setters, definitions = set_from_outside(project, name), search(project, OPTIONS, option)
    if setters is None or definitions is None:
        return True
    return not {one.path for one in setters} <= {one.path for one in definitions}


class _Given:
    """What one file's calls of ``add_argument`` and the like say, and what it gives to attributes."""

    def __init__(self, tree: ast.Module) -> None:
        self.calls: list[ast.Call] = []
        self.attributes: dict[str, list[ast.expr]] = {}
        for node in nodes_below(tree):
            if isinstance(node, ast.Call) and _defines_option(node):
                self.calls.append(node)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Attribute):
                        self.attributes.setdefault(target.attr, []).append(node.value)


def values_set(module: ProjectModule, name: str) -> list[ast.expr]:
    """What one file gives an attribute of whatever: ``args.name = …``."""
    return module.fact(_Given).attributes.get(name, [])


def option_values(module: ProjectModule, name: str) -> list[ast.expr]:
    """The defaults that one file gives the option ``args.name``, None where it gives none, and what it sets it to."""
    given = module.fact(_Given)
    found = list(given.attributes.get(name, ()))
    for call in given.calls:
        if _is_option(call, name):
            found += [one.value for one in call.keywords if one.arg == "default"] or [ast.Constant(None)]
    return found


def _spellings(name: str) -> tuple[bytes, ...]:
    return tuple(
        {f"-{name}".encode(), f"-{name.replace('_', '-')}".encode(), f'"{name}"'.encode(), f"'{name}'".encode()}
    )


def _options(index: Index, paths: Iterable[str], name: str) -> Iterator[ProjectOption]:
    for path in paths:
        module = index.module(path)
        yield from options_in(module, name) if module is not None else ()


def options_in(module: ProjectModule, name: str) -> Iterator[ProjectOption]:
    """The calls in one file that define the option ``args.name``."""
    for call in module.fact(_Given).calls:
        if _is_option(call, name):
            yield ProjectOption(module.path, ast.unparse(call), _is_under_condition(module.tree, call))


def _is_under_condition(tree: ast.Module, call: ast.Call) -> bool:
    conditions = (
        one for one in nodes_below(tree) if isinstance(one, ast.If) and "__name__" not in ast.unparse(one.test)
    )
    return any(node is call for one in conditions for node in nodes_below(one))


def _defines_option(call: ast.Call) -> bool:
    return dotted_text(call.func).rpartition(".")[2] in OPTION_CALLS


def _is_option(call: ast.Call, name: str) -> bool:
    """Whether a call defines an option that is kept under a name."""
    if not _defines_option(call):
        return False
    destinations = [one.value for one in call.keywords if one.arg == "dest"]
    if destinations:
        return isinstance(destinations[0], ast.Constant) and destinations[0].value == name
    given = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return any(one.partition("/")[0].strip().lstrip("-").replace("-", "_") == name for one in given)


OPTIONS = Search("option", _spellings, _options)
