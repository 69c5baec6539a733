"""Files of a project that hold a name, whatever it means there, that import a module, or that replace a function."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Set

from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import LIBRARIES, Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import (
    begin_of_text,
    dotted_text,
    last_name,
    names_of_import,
    nodes_below,
)
from devlint.torch_api.libraries import TELLING

_GIVEN_TO_SCRIPT = regex(rb"(?:jit\.script|script_if_tracing)\(([^\n]*)")
_IMPORT_MODULE = regex(rb"\bimport_module\(")
_WORD = regex(rb"[A-Za-z_]\w*")


class Holder(Record):
    """A file that holds a name."""

    path: str


class ImportedByName(Record):
    """A file that imports modules of a folder by names that it puts together: ``import_module("models." + name)``."""

    path: str
    folder: str


class Scripted(Record):
    """A word of what a file gives to ``torch.jit.script``."""

    path: str
    name: str


def is_unknown_elsewhere(project: Project, name: str) -> bool:
    """Whether no other file of the project has a word ``name``; not where nobody knows."""
    return search(project, MENTIONS, name) == []


def is_unused_elsewhere(project: Project, name: str) -> bool:
    """Whether no other file of the project does more with a word than to define a function of this name."""
    return search(project, USES, name) == []


def owners_elsewhere(project: Project, word: str, attribute: str) -> Set[str] | None:
    """The last names of what other files that hold a word read an attribute of; None where nobody knows.

    Without what they only tell people: ``print(x.device)``.
    """
    held = search(project, MENTIONS, word)
    read = re.compile(rb"\b([A-Za-z_]\w*)\.%s\b" % re.escape(attribute.encode()))
    found: set[str] = set()
    for one in held or ():
        module = project.index.module(one.path)
        if module is not None:
            found |= module.fact(_owners).get(attribute, set())
        else:
            found |= {two.decode() for two in read.findall(project.index.disk.read(one.path) or b"")}
    return None if held is None else found


def _owners(tree: ast.Module) -> dict[str, set[str]]:
    """The last names of what a file reads attributes of, by the attributes, without what is told."""
    told: set[int] = set()
    waiting: list[ast.AST] = []
    for call in (one for one in nodes_below(tree) if isinstance(one, ast.Call) and last_name(one.func) in TELLING):
        waiting += [*call.args, *call.keywords]
    while waiting:
        one = waiting.pop()
        told.add(id(one))
        waiting += () if isinstance(one, ast.Call) else ast.iter_child_nodes(one)
    found: dict[str, set[str]] = {}
    for node in nodes_below(tree):
        if isinstance(node, ast.Attribute) and id(node) not in told and last_name(node.value):
            found.setdefault(node.attr, set()).add(last_name(node.value))
    return found


def is_imported(project: Project) -> bool:
    """Whether another file of the project may import this one; not where nobody knows."""
    return bool(search(project, IMPORTERS, project.path))


def possible_importers(project: Project) -> list[Holder] | None:
    """The files with the word by which this one is imported; None where nobody knows, or one puts it together."""
    if importing_by_name(project, project.path):
        return None
    return search(project, MENTIONS, module_name(project.path).decode("utf-8", "surrogatepass"))


def importing_by_name(project: Project, path: str) -> list[str]:
    """The files that import modules of the folder that a file is in by names that they put together."""
    folder = containing_folder(path)
    return [one.path for one in search(project, BY_NAME, "") or () if one.folder == folder]


def may_hide_another(project: Project, name: str) -> bool:
    """Whether a new name of this file hides another one where a file takes all its names: ``from tools import *``."""
    for importer in search(project, IMPORTERS, project.path) or ():
        module = project.index.module(importer.path)
        starred = {one.module for one in module.bindings.get("*", ())} if module is not None else set()
        if module is None or project.path not in {project.index.path(module.path, one) for one in starred if one}:
            continue
        is_said = name.encode() in (project.index.disk.read(importer.path) or b"")
        if name in module.bindings or (len(starred) > 1 and is_said):
            return True
    return False


def is_replaced_elsewhere(project: Project, name: str) -> bool:
    """Whether another file, a test, replaces ``torch.cuda.<name>``: ``patch("torch.cuda.synchronize")``."""
    return bool(search(project, REPLACED_CALLS, name))


def is_taken_elsewhere(project: Project, name: str) -> bool:
    """Whether another file takes a name from this one: by an import, ``import *`` in several steps, or ``a.name``."""
    return _is_taken_from(project, project.path, name, set())


def _is_taken_from(project: Project, path: str, name: str, seen: set[str]) -> bool:
    seen.add(path)
    for importer in search(project, IMPORTERS, path) or ():
        module = project.index.module(importer.path) if importer.path not in seen else None
        if module is None:
            continue
        sources = [
            {project.index.path(importer.path, one.module) for one in module.bindings.get(what, ()) if one.module}
            for what in (name, "*")
        ]
        named, starred = (path in one for one in sources)
        text = project.index.disk.read(importer.path) or b""
        reads = starred and name not in module.bindings and name.encode() in text
        if named or reads or (starred and _is_taken_from(project, importer.path, name, seen)):
            return True
        owners = _read_of(module, name) if b"." + name.encode() in text else ()
        if any(_is_module_at(project, module, one, path) for one in owners):
            return True
    return False


def _read_of(module: ProjectModule, name: str) -> list[str]:
    """What a file reads an attribute of this name of, as it is written."""
    nodes = (one for one in nodes_below(module.tree) if isinstance(one, ast.Attribute) and one.attr == name)
    return [dotted_text(one.value) for one in nodes if dotted_text(one.value)]


def _is_module_at(project: Project, module: ProjectModule, dotted: str, path: str) -> bool:
    found = project.index.resolve(module, dotted)
    return found is not None and isinstance(found.node, ast.Module) and found.module.path == path


def _holders(index: Index, paths: Iterable[str], name: str, before: bytes = b"") -> Iterator[Holder]:
    """The files that hold a word; ``before`` is a pattern of what must stand before it."""
    return files_holding(re.compile(before + rb"\b%s\b" % re.escape(name.encode())), index, paths)


def files_holding(pattern: re.Pattern[bytes], index: Index, paths: Iterable[str]) -> Iterator[Holder]:
    """The files in which a pattern is found."""
    yield from (Holder(path) for path in paths if pattern.search(index.disk.read(path) or b""))


def _users(index: Index, paths: Iterable[str], name: str) -> Iterator[Holder]:
    return _holders(index, paths, name, rb"(?<!\bdef )")


def module_name(path: str) -> bytes:
    """The last word by which a module is imported; that of its folder for a package."""
    parts = path.replace("\\", "/").removesuffix("/__init__.py").rpartition("/")
    return parts[2].removesuffix(".py").encode("utf-8", "surrogatepass")


def _importers(index: Index, paths: Iterable[str], path: str) -> Iterator[Holder]:
    stem = re.escape(module_name(path))
    pattern = re.compile(rb"\b(?:from|import)\b(?:[^#\n(]*\([^)]*|[^#\n]*)\b%s\b" % stem)
    for importer in paths:
        names = names_in_imports(index, importer) if pattern.search(index.disk.read(importer) or b"") else ()
        if any(runs_module(index, importer, name, path) for name in names):
            yield Holder(importer)


def names_in_imports(index: Index, path: str) -> Set[str]:
    """The full names that a file may mean modules by, in imports at its top or in functions."""
    found: Set[str] = index.disk.kept(("names in imports", path), lambda: _names_in_imports(index.module(path)))
    return found


def _names_in_imports(module: ProjectModule | None) -> Set[str]:
    nodes = nodes_below(module.tree) if module is not None else ()
    imports = (one for one in nodes if isinstance(one, (ast.Import, ast.ImportFrom)))
    return {name for one in imports for name in names_of_import(one)}


def runs_module(index: Index, importer: str, name: str, path: str) -> bool:
    """Whether a file that imports a name runs a module: that one, or a package that it is in.

    What is found nowhere may be in any folder: a program may add that to its search path, by whatever name.
    """
    last = name.rpartition(".")[2].encode("utf-8", "surrogatepass")
    if last != module_name(path) and not path.endswith("__init__.py"):
        return False  # another module, wherever that is
    while name.strip("."):
        found = index.path(importer, name)
        if found == path or (found is None and may_be_name_of(path, name)):
            return True
        name = name.rpartition(".")[0] if path.endswith("__init__.py") else ""
    return False


def may_be_name_of(path: str, name: str) -> bool:
    """Whether a full name is that of a module in some folder of those that it is in: ``a.b`` of ``/x/a/b.py``."""
    if name.startswith(".") or name.partition(".")[0] in LIBRARIES:
        return False
    ends = (f"/{name.replace('.', '/')}{one}" for one in (".py", "/__init__.py"))
    return path.replace("\\", "/").endswith(tuple(ends))


def _importing_by_name(index: Index, paths: Iterable[str], name: str) -> Iterator[ImportedByName]:
    for importer, module in index.matching(paths, _IMPORT_MODULE):
        calls = (one for one in nodes_below(module.tree) if isinstance(one, ast.Call) and one.args)
        for call in (one for one in calls if last_name(one.func) == "import_module"):
            package = begin_of_text(call.args[0]).rpartition(".")[0]
            is_own = package.rpartition(".")[2] in ("", containing_folder(importer).rpartition("/")[2])
            found = importer if is_own else index.path(importer, package)
            if found is not None and isinstance(call.args[0], (ast.BinOp, ast.JoinedStr)):
                yield ImportedByName(importer, containing_folder(found))


def containing_folder(path: str) -> str:
    """The folder that a file is in."""
    return path.replace("\\", "/").rpartition("/")[0]


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


def _scripted(index: Index, paths: Iterable[str], name: str) -> Iterator[Scripted]:
    for path in paths:
        given = b" ".join(_GIVEN_TO_SCRIPT.findall(index.disk.read(path) or b""))
        yield from (Scripted(path, one.decode()) for one in sorted(set(_WORD.findall(given))))


MENTIONS = Search("mentions", lambda name: (name.encode(),), _holders)
USES = Search("uses", lambda name: (name.encode(),), _users)
IMPORTERS = Search("importers", lambda path: (module_name(path),), _importers)
REPLACED_CALLS = Search("replaced calls", lambda name: (name.encode(),), _replacing)
BY_NAME = Search("imported by name", lambda name: (b"import_module(",), _importing_by_name)
SCRIPTED = Search("scripted", lambda name: (b"jit.script(", b"script_if_tracing("), _scripted)
