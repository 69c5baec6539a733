"""Compare the table of other libraries' device arguments with the sources of those libraries.

    python -m benchmarks.frameworks                 every library of the table
    python -m benchmarks.frameworks diffusers       some of them

The packages are downloaded in the versions that the table names, and read, never installed or run. The exit code is 1
where a function has no such argument, or has it in another place, and 2 where a package cannot be had.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from devlint.torch_api.frameworks import LIBRARIES, FrameworkArgument

# What a library is called where it is downloaded, if that is not its name.
PACKAGES = {
    "clip": "clip-anytorch",
    "ignite": "pytorch-ignite",
    "open_clip": "open_clip_torch",
    "whisper": "openai-whisper",
}
# Methods that a class may inherit, and that hand all keywords on to where the argument is read: the class is enough.
HANDS_ON = frozenset("from_pretrained export predict track train val".split())
# Removed since, and in the table for the versions that had it.
REMOVED = frozenset({("pytorch_lightning", "gpus")})
# The program that checks the table runs beside this one.
INSTALLED = frozenset({"torch"})


def main(names: Sequence[str]) -> int:
    """Check the libraries, and print what the sources say otherwise."""
    wrong = 0
    for name in names or sorted(LIBRARIES):
        with tempfile.TemporaryDirectory() as folder:
            try:
                files = list(_sources(name, Path(folder)))
            except subprocess.CalledProcessError as error:
                print(f"frameworks: cannot download {name}: {error.stderr.strip().splitlines()[-1]}", file=sys.stderr)
                return 2
            found = list(_faults(name, files))
        wrong += len(found)
        library = LIBRARIES[name]
        print(
            f"{name:24} {library.version:10} {len(library.arguments):3} arguments, {len(found)} wrong",
            *found,
            sep="\n  ",
        )
    return int(wrong > 0)


def _sources(name: str, folder: Path) -> Iterator[str]:
    """The texts of a library's modules."""
    if name in INSTALLED:
        root = Path(__import__(name).__file__ or "").parent / "distributed"
        yield from (one.read_text(encoding="utf-8") for one in sorted(root.rglob("*.py")))
        return
    wanted = f"{PACKAGES.get(name, name)}=={LIBRARIES[name].version}"
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), wanted]
    subprocess.run(pip, capture_output=True, text=True, check=True)
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for one in archive.namelist():
                if one.endswith(".py") and one.startswith(f"{name}/"):
                    yield archive.read(one).decode("utf-8")


def _faults(name: str, files: Sequence[str]) -> Iterator[str]:
    """What the sources of a library say otherwise than the table."""
    trees = [ast.parse(text) for text in files]
    for argument in LIBRARIES[name].arguments:
        if (name, argument.parameter) in REMOVED:
            continue
        *owner, last = argument.function.split(".")
        if owner and last in HANDS_ON and any(_classes(tree, owner[0]) for tree in trees):
            continue
        functions = [one for tree in trees for one in _functions(tree, argument)]
        if not any(_takes(one, argument) for one in functions):
            yield f"{argument.function}({argument.parameter}=): {len(functions)} functions, none takes it so"


def _functions(tree: ast.Module, argument: FrameworkArgument) -> Iterator[ast.arguments]:
    """The parameters of the functions that an entry may mean; those of a class without what it is bound to."""
    for made in _classes(tree, argument.function):
        yield from (
            _unbound(one.args) for one in made.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"
        )
        fields = [one.target for one in made.body if isinstance(one, ast.AnnAssign)]
        if made.decorator_list and fields:  # of a dataclass
            yield _of_fields([one.id for one in fields if isinstance(one, ast.Name)])
    owner, _, method = argument.function.rpartition(".")
    for made in _classes(tree, owner) if owner else ():
        yield from (_unbound(one.args) for one in made.body if isinstance(one, ast.FunctionDef) and one.name == method)
    yield from (
        one.args for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one.name == argument.function
    )


def _classes(tree: ast.Module, name: str) -> list[ast.ClassDef]:
    """The classes of a name, in which a ``*`` may stand."""
    return [one for one in ast.walk(tree) if isinstance(one, ast.ClassDef) and fnmatchcase(one.name, name)]


def _unbound(parameters: ast.arguments) -> ast.arguments:
    """Without ``self``."""
    return ast.arguments(parameters.posonlyargs, parameters.args[1:], parameters.vararg, parameters.kwonlyargs)


def _of_fields(names: Sequence[str]) -> ast.arguments:
    return ast.arguments(args=[ast.arg(name) for name in names], posonlyargs=[], kwonlyargs=[])


def _takes(parameters: ast.arguments, argument: FrameworkArgument) -> bool:
    """Whether a function takes the argument by its keyword, and in its place."""
    names = [one.arg for one in (*parameters.posonlyargs, *parameters.args)]
    if argument.position is not None:
        return argument.parameter in names and names.index(argument.parameter) == argument.position
    keywords = {*names, *(one.arg for one in parameters.kwonlyargs)}
    return argument.parameter in keywords


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
