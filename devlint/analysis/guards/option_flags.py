"""Flags that are options of the command line: whether the program ever asks for CUDA before it takes their word."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.program_options import program_option, program_options
from devlint.analysis.names.project_files import module_source
from devlint.analysis.names.resolution import bindings, import_origin
from devlint.syntax.file_context import FileContext

_LIBRARIES = frozenset({"torch", "argparse", "os", "sys", "click", "typer", "absl", "yaml", "json"})


def is_unasked_option(ctx: FileContext, dotted: str, at: cst.CSTNode) -> bool:
    """Whether ``args.cuda`` is an option, of this file or of one that ``args`` comes from, that never asks for CUDA."""
    owner, _, name = dotted.rpartition(".")
    own = [one for one in program_options(ctx) if one.of_parser and one.destination == name]
    if own:
        return not any("is_available" in ctx.text_of(one.call) for one in own)
    texts = [ctx.source.text, *_imported(ctx, owner.partition(".")[0], at)]
    return any(_defines(text, name) for text in texts) and not any(_asks(text, name) for text in texts)


def is_unasked_parameter(ctx: FileContext, param: cst.CSTNode) -> bool:
    """Whether a parameter is an option of a click or typer command that does not ask for CUDA."""
    if not isinstance(param, cst.Param):
        return False
    function = next((up for up in ctx.tree.ancestors(param) if isinstance(up, cst.FunctionDef)), None)
    calls = [one.decorator for one in function.decorators] if function is not None else []
    own = [program_option(one) for one in calls if isinstance(one, cst.Call)]
    found = [one for one in own if one is not None and one.destination == param.name.value]
    if isinstance(param.default, cst.Call):
        default = program_option(param.default)
        found += [default] if default is not None else []
    return bool(found) and not any("is_available" in ctx.text_of(one.call) for one in found)


def _imported(ctx: FileContext, name: str, at: cst.CSTNode) -> Iterator[str]:
    """The source of the project's files that a name is imported from, or that its value is made with."""
    _, found = bindings(ctx, name, at)
    made = [one.value for one in found if one.value is not None]
    names = [node for value in made for node in ctx.tree.below(value) if isinstance(node, cst.Name)]
    origins = [import_origin(ctx, name, at), *(import_origin(ctx, one.value, one) for one in names)]
    for origin in dict.fromkeys(origins):
        if origin is None or origin.partition(".")[0] in _LIBRARIES:
            continue
        for module in (origin, origin.rpartition(".")[0]):
            text = module_source(ctx.source.path, module) if module.strip(".") else None
            if text is not None:
                yield text


def _defines(text: str, name: str) -> bool:
    """Whether a program's text defines an option that is kept under a name."""
    option = name.replace("_", "[-_]")
    return re.search(rf"[\"']--{option}[\"'/]|\bdest\s*=\s*[\"']{name}[\"']", text) is not None


def _asks(text: str, name: str) -> bool:
    """Whether a program's text gives an option a value that it asks torch for."""
    return re.search(rf"\.{name}\s*=[^=\n]*is_available|[\"']--{name}[\"'][^\n]*is_available", text) is not None
