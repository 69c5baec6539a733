"""In the child: runs a shell command, with the environment that sets up the devices."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

from devlint.verify.pytest_results import JUNIT
from devlint.verify.simulation import child_environment

_PATHS = re.compile(r"(^|[\s;&|(])PYTHONPATH=")


def become_command(program: dict[str, Any], setting: dict[str, Any], folder: str) -> None:
    """Replace this process by the shell command; never returns."""
    os.chdir(program["folder"])
    os.environ.update(program["env"])
    if setting["name"] == "simulated":
        os.environ.update(child_environment(setting["devices"], "shared"))
    elif setting["name"] == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
    tests = f"--junitxml={os.path.join(folder, JUNIT)} -p no:cacheprovider"
    os.environ["PYTEST_ADDOPTS"] = f"{os.environ.get('PYTEST_ADDOPTS', '')} {tests}".strip()
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
    os.execv("/bin/sh", ["sh", "-c", keeping_paths(program["command"])])


def keeping_paths(command: str) -> str:
    """The command, whose PYTHONPATH comes after the folder that sets up the devices instead of in its place."""
    return _PATHS.sub(r'\1PYTHONPATH="${PYTHONPATH:+$PYTHONPATH:}"', command)
