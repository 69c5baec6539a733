"""Finds the Python that runs the programs: the one that has the project's torch."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

from devlint.verify.errors import VerifyError

_HAS_TORCH = (
    "import importlib.util, sys; sys.exit(sys.version_info < (3, 10) or importlib.util.find_spec('torch') is None)"
)


def find_python(named: str | None) -> str:
    """The named Python, or the first with torch: the active environment's, devlint's own, the project's."""
    if named is not None:
        found = _in_environment(named) if os.path.isdir(named) else shutil.which(named)
        if found is None:
            raise VerifyError(f"{named}: there is no such Python")
        found = os.path.abspath(found)  # it is started in another folder
        if not _has_torch(found):
            raise VerifyError(f"{named}: this Python is older than 3.10, does not start or has no torch")
        return found
    for python in _candidates():
        if _has_torch(python):
            return python
    raise VerifyError("verifying needs PyTorch: pip install 'devlint[verify]', or --python with a Python that has it")


def _candidates() -> Iterator[str]:
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        python = _in_environment(os.environ.get(variable, ""))
        if python is not None:
            yield python
    yield sys.executable
    folder = os.getcwd()
    while True:
        for name in (".venv", "venv"):
            python = _in_environment(os.path.join(folder, name))
            if python is not None:
                yield python
        folder, inner = os.path.dirname(folder), folder
        if folder == inner:
            return


def _in_environment(folder: str) -> str | None:
    """The Python of a virtual environment; this one if it is that of this process."""
    if folder and os.path.realpath(folder) == os.path.realpath(sys.prefix):
        return sys.executable
    python = os.path.abspath(os.path.join(folder, "bin", "python"))
    return python if folder and os.access(python, os.X_OK) else None


def _has_torch(python: str) -> bool:
    if python == sys.executable:
        return importlib.util.find_spec("torch") is not None
    try:
        return subprocess.run([python, "-c", _HAS_TORCH], capture_output=True, check=False).returncode == 0
    except OSError:
        return False
