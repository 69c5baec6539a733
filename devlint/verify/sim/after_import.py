"""Does something once a module has been imported, and does not import it for that: Dynamo takes as long as torch."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from typing import Any


def when_imported(name: str, action: Callable[[], object]) -> Callable[[], None]:
    """Call ``action`` now if the module has been imported, else after that; what is returned gives that up."""
    if name in sys.modules:
        action()
        return lambda: None
    finder = _Finder(name, action)
    sys.meta_path.insert(0, finder)
    return finder.give_up


class _Finder:
    """Finds one module as the other finders do, and calls a function when it has been executed."""

    def __init__(self, name: str, action: Callable[[], object]) -> None:
        self._name = name
        self._action = action

    def give_up(self) -> None:
        """Find nothing any more."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The usual spec of the module, whose loader then calls the function."""
        if name != self._name:
            return None
        self.give_up()
        spec = importlib.util.find_spec(name)
        assert spec is not None and spec.loader is not None
        execute = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            execute(module)
            self._action()

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
