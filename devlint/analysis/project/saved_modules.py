"""Objects that a program saves as they are: what it loads later has the attributes that it had then."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from devlint.analysis.project.calls import CALLS, calls_in
from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below
from devlint.syntax.python_tree.saved_values import (
    SavingFunction,
    full_names_of_imports,
    pickled,
    saved_names,
    saving_functions,
    torch_saved,
)

_SAVE = "torch.save"
_SAVES = frozenset({"dump", "dumps", "save"})
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


class Saver(Record):
    """A function of a file that saves what it is given."""

    path: str
    function: SavingFunction


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
    found += [known for tree, text in _given_to_savers(project, module, "") for known in _described(tree, text)]
    known = {one for one in methods if not one.startswith("__")} - _SAY_NOTHING
    return any(one in bases or _is_named(one, name) or not known.isdisjoint(called.split()) for one, called in found)


def _is_named(called: str, name: str) -> bool:
    """Whether what something is called stands in the name of a class: ``best_policy`` in ``GaussianPolicy``."""
    words = [one for one in called.lower().split("_") if len(one) >= _SHORTEST]
    return called == name or (bool(words) and words[-1] in name.lower())


def saves_whole_modules(project: Project, module: ProjectModule | None) -> bool:
    """Whether a file, or another of its project, saves modules as they are: ``torch.save(model, path)``.

    It may do so in a function that is given one: ``save_checkpoint(model, path)``.
    """
    if module is not None and module.fact(_saves_module) or search(project, SAVED_MODULES, _SAVE):
        return True
    return any(text in one.fact(_modules) for one, text in _given_to_savers(project, module, _SAVE))


def _given_to_savers(project: Project, own: ProjectModule | None, way: str) -> Iterator[tuple[ProjectModule, str]]:
    """What functions that save a parameter are given, in which file: with ``torch.save`` alone, or in any way."""
    savers = own.fact(_SAVERS_BY[way]) if own is not None else []
    for one in dict.fromkeys((*savers, *(each.function for each in search(project, SAVERS, way) or ()))):
        sites = [*(calls_in(own, one.name) if own is not None else ()), *(search(project, CALLS, one.name) or ())]
        for site in sites:
            is_own = own is not None and site.path == own.path
            module, text = (
                own if is_own else project.index.module(site.path),
                site.argument(one.parameter, one.position),
            )
            if module is not None and text:
                yield module, text


def _saving_files(index: Index, paths: Iterable[str], name: str) -> Iterator[SavingFile]:
    for path in paths:
        module = index.module(path)
        if module is not None and module.fact(_saves_module):
            yield SavingFile(path)


def _saving_functions(index: Index, paths: Iterable[str], way: str) -> Iterator[Saver]:
    for path in paths:
        module = index.module(path)
        yield from (Saver(path, one) for one in module.fact(_SAVERS_BY[way])) if module is not None else ()


def _saving_objects(index: Index, paths: Iterable[str], name: str) -> Iterator[SavedObject]:
    for path in paths:
        module = index.module(path)
        for one, methods in module.fact(_saved) if module is not None else ():
            yield SavedObject(path, one, methods)


def _saved(tree: ast.Module) -> list[tuple[str, str]]:
    """What a file pickles: what it is called or the class that it is of, and the methods that are called on it."""
    names = saved_names(tree, full_names_of_imports(tree), pickled)
    called, classes = (_called_by_owner(tree), _classes_by_name(tree)) if names else ({}, {})
    return [known for text in names for known in _kinds(text, called, classes)]


def _described(module: ProjectModule, text: str) -> list[tuple[str, str]]:
    return _kinds(text, module.fact(_called_by_owner), module.fact(_classes_by_name)) if text != "self" else []


def _kinds(text: str, called: dict[str, set[str]], classes: dict[str, list[str]]) -> list[tuple[str, str]]:
    """What an object may be called, or the class that it is of, and the methods that a file calls on it."""
    methods = " ".join(sorted(called.get(text, ()))) if text != "self" else ""
    names = (text.rpartition(".")[2], *classes.get(text, ()))
    return [(one, methods) for one in names if one != "self"]


def _called_by_owner(tree: ast.Module) -> dict[str, set[str]]:
    """The methods that a file calls on what it calls so."""
    found: dict[str, set[str]] = {}
    for one in nodes_below(tree):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute):
            found.setdefault(dotted_text(one.func.value), set()).add(one.func.attr)
    return found


def _classes_by_name(tree: ast.Module) -> dict[str, list[str]]:
    """The classes whose instance something is: ``agent = Agent(…)``, and those that save ``self`` with their bases."""
    found: dict[str, list[str]] = {}
    for one in nodes_below(tree):
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call):
            made = dotted_text(one.value.func).rpartition(".")[2]
            for target in one.targets if made[:1].isupper() else ():
                found.setdefault(dotted_text(target), []).append(made)
        elif isinstance(one, ast.ClassDef) and _dumps_itself(one):
            names = (one.name, *(dotted_text(base).rpartition(".")[2] for base in one.bases))
            found.setdefault("self", []).extend(name for name in names if name not in _OF_LIBRARIES)
    return found


def _dumps_itself(definition: ast.ClassDef) -> bool:
    """Whether a class saves its instance."""
    calls = (one for one in nodes_below(definition) if isinstance(one, ast.Call) and one.args)
    return any(last_name(one.func) in _SAVES and dotted_text(one.args[0]) == "self" for one in calls)


def _saves_module(tree: ast.Module) -> bool:
    """Whether a file saves what it uses as a module elsewhere, also within a dictionary."""
    return not _modules(tree).isdisjoint(saved_names(tree, full_names_of_imports(tree), torch_saved))


def _modules(tree: ast.Module) -> frozenset[str]:
    """What a file uses as a module, by what is called on it."""
    return frozenset(name for name, called in _called_by_owner(tree).items() if name and called & _OF_MODULES)


def _torch_savers(tree: ast.Module) -> list[SavingFunction]:
    return saving_functions(tree, torch_saved)


def _all_savers(tree: ast.Module) -> list[SavingFunction]:
    return saving_functions(tree, pickled)


_SAVERS_BY = {_SAVE: _torch_savers, "": _all_savers}


def _words(way: str) -> tuple[bytes, ...]:
    return (_SAVE.encode(),) if way else (b"pickle", b"dill", b"joblib", b"torch.save")


SAVED_OBJECTS = Search("saved objects", _words, _saving_objects)
SAVED_MODULES = Search("saved modules", _words, _saving_files)
SAVERS = Search("saving functions", _words, _saving_functions)
