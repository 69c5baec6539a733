"""Files of a project that fork processes which may use CUDA: nothing may ask for it before them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set

from devlint.analysis.choosers.card_choosers import (
    DIVIDING,
    FORK_WORDS,
    FORKING,
    card_choosers_elsewhere,
    forks,
    handed_to_processes,
)
from devlint.analysis.choosers.reached_steps import (
    KnownUses,
    Step,
    UsedNames,
    is_of_module,
    leads_to,
    methods_called,
    methods_of_any,
    started,
)
from devlint.analysis.project.mentions import Holder, importing_by_name, is_imported
from devlint.analysis.project.module import Definition, Function, ProjectModule
from devlint.analysis.project.processes import may_run_with
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search, search_below
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below

_PLAIN_METHODS = frozenset(
    {*dir(bytes), *dir(dict), *dir(list), *dir(set), *dir(str)} | {"close", "put", "read", "start", "write"}
)
"""Methods of what Python has."""


def is_imported_beside_chooser(project: Project) -> bool:
    """Whether another file imports this one, and another, the same or not, chooses the visible GPUs or forks.

    Who is run first, and by whom, nobody can tell for certain: files import each other by names that they put together.
    """
    if not card_choosers_elsewhere(project) and not forks_elsewhere(project):
        return False
    return is_imported(project) or bool(importing_by_name(project, project.path))


def forks_elsewhere(project: Project) -> bool:
    """Whether another file forks processes that may use CUDA, in a process that this one may run in."""
    return may_run_with(project, [one.path for one in search(project, FORKS, "") or ()])


def forking_paths(project: Project) -> Set[str]:
    """The files of a project, this one as well, that fork processes which may use CUDA."""
    if project.root is None:
        return frozenset()
    found = search_below(project.index, project.counted, project.root, FORKS, "")
    return frozenset(one.path for one in found or ())


def _forking(index: Index, paths: Iterable[str], name: str) -> Iterator[Holder]:
    """The files that start processes which may use CUDA: what these run leads to it, or is not known."""
    paths = list(paths)
    texts = {path: index.disk.read(path) or b"" for path in paths}
    starting = [path for path in paths if any(word in texts[path] for word in FORK_WORDS)]
    modules = [one for one in map(index.module, starting) if one is not None and one.fact(forks)]
    names: Set[str] = _names_with_cuda(index, [path for path in paths if b"cuda" in texts[path]]) if modules else set()
    for module in modules:
        if _divides(module) or any(_may_use_cuda(index, module, one, names) for one in _run_in_processes(module)):
            yield Holder(module.path)


def _divides(module: ProjectModule) -> bool:
    """Whether a file goes on in another process, as daemons do, so that all that it runs may be run there."""
    calls = (one.func for one in nodes_below(module.tree) if isinstance(one, ast.Call))
    return any(module.origin(one) in DIVIDING for one in calls)


def _names_with_cuda(index: Index, paths: Iterable[str]) -> Set[str]:
    """The names of the functions that may use CUDA, and of those that call one by its name."""
    found, calling = set[str](), dict[str, set[str]]()
    for module in filter(None, map(index.module, paths)):
        for one in (node for node in nodes_below(module.tree) if isinstance(node, Function)):
            uses = module.fact(KnownUses).of(one)
            if uses.may_use_cuda:
                found.add(one.name)
            for called in uses.called:
                calling.setdefault(called, set()).add(one.name)
    waiting = [*found]
    while waiting:
        new = calling.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found - _PLAIN_METHODS


def _run_in_processes(module: ProjectModule) -> Iterator[ast.AST]:
    """What a file has other processes run: ``Process(target=decode)``, and ``run`` of a class of processes."""
    for node in nodes_below(module.tree):
        if isinstance(node, ast.Call):
            yield from handed_to_processes(node)
        elif isinstance(node, ast.ClassDef) and any(module.origin(one) in FORKING for one in node.bases):
            yield from (one for one in node.body if isinstance(one, Function) and one.name == "run")


def _may_use_cuda(index: Index, module: ProjectModule, run: ast.AST, names: Set[str]) -> bool:
    def uses_cuda(module: ProjectModule, uses: UsedNames) -> bool:
        if uses.may_use_cuda:
            return True
        unknown = (dotted.partition(".")[0] for dotted, name in uses.methods if name in names)
        return any(not is_of_module(index, module, uses, one) for one in unknown)

    steps = [*_started(index, module, run)]
    if steps:
        return leads_to(index, steps, uses_cuda)
    is_of_library = dotted_text(run).partition(".")[0] in module.bindings
    return not is_of_library and (last_name(run) in names or b"cuda" in (index.disk.read(module.path) or b""))


def _started(index: Index, module: ProjectModule, run: ast.AST) -> Iterator[Step]:
    """What runs in a process that gets an expression to run, or is a function."""
    found = index.resolve(module, dotted_text(run)) if dotted_text(run) else None
    if found is not None:
        yield from started(index, found)
        return
    if isinstance(run, ast.Attribute):
        yield from methods_of_any(index, module, run.attr)
    elif not isinstance(run, ast.Name):
        yield Step(Definition(module, run))
    made = index.resolve(module, dotted_text(run.func)) if isinstance(run, ast.Call) else None
    if made is not None and isinstance(made.node, ast.ClassDef):
        yield from methods_called(index, made, "__call__")
    inner = (one for one in nodes_below(module.tree) if isinstance(one, Function) and one.name == last_name(run))
    yield from (Step(Definition(module, one)) for one in inner)


FORKS = Search("forks", lambda name: (b"cuda", *FORK_WORDS), _forking)
