"""In the child: imports the project from its copy, wherever the original is on the path or installed."""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname


def import_from_copy(program: dict[str, Any]) -> list[str]:
    """Replace the original project by its copy in ``sys.path``, ``PYTHONPATH`` and finders; return the new entries."""
    original, copy = program["original_project"], program["project"]
    if original is None:
        return []

    def moved(path: str) -> str:
        absolute = os.path.abspath(path) if path else path
        inside = absolute == original or absolute.startswith(original.rstrip(os.sep) + os.sep)
        return os.path.normpath(os.path.join(copy, os.path.relpath(absolute, original))) if inside else path

    entries = [(path, moved(path)) for path in sys.path]
    for mapping in _editable_mappings():
        for name, path in mapping.items():
            mapping[name] = moved(path)
            entries += [(os.path.dirname(path), os.path.dirname(mapping[name]))] if mapping[name] != path else []
    sys.path[:] = [moved(path) for path in sys.path]
    installed = {name: moved(folder) for name, folder in _installed_from(original)}
    if installed:
        sys.meta_path.insert(0, _Installed(installed))
    python_path = [*map(moved, filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))), *installed.values()]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(python_path))
    return list(dict.fromkeys([*(new for old, new in entries if new != old), *installed.values()]))


class _Installed:
    """Finds modules of the project of which ``pip install .`` has made a copy among the packages."""

    def __init__(self, folders: dict[str, str]) -> None:
        self._folders = folders

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The module in the project; None for any other."""
        folder = self._folders.get(name)
        return None if folder is None else PathFinder.find_spec(name, [folder])


def _installed_from(project: str) -> Iterator[tuple[str, str]]:
    """The modules that were installed from a project, or from a folder of it, with the folders of their sources."""
    root = os.path.realpath(project)
    for distribution in importlib.metadata.distributions():
        origin = json.loads(distribution.read_text("direct_url.json") or "{}")
        if "dir_info" not in origin or origin["dir_info"].get("editable"):
            continue
        source = os.path.realpath(url2pathname(urlsplit(origin["url"]).path))
        if os.path.commonpath((source, root)) != root:
            continue
        source = os.path.normpath(os.path.join(project, os.path.relpath(source, root)))
        names = {file.parts[0].removesuffix(".py") for file in distribution.files or () if file.suffix == ".py"}
        for folder in (source, os.path.join(source, "src")):
            yield from ((name, folder) for name in sorted(names) if _is_module(os.path.join(folder, name)))


def _is_module(path: str) -> bool:
    return os.path.isfile(f"{path}.py") or os.path.isfile(os.path.join(path, "__init__.py"))


def _editable_mappings() -> list[dict[str, str]]:
    """The modules of projects that setuptools has installed as editable, with their paths."""
    modules = (sys.modules.get(getattr(finder, "__module__", "")) for finder in sys.meta_path)
    mappings = (getattr(module, "MAPPING", None) for module in modules if module is not None)
    return [mapping for mapping in mappings if isinstance(mapping, dict)]
