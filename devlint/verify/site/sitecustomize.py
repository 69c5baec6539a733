"""Read at start-up by Pythons that a verified program starts: starts the sandbox there too, and watches lines."""

from __future__ import annotations

import os
import sys


def _start(module: str, function: str) -> None:
    """Call a function of a module next to this folder, without devlint: this may be another interpreter."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    names: dict[str, object] = {"__name__": f"devlint_{module}"}
    with open(os.path.join(folder, f"{module}.py"), "rb") as file:
        exec(compile(file.read(), file.name, "exec"), names)
    start = names[function]
    assert callable(start)
    start()


def _next() -> None:
    """Run the sitecustomize that this one hides: the next on the path, since those before it lead here."""
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [os.path.abspath(folder) for folder in sys.path if folder]
    after = folders[folders.index(here) + 1 :] if here in folders else []
    for folder in after:
        path = os.path.join(folder, "sitecustomize.py")
        if os.path.isfile(path):
            with open(path, "rb") as file:
                exec(compile(file.read(), path, "exec"), {"__name__": "sitecustomize", "__file__": path})
            return


if os.environ.get("DEVLINT_SANDBOX"):
    _start("sandbox", "install_from_environment")
_next()
if os.environ.get("DEVLINT_WATCHED_LINES"):
    _start("executed_lines", "watch_from_environment")
