"""Other files that fork, or choose the visible GPUs: ``def set_gpu(x): os.environ["CUDA_VISIBLE_DEVICES"] = x``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devlint.analysis.project.mentions import Holder
from devlint.analysis.project.module import Function, statements_of_scope
from devlint.analysis.project.processes import may_run_with
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.root import is_installable
from devlint.analysis.project.searches import Search, search
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below, text_of

VISIBLE_DEVICES = "_VISIBLE_DEVICE"
CHOICE = regex(rb"_VISIBLE_DEVICE|cuda\.is_available\s*=(?!=)|environ\[\s*[A-Za-z_]|environ\.update\(|load_dotenv\(")
FORK_WORDS = (b"multiprocess", b"os.fork", b"import fork", b"ProcessPool", b"joblib", b"DaemonContext", b"Daemonize")
DIVIDING = frozenset({"daemon.DaemonContext", "daemonize.Daemonize", "os.fork"})
"""What goes on in another process with all that is below it."""
FORKING = DIVIDING | {
    "concurrent.futures.ProcessPoolExecutor",
    "multiprocess.Pool",
    "multiprocess.Process",
    "multiprocess.pool.Pool",
    "multiprocessing.Pool",
    "multiprocessing.Process",
    "multiprocessing.pool.Pool",
    "pathos.multiprocessing.Pool",
    "pathos.multiprocessing.ProcessPool",
    "pathos.multiprocessing.ProcessingPool",
    "pathos.pools.ProcessPool",
    "torch.multiprocessing.Pool",
    "torch.multiprocessing.Process",
}
"""What starts processes."""
PARALLEL = "joblib.Parallel"
"""What starts processes that are no forks, if it is not told ``backend="multiprocessing"``."""
FORKING_BACKEND = "multiprocessing"
RUNS_IN_POOL = frozenset("apply apply_async imap imap_unordered map map_async starmap starmap_async submit".split())
_MOST_FUNCTIONS = 40
"""How many functions are looked into for one call."""
_MOST_CALLS = 2
"""Through how many functions a call leads to another."""
_OWN = "self."
_SETTERS = frozenset({"setdefault", "update", "putenv"})


class CardChooser(Record):
    """One such function, by the name that it is called by; a class where that is its ``__init__``.

    A file that sets them when it is imported has no name.
    """

    path: str
    name: str


def card_choosers_elsewhere(project: Project) -> list[CardChooser]:
    """The functions of other files that may run with this one and choose the visible GPUs, as far as anybody knows."""
    found = search(project, CARD_CHOOSERS, VISIBLE_DEVICES) or []
    return [one for one in found if may_run_with(project, [one.path])]


def may_ask_at_import(project: Project) -> bool:
    """Whether a module may ask for CUDA when it is imported: it is part of programs, of which no file minds.

    Whoever installs a package may choose the visible GPUs, or fork, after importing it; so may other files.
    """
    if project.root is None or is_installable(project.index.disk, project.root):
        return False
    found = search(project, LATE_CHOICES, VISIBLE_DEVICES)
    return found is not None and not may_run_with(project, [one.path for one in found])


def _holders(index: Index, paths: Iterable[str], name: str) -> Iterator[Holder]:
    yield from map(Holder, paths)  # each holds one of the words


def _card_choosers(index: Index, paths: Iterable[str], name: str) -> Iterator[CardChooser]:
    for path, module in index.matching(paths, CHOICE):
        lines = statements_of_scope(module.tree.body)
        if any(writes_variable(node, name) for line in lines for node in (line, getattr(line, "value", None))):
            yield CardChooser(path, "")
        for node in nodes_below(module.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _chooses(node, name):
                yield CardChooser(path, node.name)
            elif isinstance(node, ast.ClassDef):
                inits = (one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__")
                yield from (CardChooser(path, node.name) for one in inits if _chooses(one, name))
                yield from (CardChooser(path, one) for one in _called_instances(module.tree, node, name))


def _called_instances(tree: ast.Module, definition: ast.ClassDef, variable: str) -> Iterator[str]:
    """The names of a module's instances of a class that choose the GPUs when they are called: ``setup = Setup()``."""
    methods = (one for one in definition.body if isinstance(one, ast.FunctionDef) and one.name == "__call__")
    if not any(_chooses(one, variable) for one in methods):
        return
    for line in tree.body:
        made = line.value if isinstance(line, ast.Assign) else None
        if isinstance(line, ast.Assign) and isinstance(made, ast.Call) and dotted_text(made.func) == definition.name:
            yield from (one.id for one in line.targets if isinstance(one, ast.Name))


def _chooses(function: Function, variable: str) -> bool:
    return any(writes_variable(node, variable) for node in nodes_below(function))


def writes_variable(node: ast.AST | None, variable: str) -> bool:
    """Whether a node puts a variable, or one whose name nobody knows, into the environment; or answers for torch."""
    if isinstance(node, ast.Assign):
        if any(dotted_text(one).endswith("cuda.is_available") or _is_any_variable(one) for one in node.targets):
            return True
        keys = [one.slice for one in node.targets if isinstance(one, ast.Subscript)]
        return any(variable in (text_of(one) or "") for one in keys)
    if isinstance(node, ast.Call) and _sets_any(node):
        return True
    is_setter = isinstance(node, ast.Call) and last_name(node.func) in _SETTERS
    if node is None or not (is_setter or isinstance(node, ast.AugAssign)):
        return False
    text = ast.unparse(node)
    return variable in text and ("environ" in text or "putenv" in text)


def _sets_any(call: ast.Call) -> bool:
    """Whether a call is ``os.environ.update(settings)``, or ``load_dotenv()``, which reads them from a file."""
    called = dotted_text(call.func)
    given = (one for one in call.args if not isinstance(one, ast.Dict))
    is_open = any(True for _ in given) or any(one.arg is None for one in call.keywords)
    return last_name(call.func) == "load_dotenv" or (called.endswith("environ.update") and is_open)


def _is_any_variable(target: ast.expr) -> bool:
    """Whether a target is ``os.environ[name]``."""
    if not isinstance(target, ast.Subscript) or dotted_text(target.value).rpartition(".")[2] != "environ":
        return False
    return isinstance(target.slice, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))


def handed_to_processes(call: ast.Call) -> Iterator[ast.expr]:
    """What a call may have other processes run: ``Process(target=decode)``, ``pool.map(decode, files)``."""
    yield from (one.value for one in call.keywords if one.arg in ("target", "func", "initializer"))
    if (last_name(call.func) in RUNS_IN_POOL or last_name(call.func) == "delayed") and call.args:
        yield call.args[0]


def forks(tree: ast.Module) -> bool:
    """Whether a file of the project starts processes and names no other way than to fork."""
    nodes = list(ast.walk(tree))
    names: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            names.update({one.asname: one.name for one in node.names if one.asname})
        elif isinstance(node, ast.ImportFrom):
            names.update({one.asname or one.name: f"{node.module}.{one.name}" for one in node.names})
    called = [dotted_text(one.func).partition(".") for one in nodes if isinstance(one, ast.Call)]
    called += [
        dotted_text(one).partition(".") for node in nodes if isinstance(node, ast.ClassDef) for one in node.bases
    ]
    full = {f"{names.get(head, head)}{dot}{rest}" for head, dot, rest in called}
    words = {one.attr for one in nodes if isinstance(one, ast.Attribute)}
    words |= {one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)}
    is_forking = not full.isdisjoint(FORKING) or (PARALLEL in full and FORKING_BACKEND in words)
    return is_forking and words.isdisjoint(("spawn", "forkserver"))


LATE_CHOICES = Search("late choices", lambda name: (name.encode(), *FORK_WORDS), _holders)
CARD_CHOOSERS = Search(
    "card choosers",
    lambda name: (name.encode(), b"is_available", b"environ[", b"environ.update(", b"load_dotenv("),
    _card_choosers,
)
