"""Read at start-up by child Pythons: simulates CUDA, or observes, once torch is imported, as the environment asks."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # not from typing, nor any other import: a child that has no use for torch pays for nothing
if TYPE_CHECKING:
    from typing import Any


class _AfterTorch:
    """A finder that starts what is asked for when torch has been imported."""

    looking = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The usual spec of torch, whose loader then starts it."""
        if name != "torch" or self.looking:
            return None
        import importlib.util

        self.looking = True  # and it stays in place: many programs ask for the spec first and import later
        try:
            spec = importlib.util.find_spec("torch")
        finally:
            self.looking = False
        if spec is None or spec.loader is None:
            return spec
        loader: Any = spec.loader
        execute = loader.exec_module

        def exec_module(module: Any) -> None:
            execute(module)
            sys.meta_path.remove(self)
            _find_devlint()
            if os.environ.get("DEVLINT_SIMULATE"):
                _simulate()
            if os.environ.get("DEVLINT_OBSERVE"):
                _observe()

        loader.exec_module = exec_module
        return spec


def _find_devlint() -> None:
    import importlib.util

    if importlib.util.find_spec("devlint") is None:  # another interpreter than the one devlint is installed in
        root = os.path.abspath(__file__)
        for _ in range(5):
            root = os.path.dirname(root)
        sys.path.append(root)


def _simulate() -> None:
    from devlint.verify.errors import SimulationError
    from devlint.verify.simulation import install

    devices, rng = os.environ["DEVLINT_SIMULATE"].split(",")
    try:
        install(int(devices), rng)
    except SimulationError as error:
        sys.stderr.write(f"error: {error}\n")
        # A program may catch any Exception around `import torch` and go on without what was asked for.
        raise SystemExit(2) from None


def _observe() -> None:
    from devlint.verify.watch.installation import watch

    watch()


def _shadowed() -> None:
    """Run the sitecustomize that this one hides."""
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in sys.path:
        path = os.path.join(folder, "sitecustomize.py")
        if folder and os.path.abspath(folder) != here and os.path.isfile(path):
            with open(path, "rb") as file:
                exec(compile(file.read(), path, "exec"), {"__name__": "sitecustomize", "__file__": path})
            return


if os.environ.get("DEVLINT_SIMULATE") or os.environ.get("DEVLINT_OBSERVE"):
    sys.meta_path.insert(0, _AfterTorch())
_shadowed()
