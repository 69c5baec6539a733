"""What to tell a library in place of CUDA."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda.device_index_uses import only_first_device
from devlint.analysis.devices.cuda_literals import CudaLiteral
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.program_options import program_options
from devlint.analysis.names.scopes import bound_values
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.slots.device_arguments import imports_torch
from devlint.analysis.slots.framework_devices import FrameworkUse, number_of_cards
from devlint.analysis.slots.torch_loaders import torch_loader
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.conditional_device import conditional_device
from devlint.fixes.device.resolver import resolve_device
from devlint.fixes.device.types.device_type import device_type
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.call_arguments import keyword_argument
from devlint.syntax.edits import fit_quotes, replace_expression
from devlint.syntax.file_context import FileContext
from devlint.torch_api.frameworks import CARDS, FLAG, LIGHTNING, MAP, MESH, TYPE

_NO_TORCH = "the file does not import torch"
_NUMBER = "the library takes a number for a card of any accelerator"
_GLOO = "without CUDA the processes need another backend than NCCL"
_ALL_CARDS = "in a notebook `auto` is one card"
_ASKED_HERE = "the machine that starts the work is asked, and not those that do it"
_OLD = "needs Lightning 1.7"


def framework_fix(ctx: FileContext, use: FrameworkUse) -> Fix | None:
    """The fix of one argument; None where a person must decide."""
    form = use.argument.form
    if form == LIGHTNING:
        return _lightning_fix(ctx, use)
    if form == CARDS:
        return _cards_fix(ctx, use)
    if form == FLAG:
        return _flag_fix(ctx, use)
    literal = use.literal
    assert literal is not None
    if form in (TYPE, MESH) or (form == MAP and use.node is use.arg.value and string_value(use.node) == "cuda"):
        return _type_fix(ctx, use, literal)
    return _device_fix(ctx, use, literal)


def _device_fix(ctx: FileContext, use: FrameworkUse, literal: CudaLiteral) -> Fix | None:
    """The program's device, or a choice in the place of a card that is one of several."""
    caveat = _NUMBER if literal.is_number else None
    if literal.index is None or (literal.index == "0" and only_first_device(ctx)):
        choice = resolve_device(ctx, use.node, index=literal.index)
        if choice is None:
            return None
        made = [replace_expression(ctx, use.node, choice.expression), *choice.edits]
        return _fix(ctx, choice.expression, made, caveat or choice.caveat)
    here = None if literal.is_number else conditional_device(ctx, literal)
    message = "Fall back to the CPU where there is no CUDA"
    return None if here is None else edits.as_fix(message, here.edits, here.caveat or _missing_torch(ctx))


def _type_fix(ctx: FileContext, use: FrameworkUse, literal: CudaLiteral) -> Fix | None:
    """The type of the program's device: for a model map, transformers reads "cuda" as the card of this process."""
    kind = device_type(ctx, use.node) if literal.index is None else None
    if kind is None:
        return None
    made = [replace_expression(ctx, use.node, kind.expression), *kind.edits]
    return _fix(ctx, kind.expression, made, _GLOO if use.argument.form == MESH else kind.caveat)


def _fix(ctx: FileContext, expression: str, made: list[Edit | None], caveat: str | None) -> Fix | None:
    return edits.as_fix(f"Replace by `{expression}`", made, caveat or _missing_torch(ctx))


def _missing_torch(ctx: FileContext) -> str | None:
    return None if imports_torch(ctx) or torch_loader(ctx) is not None else _NO_TORCH


def _lightning_fix(ctx: FileContext, use: FrameworkUse) -> Fix | None:
    """``accelerator="auto"``, where the number of devices means something on a CPU, too."""
    assert isinstance(use.node, cst.SimpleString)
    auto = f"{use.node.quote}auto{use.node.quote}"
    devices = keyword_argument(use.call, "devices")
    if keyword_argument(use.call, "gpus") is not None or (devices and _names_cards(ctx, devices.value)):
        return None
    made = [replace_expression(ctx, use.node, auto)]
    is_all = devices is not None and (number_of_cards(devices.value) == -1 or string_value(devices.value) == "-1")
    if devices is not None and is_all:
        made.append(replace_expression(ctx, devices.value, auto))
    return edits.as_fix("Use the accelerator that the machine has", made, _ALL_CARDS if is_all else None)


def _names_cards(ctx: FileContext, devices: cst.BaseExpression) -> bool:
    """Whether ``devices`` lists cards, as a CPU has none: ``[0, 1]``, ``"0,1"``, or an option with ``nargs="+"``."""
    name = dotted_name(devices) or ""
    values = [devices, *(bound_values(ctx, name, devices) if name else ())]
    if any(isinstance(one, (cst.List, cst.Tuple)) or "," in (string_value(one) or "") for one in values):
        return True
    options = (one for one in program_options(ctx) if one.destination == name.rpartition(".")[2])
    return any("nargs" in one.keywords for one in options)


def _cards_fix(ctx: FileContext, use: FrameworkUse) -> Fix | None:
    """``accelerator="auto", devices=2`` for ``gpus=2``."""
    if keyword_argument(use.call, "accelerator", "devices", "num_processes", "tpu_cores") is not None:
        return None
    number = number_of_cards(use.node)
    devices, caveat = (f"{number}", _OLD) if number != -1 else ('"auto"', f"{_OLD}, and {_ALL_CARDS}")
    text = fit_quotes(ctx, use.node, f'accelerator="auto", devices={devices}')
    changes = [edits.replace_argument(ctx, use.arg, text)] if text is not None else [None]
    return edits.as_fix("Use the accelerator that the machine has", changes, caveat)


def _flag_fix(ctx: FileContext, use: FrameworkUse) -> Fix | None:
    """The test for a GPU in the place of ``True``."""
    torch = torch_name(ctx, use.node)
    if torch is None or _missing_torch(ctx) is not None:
        return None
    test = ctx.target.available(torch[0])
    return edits.as_fix("Ask for a GPU", [replace_expression(ctx, use.node, test), *torch[1]], _ASKED_HERE)


def function_name(use: FrameworkUse) -> str:
    """The function as the program writes it, or its last part: ``from_pretrained``."""
    return dotted_name(use.call.func) or use.argument.function.rpartition(".")[2]
