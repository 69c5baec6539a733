"""Read at start-up by Pythons that a verified program starts: starts the sandbox there too."""

from __future__ import annotations

import os
import sys


def _confine() -> None:
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    names: dict[str, object] = {"__name__": "devlint_sandbox"}
    with open(os.path.join(folder, "sandbox.py"), "rb") as file:  # without devlint: this may be another interpreter
        exec(compile(file.read(), file.name, "exec"), names)
    install = names["install_from_environment"]
    assert callable(install)
    install()


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
    _confine()
_next()
