"""devlint and its peers, each installed in an environment of its own, and how each is run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import venv
from pathlib import Path

from benchmarks.corpus_packages import ROOT
from benchmarks.speed_measure import Command, SpeedError

ENVIRONMENTS = ROOT / ".venvs" / "speed"
BIN = "Scripts" if sys.platform == "win32" else "bin"
PEERS = {
    "ruff": ("ruff==0.17.5",),
    "ast-grep": ("ast-grep-cli==0.51.1",),
    "torchfix": ("TorchFix==0.7.0",),
    "fixit": ("fixit==2.2.1",),
    "flake8": ("flake8==7.5.0", "TorchFix==0.7.0"),
}
HEAVY = ("torchfix", "fixit", "flake8")
WALK = """
import ast, pathlib, sys
for path in pathlib.Path(sys.argv[1]).rglob("*.py"):
    try:
        for node in ast.walk(ast.parse(path.read_bytes())):
            pass
    except SyntaxError:
        pass
"""
_VERSIONS = """
import importlib.metadata as m, json
print(json.dumps({d.metadata["Name"].lower(): d.version for d in m.distributions()}))
"""


class Environment:
    """A virtual environment with one tool in it."""

    def __init__(self, name: str, requirements: tuple[str, ...]) -> None:
        self.folder = ENVIRONMENTS / name
        stamp = self.folder / "installed"
        wanted = "\n".join([sys.version, *requirements])
        if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
            venv.EnvBuilder(clear=True, with_pip=True, symlinks=sys.platform != "win32").create(self.folder)
            if requirements:
                self.install("--upgrade", "pip")  # older ones make programs that import ``re``
                self.install(*requirements)
            stamp.write_text(wanted, encoding="utf-8")

    def install(self, *requirements: str) -> None:
        """Install with pip, which compiles what it installs."""
        pip = [self.program("python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        done = subprocess.run([*pip, *requirements], capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip() or "pip failed").splitlines()[-1]
            raise SpeedError(f"cannot install {' '.join(requirements)}: {reason}")

    def program(self, name: str) -> str:
        """The path of a program of it."""
        return str(self.folder / BIN / name)

    def versions(self) -> dict[str, str]:
        """The version of each distribution in it."""
        done = subprocess.run([self.program("python"), "-c", _VERSIONS], capture_output=True, text=True, check=True)
        known: dict[str, str] = json.loads(done.stdout)
        return known


def peer(name: str) -> Environment:
    """A peer, installed where it is missing."""
    return Environment(name, PEERS[name])


class Devlint:
    """devlint as a user has it: the working tree, installed as a package and not as a link to it."""

    def __init__(self, program: str, options: dict[str, frozenset[str]]) -> None:
        """``options`` are those of each subcommand."""
        self.program, self.options = program, options

    def cold(self, name: str, *arguments: str, jobs: int = 1, action: str = "check") -> Command:
        """A run that knows of no other."""
        extra = ("--no-cache",) if "--no-cache" in self.options[action] else ()
        return self._command(name, action, (*extra, *arguments), jobs)

    def warm(self, name: str, cache: Path, *arguments: str, jobs: int = 1) -> Command:
        """A run with a cache."""
        if "--cache-dir" not in self.options["check"]:
            return Command(name, (), missing="devlint has no --cache-dir")
        return self._command(name, "check", ("--cache-dir", str(cache), *arguments), jobs)

    def _command(self, name: str, action: str, arguments: tuple[str, ...], jobs: int) -> Command:
        extra = ("--jobs", str(jobs)) if "--jobs" in self.options[action] else ()
        if jobs > 1 and not extra:
            return Command(name, (), missing="devlint has no --jobs")
        return Command(name, (self.program, action, "--isolated", *extra, *arguments))


def install_devlint() -> tuple[Devlint, Environment]:
    """Install it now, since the working tree changes."""
    environment = Environment("devlint", ())
    environment.install("--upgrade", str(ROOT))  # what it needs
    environment.install("--force-reinstall", "--no-deps", str(ROOT))
    program = environment.program("devlint")
    return Devlint(program, {action: _options(program, action) for action in ("check", "fix")}), environment


def _options(program: str, action: str) -> frozenset[str]:
    done = subprocess.run([program, action, "--help"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SpeedError(f"devlint {action} --help: {(done.stderr.strip() or 'it failed').splitlines()[-1]}")
    return options_in(done.stdout)


def options_in(text: str) -> frozenset[str]:
    """The options that a help text lists."""
    return frozenset(re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]", text))


def ruff(name: str, program: str, folder: str, jobs: int = 1, cache: Path | None = None) -> Command:
    """Ruff with its default rules."""
    memory = ["--no-cache"] if cache is None else ["--cache-dir", str(cache)]
    return Command(name, (program, "check", "--isolated", *memory, folder), (("RAYON_NUM_THREADS", str(jobs)),))


def on_sample(name: str, environment: Environment, folder: str, jobs: int = 1) -> Command:
    """A peer over S, with so many processes or threads."""
    program = environment.program
    arguments = {
        "ruff": (program("ruff"), "check", "--isolated", "--no-cache", folder),
        "ast-grep": (program("ast-grep"), "run", "-j", str(jobs), "--lang", "python", "-p", "$X.cuda($$$A)", folder),
        "torchfix": (program("torchfix"), "-j", str(jobs), "--select", "ALL", folder),
        "fixit": (program("fixit"), "lint", folder),
        "flake8": (program("flake8"), "--isolated", "-j", str(jobs), "--select", "TOR", folder),
    }[name]
    called = name if jobs == 1 else f"{name}, {jobs} processes"
    return Command(called, arguments, (("RAYON_NUM_THREADS", str(jobs)),))


NOTES = {
    "devlint": "all default rules, no cache",
    "cat": "reads the files",
    "grep": "`grep -r cuda`",
    "ruff": "default rules, no cache",
    "ast-grep": "one pattern, `$X.cuda($$$A)`",
    "ast + walk": "`ast.parse` and `ast.walk`, and no rule",
    "flake8": "with TorchFix as its plugin, and only its findings selected",
    "fixit": "its own rules; it takes as many processes as there are cores",
    "torchfix": "all its rules",
}
"""What was run, by the name in the table."""
