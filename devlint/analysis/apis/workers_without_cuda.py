"""Processes that are forked for functions which certainly start no CUDA: they need none of the program's."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator

from devlint.analysis.apis.sent_values import SentValues, library_of
from devlint.analysis.choosers.card_choosers import RUNS_IN_POOL, handed_to_processes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.mentions import Holder
from devlint.analysis.project.module import Definition, Function, ProjectModule
from devlint.analysis.project.project import Index
from devlint.analysis.project.searches import Search, search
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below, root_name

_LIBRARIES = frozenset(
    "bisect collections copy heapq itertools json math numpy operator random re scipy sklearn statistics time".split()
)
"""Libraries that start no CUDA."""
_METHODS = frozenset(
    "append argsort astype endswith extend items join keys lower lstrip reverse rsplit rstrip setdefault sort split "
    "startswith strip tolist upper values".split()
)
"""Methods of what Python and NumPy have, which nobody gives another meaning."""
_CALLERS = frozenset({"filter", "map", "reduce", "apply_along_axis", "vectorize"})
_FINDERS = frozenset({"eval", "exec", "getattr", "globals", "locals", "vars", "__import__"})
_BUILTINS = frozenset(dir(builtins)) - _FINDERS - _CALLERS
_POOLS = frozenset({"Pool", "ProcessPoolExecutor"})
_SIZES = frozenset({"processes", "max_workers"})
_OTHERS = frozenset({"fork", "forkpty", "Process"})
_STATEMENTS = (ast.ClassDef, ast.Import, ast.ImportFrom, ast.With, ast.AsyncFunctionDef)
_MOST_FUNCTIONS = 30


@fact
def forks_without_cuda(ctx: FileContext) -> bool:
    """Whether all that a file runs in pools of processes is functions of the project that start no CUDA."""
    module, project = own_module(ctx), project_around(ctx)
    if module is None:
        return False
    nodes = nodes_below(module.tree)
    calls = [one for one in nodes if isinstance(one, ast.Call)]
    pools = [one for one in calls if last_name(one.func) in _POOLS]
    if any(last_name(one.func) in _OTHERS for one in calls) or not all(map(_only_sized, pools)):
        return False
    names = _pool_names(nodes, pools)
    if not names:
        return False
    runs = [one for one in calls if last_name(one.func) in RUNS_IN_POOL and root_name(one.func) in names]
    handed = [one for call in runs for one in handed_to_processes(call)]
    if len(handed) != len(runs) or not all(_starts_no_cuda(project.index, module, one) for one in handed):
        return False
    if not all(_sends_no_cuda(module, one) for one in runs) or any(_objects(project.index, [module.path], "")):
        return False
    return search(project, OBJECTS_ON_DEVICES, "") == []  # asked last: it reads the whole project


def _only_sized(pool: ast.Call) -> bool:
    """Whether the processes of a pool run nothing first: ``Pool(2)``, not ``Pool(2, begin)``."""
    return len(pool.args) <= 1 and {one.arg for one in pool.keywords} <= _SIZES


def _pool_names(nodes: list[ast.AST], pools: list[ast.Call]) -> set[str]:
    """The names of pools if all have one and only methods of them are called: all that they run is seen here."""
    values = {id(one.value): one.targets[0] for one in nodes if isinstance(one, ast.Assign) and len(one.targets) == 1}
    items = (item for one in nodes if isinstance(one, ast.With) for item in one.items)
    values |= {id(one.context_expr): one.optional_vars for one in items if one.optional_vars is not None}
    found = [values.get(id(one)) for one in pools]
    names = {one.id for one in found if isinstance(one, ast.Name)}
    called = {id(one.value) for one in nodes if isinstance(one, ast.Attribute)}
    read = (one for one in nodes if isinstance(one, ast.Name) and one.id in names and isinstance(one.ctx, ast.Load))
    is_seen = all(isinstance(one, ast.Name) for one in found) and all(id(one) in called for one in read)
    return names if is_seen else set()


def _sends_no_cuda(module: ProjectModule, call: ast.Call) -> bool:
    """Whether the arguments that a pool sends to its processes are on the CPU: to take one from a GPU starts CUDA."""
    functions = [one for one in nodes_below(module.tree) if isinstance(one, Function)]
    around = [one for one in functions if any(inner is call for inner in nodes_below(one))]
    sent = [*call.args[1:], *(one.value for one in call.keywords if one.arg not in ("func", "chunksize", "callback"))]
    values = SentValues(module, around[-1] if around else module.tree)
    return len(around) <= 1 and all(map(values.on_cpu, sent))


def _starts_no_cuda(index: Index, module: ProjectModule, function: ast.expr) -> bool:
    """Whether a function, with those that it calls, can be followed, and none uses torch or something unknown."""
    dotted = dotted_text(function)
    first = index.resolve(module, dotted) if dotted else None
    waiting, seen = [first], set[int]()
    while waiting:
        one = waiting.pop()
        if one is None or not isinstance(one.node, ast.FunctionDef) or len(seen) == _MOST_FUNCTIONS:
            return False
        if id(one.node) not in seen:
            seen.add(id(one.node))
            waiting += _used(index, one.module, one.node)
    return True


def _used(index: Index, module: ProjectModule, function: ast.FunctionDef) -> Iterator[Definition | None]:
    """The functions that a function names; None for what may start CUDA."""
    nodes = nodes_below(function)
    own = {one.arg for one in nodes if isinstance(one, ast.arg)}
    own |= {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    if any(isinstance(one, (ast.FunctionDef, *_STATEMENTS)) and one is not function for one in nodes):
        yield None
    for one in nodes:
        if isinstance(one, ast.Name) and one.id not in own:
            yield from _named(index, module, one.id)
        elif isinstance(one, ast.keyword) and one.arg in ("key", "default_factory", "cmp"):
            if isinstance(one.value, ast.Attribute) and one.value.attr != "get":
                yield None
        elif isinstance(one, ast.Call) and not _is_known(module, one.func, own):
            yield index.resolve(module, dotted_text(one.func)) if root_name(one.func) not in own else None


def _is_known(module: ProjectModule, called: ast.expr, own: set[str]) -> bool:
    """Whether a call is of Python or of a library that starts no CUDA, and calls nothing that it is given."""
    name = last_name(called)
    if name in _CALLERS:
        return False
    if root_name(called) not in own and library_of(module, root_name(called)) in _LIBRARIES:
        return True
    if isinstance(called, ast.Attribute):
        return name in _METHODS
    return name in _BUILTINS and name not in own and name not in module.bindings


def _named(index: Index, module: ProjectModule, name: str) -> Iterator[Definition | None]:
    """A function of the project that a name stands for; None for what torch or an unknown library gives."""
    found = index.resolve(module, name)
    if found is not None and isinstance(found.node, (Function, ast.ClassDef)):
        yield found
    elif name in _FINDERS or (found is None and name in module.bindings and library_of(module, name) not in _LIBRARIES):
        yield None


def _objects(index: Index, paths: Iterable[str], name: str) -> Iterator[Holder]:
    """The first two files with a class that may use CUDA where no call is seen: by ``data[i]``, ``len(data)``, ….

    Of two one is another file than the one that asks.
    """
    found = 0
    for path in paths:
        module = index.module(path) if found < 2 else None
        classes = (one for one in ast.walk(module.tree) if isinstance(one, ast.ClassDef)) if module is not None else ()
        if any(_acts_unseen(one) for one in classes):
            found += 1
            yield Holder(path)


def _acts_unseen(definition: ast.ClassDef) -> bool:
    methods = (one for one in definition.body if isinstance(one, Function))
    unseen = any(one.name.startswith("__") and one.name != "__init__" or _is_property(one) for one in methods)
    return unseen and any(word in ast.unparse(definition) for word in ("cuda", "device", ".to("))


def _is_property(method: Function) -> bool:
    return any("property" in ast.unparse(one) for one in method.decorator_list)


OBJECTS_ON_DEVICES = Search("objects on devices", lambda name: (b"cuda", b"device", b".to("), _objects)
