"""Processes that a program forks, which cannot use CUDA once it has asked for it, and those that it sends its code."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.apis.asked_at_import import asks_at_import, certainly_moves
from devlint.analysis.apis.call_places import init_around
from devlint.analysis.apis.workers_without_cuda import forks_without_cuda
from devlint.analysis.choosers.card_choosers import FORKING, FORKING_BACKEND, PARALLEL, forks
from devlint.analysis.choosers.forking_files import forking_paths, forks_elsewhere
from devlint.analysis.names.bindings import dotted_name, module_of
from devlint.analysis.names.classes import bases, classes_named, methods
from devlint.analysis.names.resolution import making_call, origin, uses_of
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.classes import imported_family
from devlint.analysis.project.mentions import IMPORTERS
from devlint.analysis.project.searches import search
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact

_WORDS = ("Process", "Pool", "fork", "num_workers", "Daemon", "Parallel")
_BEGINS = ".start()"
_CONTEXTS = frozenset({"multiprocessing.get_context", "torch.multiprocessing.get_context"})
_MADE_BY_CONTEXT = frozenset({"Pool", "Process"})
_FOR_WORKERS = frozenset({"collate_fn", "worker_init_fn"})
_SENDING = frozenset("cloudpickle dask dill distributed modal multiprocess pathos pyspark ray submitit".split())
"""Libraries that send a script's functions and classes, with the variables that they use, to other processes."""
_ASKS = "torch.cuda.is_available"
_OTHER_WAYS = regex(r"\b(?:spawn|forkserver)\b")


def forks_processes(ctx: FileContext) -> bool:
    """Whether a file starts ``Process(target=…)`` or a ``Pool``, and names no other way to start than to fork.

    Until Python 3.14 Linux forks, and a question for CUDA in the program keeps CUDA from the processes it forks. A
    function of another file may fork them for code of this one that uses CUDA.
    """
    return bool(forking_calls(ctx))


@fact
def forking_calls(ctx: FileContext) -> list[cst.Call]:
    """The calls of a file that fork processes, itself or by a function of another file."""
    text, calls = ctx.source.text, ctx.tree.of_type(cst.Call)
    forks_itself = any(word in text for word in _WORDS) and _OTHER_WAYS.search(text) is None
    started = [one for one in calls if _starts_processes(ctx, one)] if forks_itself else []
    if started and forks_without_cuda(ctx):
        started = [one for one in started if _loads_with_cuda(ctx, one)]
    if _BEGINS in text and _OTHER_WAYS.search(text) is None:
        started += [one for one in calls if _makes_process(ctx, one)]
    return started + [one for one in calls if _is_forked_for(ctx, one)]


def forks_below(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether the function around ``at`` forks processes below it, and has not asked torch for CUDA above."""
    function = scopes(ctx).function_of(at)
    if function is None or not forks_processes(ctx):
        return False
    start = ctx.span(at).start
    calls = [one for one in ctx.tree.below(function) if isinstance(one, cst.Call)]
    above = (one for one in calls if ctx.span(one).start < start)
    if any(origin(ctx, one.func) == _ASKS for one in above):
        return False
    return any(_starts_processes(ctx, one) for one in calls if ctx.span(one).start > start)


def is_made_before_fork(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether a place is in the ``__init__`` of a class whose instances the program may make before it forks for CUDA.

    What a forked process gets is made by the program; an ``__init__`` that starts CUDA may ask for it as well.
    """
    init = init_around(ctx, at)
    if init is None or certainly_moves(ctx, init) or asks_at_import(ctx):
        return False
    return forks_processes(ctx) or forks_elsewhere(project_around(ctx))


@fact
def sends_its_code(ctx: FileContext) -> bool:
    """Whether a script may run its functions in processes that see other GPUs: it imports ``ray``, ``submitit``.

    What a variable of the script was when they were sent, it is there: who asks for CUDA must do so in a function.
    """
    if not any(word in ctx.source.text for word in _SENDING) and "Parallel" not in ctx.source.text:
        return False
    called = (origin(ctx, one.func) for one in ctx.tree.of_type(cst.Call))
    roots = {module_of(one).partition(".")[0] for one in ctx.tree.of_type(cst.ImportFrom)}
    for one in ctx.tree.of_type(cst.Import):
        roots |= {(dotted_name(name.name) or "").partition(".")[0] for name in one.names}
    return not roots.isdisjoint(_SENDING) or PARALLEL in called


@fact
def is_sent_by_importers(ctx: FileContext) -> bool:
    """Whether a file that imports this one sends code to other processes, perhaps with the options of this one."""
    project = project_around(ctx)
    importers = (project.index.module(one.path) for one in search(project, IMPORTERS, project.path) or ())
    bound = (one for module in importers if module is not None for found in module.bindings.values() for one in found)
    return any(one.alias is not None and one.origin.partition(".")[0] in _SENDING for one in bound)


def _starts_processes(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call forks: ``Process(target=…)``, also of a context; or workers of a loader, for code with CUDA."""
    called = origin(ctx, call.func)
    if called in FORKING or (
        called == PARALLEL and any(string_value(one.value) == FORKING_BACKEND for one in call.args)
    ):
        return True
    if isinstance(call.func, cst.Attribute) and call.func.attr.value in _MADE_BY_CONTEXT:
        made = making_call(ctx, call.func.value)
        return made is not None and origin(ctx, made.func) in _CONTEXTS
    return _loads_with_cuda(ctx, call)


def _makes_process(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call makes an instance of a class of processes, of this or another file, that may use CUDA."""
    project = project_around(ctx)
    own = classes_named(ctx, [dotted_name(call.func) or ""])
    names = {name for one in own for name in bases(ctx, one)}
    if own and not names.isdisjoint(FORKING):
        return project.root is None or project.path in forking_paths(project)
    paths = forking_paths(project)
    if not paths:
        return False
    imported = origin(ctx, call.func)
    families = (imported_family(project, one) for one in (names if own else {imported or ""}) if one)
    return any(
        not paths.isdisjoint(two.module.path for two in one.classes) and not FORKING.isdisjoint(one.others)
        for one in families
        if one is not None
    )


def _loads_with_cuda(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call makes a loader with workers, which fork, for code with CUDA."""
    given = {one.keyword.value: one.value for one in call.args if one.keyword is not None}
    count = given.get("num_workers")
    if count is None or (isinstance(count, cst.Integer) and count.evaluated_value == 0):
        return False
    if any(_uses_cuda(ctx, given[name]) for name in _FOR_WORKERS & given.keys()):
        return True
    first = next((one.value for one in call.args if one.keyword is None and not one.star), None)
    dataset = given.get("dataset", first)
    return dataset is not None and _reads_with_cuda(ctx, dataset)


def _reads_with_cuda(ctx: FileContext, dataset: cst.BaseExpression) -> bool:
    """Whether a dataset is of a class, of this or another file, whose methods but for ``__init__`` name CUDA."""
    made = making_call(ctx, dataset)
    own = classes_named(ctx, [dotted_name(made.func) or ""]) if made is not None else []
    if own:
        named = [one for definition in own for one in methods(definition) if one.name.value != "__init__"]
        return any("cuda" in ctx.text_of(one) for one in named)
    imported = origin(ctx, made.func) if made is not None else None
    found = project_around(ctx).imported(imported) if imported is not None else None
    if found is None or not isinstance(found.node, ast.ClassDef):
        return False
    read = [one for one in found.node.body if isinstance(one, ast.FunctionDef) and one.name != "__init__"]
    return any(_names_cuda(node) for one in read for node in ast.walk(one))


def _names_cuda(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value.startswith("cuda")
    return isinstance(node, ast.Attribute) and node.attr == "cuda"


def _is_forked_for(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a function of another file, which forks, gets code of this one that uses CUDA."""
    if not any(_uses_cuda(ctx, one.value) for one in call.args):
        return False
    imported = origin(ctx, call.func)
    called = project_around(ctx).imported(imported) if imported is not None else None
    return called is not None and called.module.fact(forks)


def _uses_cuda(ctx: FileContext, given: cst.BaseExpression) -> bool:
    """Whether an argument is a lambda, or names a function or method of this file, that names CUDA."""
    if isinstance(given, cst.Lambda):
        return "cuda" in ctx.text_of(given)
    return (dotted_name(given) or "").removeprefix("self.") in ctx.fact(_functions_with_cuda)


def _functions_with_cuda(ctx: FileContext) -> frozenset[str]:
    """The names of the functions and methods of a file that name CUDA."""
    functions = ctx.tree.of_type(cst.FunctionDef)
    return frozenset(one.name.value for one in functions if "cuda" in ctx.text_of(one))


def runs_in_fork(ctx: FileContext, function: cst.FunctionDef, around: Scope) -> bool:
    """Whether a file that forks hands a function to another call, as ``Process(target=decode)`` and ``map`` get it."""
    if not forks_processes(ctx):
        return False
    return any(isinstance(ctx.tree.parent(one), cst.Arg) for one in uses_of(ctx, around, function.name.value))


def is_handed_to_fork(ctx: FileContext, function: cst.Lambda) -> bool:
    """Whether a file that forks hands a lambda, alone or in what it returns, to another call."""
    return forks_processes(ctx) and any(isinstance(one, cst.Arg) for one in ctx.tree.ancestors(function))
