"""Read the behaviours, and run one of them."""

from __future__ import annotations

import builtins
import doctest
import io
import re
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import torch

FOLDER = Path(__file__).parent
NOTES = re.compile(r" \((two GPUs|not in torch [\d.]+|not shown: [^()]*)\)")
EXPECTED_ERROR = re.compile(r"(raises|warns) \(?([\w, ]+)\)?: ?(.*)", re.DOTALL)
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Differs(Exception):
    """The code gives something else than the documentation says."""


class Behaviour(NamedTuple):
    """A sentence of the documentation, and code that shows it."""

    topic: str
    page: str
    sentence: str
    code: str
    two_devices: bool
    not_shown: str
    too_old: str
    """The last version of torch that does not have it."""

    def lacking(self) -> str:
        """What is not here that it needs, or nothing."""
        if self.two_devices and torch.cuda.device_count() < 2:
            return "there is one GPU"
        version = [int(part) for part in torch.__version__.split(".")[:2]]
        if self.too_old and version <= [*map(int, self.too_old.split("."))]:
            return "this version of torch does not have it"
        return ""

    def __str__(self) -> str:
        return f"{self.topic}: {self.page}: {self.sentence}"


def behaviours() -> list[Behaviour]:
    """Those of all topics."""
    return [one for path in sorted(FOLDER.glob("*.txt")) for one in _in_file(path)]


def _in_file(path: Path) -> Iterator[Behaviour]:
    page = ""
    for block in re.split(r"^(?=[#-] )", path.read_text("utf-8"), flags=re.MULTILINE):
        head, _, code = block.partition("\n")
        if head.startswith("# "):
            page = head[2:]
        elif head:
            notes = NOTES.findall(head)
            not_shown = next((note.partition(": ")[2] for note in notes if ":" in note), "")
            too_old = next((note.rpartition(" ")[2] for note in notes if "torch" in note), "")
            yield Behaviour(path.stem, page, NOTES.sub("", head[2:]), code, "two GPUs" in notes, not_shown, too_old)


def run(code: str, names: dict[str, Any]) -> None:
    """Run the examples one after the other; raise Differs at the first that gives something else."""
    examples = doctest.DocTestParser().get_examples(code)
    if not examples:
        raise Differs("there is no code")
    for example in examples:
        error = EXPECTED_ERROR.fullmatch(example.want.rstrip("\n"))
        if error is None:
            _check_output(example, names)
        elif error[1] == "raises":
            _check_error(example, names, *error.group(2, 3))
        else:
            _check_warning(example, names, *error.group(2, 3))


def _output(source: str, names: dict[str, Any]) -> str:
    """What Python's prompt shows."""
    shown = io.StringIO()
    with redirect_stdout(shown):
        exec(compile(source, "<behaviour>", "single", dont_inherit=True), names)
    builtins.__dict__.pop("_", None)  # the prompt keeps the last value, and with it memory
    return shown.getvalue()


def _check_output(example: doctest.Example, names: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shown = _output(example.source, names)
    if not doctest.OutputChecker().check_output(example.want, shown, LENIENT):
        raise Differs(f"{example.source}gives {shown!r}, not {example.want!r}")


def _check_error(example: doctest.Example, names: dict[str, Any], types: str, text: str) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            shown = _output(example.source, names)
    except Exception as error:
        wanted = set(types.split(", ")) & {base.__name__ for base in type(error).__mro__}
        if type(error).__name__ == "SimulationError":
            raise
        if not wanted or text not in str(error):
            raise Differs(f"{example.source}raises {type(error).__name__}: {error}") from error
    else:
        raise Differs(f"{example.source}raises nothing, and gives {shown!r}")


def _check_warning(example: doctest.Example, names: dict[str, Any], kind: str, text: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _output(example.source, names)
    if not any(one.category.__name__ == kind and text in str(one.message) for one in caught):
        raise Differs(f"{example.source}warns {[str(one.message) for one in caught]}")
