"""In the child: imports the project from its copy, wherever the original is on the path or installed as editable."""

from __future__ import annotations

import os
import sys
from typing import Any


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
    python_path = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join(map(moved, filter(None, python_path.split(os.pathsep))))
    return list(dict.fromkeys(new for old, new in entries if new != old))


def _editable_mappings() -> list[dict[str, str]]:
    """The modules of projects that setuptools has installed as editable, with their paths."""
    modules = (sys.modules.get(getattr(finder, "__module__", "")) for finder in sys.meta_path)
    mappings = (getattr(module, "MAPPING", None) for module in modules if module is not None)
    return [mapping for mapping in mappings if isinstance(mapping, dict)]
