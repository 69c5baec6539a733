"""Which functions of a file are run on places: what makes tensors that may meet others, and who calls that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from devlint.analysis.places.summaries import FileSummaries
from devlint.analysis.places.written.definitions import ClassDefinition, FunctionDefinition
from devlint.analysis.places.written.file_definitions import Definition, FileDefinitions
from devlint.core.lazy_regex import regex
from devlint.core.regex_fragments import at_word

_DEVICES = regex(r"device|cuda|\.to\(|type_as")
"""Words without which a function names no device."""
_MODULES = regex(rf"{at_word('nn')}\b|Module")
"""Words without which a file makes no modules."""


def functions_at(
    definition: Definition | None, rows: list[int], early: Iterable[int] = (), summaries: FileSummaries | None = None
) -> Iterator[FunctionDefinition]:
    """The function, or the methods of the class, that hold one of some rows.

    Methods that hold only such rows of them as ``early``, and do not speak of a device, are left out, and where
    ``summaries`` are given also what has nothing on a device.
    """
    if isinstance(definition, ClassDefinition):
        for name, member in definition.members.items():
            held = _rows_between(rows, member.row, member.text)
            if held and (may_say_device(member.text) or not held.issubset(early)):
                if summaries is None or _may_find(summaries, name, member.text, definition):
                    yield definition.method(name)
    elif definition is not None:
        node = definition.node
        if any(node.lineno <= row <= (node.end_lineno or node.lineno) for row in rows):
            yield definition


def _may_find(summaries: FileSummaries, name: str, text: str, owner: ClassDefinition) -> bool:
    """Whether a method may have a tensor on a device beside one that it makes, or gives one to others of the file.

    A file that says little of devices has some only in modules, or where it names them.
    """
    program = summaries.program
    if program.is_aware or any(words.search(each) for words, each in ((_DEVICES, text), (_MODULES, program.text))):
        return True
    if summaries.is_module(owner) or owner.is_autograd:
        return True
    return program.text.count(f"{name}(") > program.text.count(f"def {name}(")


def _rows_between(rows: list[int], start: int, text: str) -> set[int]:
    """Those of some rows that are in a text which begins in a row."""
    below = {row for row in rows if row >= start}
    end = start + text.count("\n") if below else start
    return {row for row in below if row <= end}


def may_say_device(text: str | None) -> bool:
    """Whether the text of a function or class may speak of a device."""
    return text is None or "device" in text


def callers_of(program: FileDefinitions, function: FunctionDefinition) -> Iterator[FunctionDefinition]:
    """The functions of the file that may call another."""
    name = function.node.name
    is_called_by_class = name in ("forward", "__call__") and function.owner is not None
    wanted = function.owner.node.name if is_called_by_class and function.owner is not None else name
    call = f"{wanted}("
    for each in program.names():
        text = program.text_of(each)
        if text is not None and call not in text.replace(f"def {call}", ""):
            continue
        definition = program.definition(each)
        if isinstance(definition, ClassDefinition):
            for other, member in definition.members.items():
                if is_called_by_class or call in member.text.replace(f"def {call}", ""):
                    yield definition.method(other)
        elif definition is not None:
            yield definition
