"""Objects that a program saves as they are: what it loads later has the attributes that it had then."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below

_SAVE = "torch.save"
_PICKLERS = frozenset("pickle cPickle _pickle dill cloudpickle joblib".split())
_DUMPS = frozenset({"dump", "dumps"})
_PLAIN = frozenset(one for kind in (dict, list, set, str, tuple) for one in dir(kind))
_OF_ANY_MODULE = frozenset(
    "train eval to cuda cpu forward parameters state_dict load_state_dict zero_grad apply".split()
)
_SAY_NOTHING = _PLAIN | _OF_ANY_MODULE
"""Methods that say nothing of an object, as what holds plain data, or any module, has them, too."""
_OF_LIBRARIES = frozenset("object ABC Generic Module LightningModule Dataset".split())
_SHORTEST = 3
"""How many letters a word has that says of which class something may be."""
_OF_MODULES = frozenset({"train", "eval", "parameters", "named_parameters", "cuda"})


class SavingFile(Record):
    """A file that saves a whole module."""

    path: str


class SavedObject(Record):
    """An object that a file saves."""

    path: str
    name: str
    """The last part of what it is called there, or the class whose instance it is."""
    methods: str
    """What is called on it there, with spaces between."""


def may_save_instances(
    project: Project, module: ProjectModule | None, name: str, bases: Collection[str], methods: Collection[str]
) -> bool:
    """Whether the project pickles instances of a class, as far as names say it: ``pickle.dump(agent.baseline, file)``.

    ``name`` is that of the class, ``bases`` are those of its bases, ``methods`` are what it has. What is called as the
    last part of the class is, or is asked for a method of it, may be such an instance.
    """
    own = list(module.fact(_saved)) if module is not None else []
    found = [*own, *((one.name, one.methods) for one in search(project, SAVED_OBJECTS, "") or ())]
    known = {one for one in methods if not one.startswith("__")} - _SAY_NOTHING
    return any(one in bases or _is_named(one, name) or not known.isdisjoint(called.split()) for one, called in found)


def _is_named(called: str, name: str) -> bool:
    """Whether what something is called stands in the name of a class: ``best_policy`` in ``GaussianPolicy``."""
    words = [one for one in called.lower().split("_") if len(one) >= _SHORTEST]
    return called == name or (bool(words) and words[-1] in name.lower())


def saves_whole_modules(project: Project, module: ProjectModule | None) -> bool:
    """Whether a file, or another of its project, saves modules as they are: ``torch.save(model, path)``."""
    return (module is not None and module.fact(_saves_module)) or bool(search(project, SAVED_MODULES, _SAVE))


def _saving_files(index: Index, paths: Iterable[str], name: str) -> Iterator[SavingFile]:
    for path in paths:
        module = index.module(path)
        if module is not None and module.fact(_saves_module):
            yield SavingFile(path)


def _saving_objects(index: Index, paths: Iterable[str], name: str) -> Iterator[SavedObject]:
    for path in paths:
        module = index.module(path)
        for one, methods in module.fact(_saved) if module is not None else ():
            yield SavedObject(path, one, methods)


def _saved(tree: ast.Module) -> list[tuple[str, str]]:
    """What a file pickles: what it is called or the class that it is of, and the methods that are called on it."""
    calls = [one for one in nodes_below(tree) if isinstance(one, ast.Call) and one.args]
    aliases = {
        alias.asname or alias.name: f"{getattr(one, 'module', '')}.{alias.name}".strip(".")
        for one in nodes_below(tree)
        if isinstance(one, (ast.Import, ast.ImportFrom))
        for alias in one.names
    }
    saved = [part for call in calls if _is_dump(call.func, aliases) for part in _parts(call.args[0])]
    found: dict[str, str] = {}
    for value in filter(None, dict.fromkeys(map(dotted_text, saved))):
        found[value] = " ".join(sorted(_called_on(tree, value)))
    return [
        (name, methods)
        for value, methods in found.items()
        for name in (value.rpartition(".")[2], *_classes_of(tree, value))
        if name != "self"
    ]


def _is_dump(function: ast.expr, aliases: dict[str, str]) -> bool:
    """Whether a function is ``pickle.dump``, or one like it."""
    first, dot, rest = dotted_text(function).partition(".")
    origin, _, name = f"{aliases.get(first, first)}{dot}{rest}".rpartition(".")
    return name in _DUMPS and origin.partition(".")[0] in _PICKLERS or f"{origin}.{name}" == _SAVE


def _called_on(tree: ast.Module, value: str) -> set[str]:
    """The methods that a file calls on what it calls so; those of ``self`` are those of its classes."""
    methods = (one.func for one in nodes_below(tree) if isinstance(one, ast.Call)) if value != "self" else ()
    return {one.attr for one in methods if isinstance(one, ast.Attribute) and dotted_text(one.value) == value}


def _classes_of(tree: ast.Module, value: str) -> Iterator[str]:
    """The classes whose instance something is: ``agent = Agent(…)``, and those that save ``self`` with their bases."""
    for one in nodes_below(tree):
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call):
            made = dotted_text(one.value.func).rpartition(".")[2]
            if made[:1].isupper() and value in map(dotted_text, one.targets):
                yield made
        elif isinstance(one, ast.ClassDef) and value == "self" and _dumps_itself(one):
            names = (one.name, *(dotted_text(base).rpartition(".")[2] for base in one.bases))
            yield from (name for name in names if name not in _OF_LIBRARIES)


def _dumps_itself(definition: ast.ClassDef) -> bool:
    """Whether a class saves its instance."""
    calls = (one for one in nodes_below(definition) if isinstance(one, ast.Call) and one.args)
    names = _DUMPS | {"save"}
    return any(last_name(one.func) in names and dotted_text(one.args[0]) == "self" for one in calls)


def _saves_module(tree: ast.Module) -> bool:
    """Whether a file saves what it uses as a module elsewhere, also within a dictionary."""
    nodes = nodes_below(tree)
    calls = [one for one in nodes if isinstance(one, ast.Call)]
    methods = (one.func for one in calls if isinstance(one.func, ast.Attribute) and one.func.attr in _OF_MODULES)
    modules = {dotted_text(one.value) for one in methods} - {""}
    saved = [one.args[0] for one in calls if one.args and dotted_text(one.func) == _SAVE]
    named = {one.id for one in saved if isinstance(one, ast.Name)}
    assigns = [one for one in nodes if isinstance(one, ast.Assign)] if named else []
    saved += [one.value for one in assigns if not named.isdisjoint(map(dotted_text, one.targets))]
    return any(dotted_text(part) in modules for one in saved for part in _parts(one))


def _parts(value: ast.expr) -> Iterator[ast.expr]:
    """What is saved with a value: itself, the values of a dictionary, both branches, the module of a wrapper."""
    inner: list[ast.expr] = []
    if isinstance(value, ast.Dict):
        inner = value.values
    elif isinstance(value, ast.IfExp):
        inner = [value.body, value.orelse]
    elif isinstance(value, ast.Attribute) and value.attr == "module":
        inner = [value.value]
    yield value
    for one in inner:
        yield from _parts(one)


def _words_of_picklers(name: str) -> tuple[bytes, ...]:
    return (b"pickle", b"dill", b"joblib", b"torch.save")


SAVED_OBJECTS = Search("saved objects", _words_of_picklers, _saving_objects)
SAVED_MODULES = Search("saved modules", lambda name: (name.encode(),), _saving_files)
