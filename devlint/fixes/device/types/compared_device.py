"""A torch.device that is compared with strings becomes something that can be equal to them."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.resolution import bindings
from devlint.core.diagnostic import Fix
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.edits import replace_expression
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import DEVICE_TYPES


def compare_type(ctx: FileContext, device: cst.BaseExpression, words: list[str]) -> Fix | None:
    """Write ``device.type``, if all that it is compared with are types of devices."""
    if not set(words) <= DEVICE_TYPES:
        return None
    return edits.as_fix("Ask for the device's type", [edits.insert_after(ctx, device, ".type")])


def compare_type_or_string(ctx: FileContext, device: cst.BaseExpression, word: str) -> Fix | None:
    """Write ``device.type`` for a type, and ``str(device)`` for any other word."""
    as_type = compare_type(ctx, device, [word])
    if as_type is not None or bindings(ctx, "str", device)[1]:
        return as_type
    changes = edits.insert_before(ctx, device, "str("), edits.insert_after(ctx, device, ")")
    return edits.as_fix("Use the device's name", changes)


def compare_with_card(ctx: FileContext, literal: cst.BaseExpression, word: str) -> Fix | None:
    """Write ``torch.device("cuda:1")`` for ``"cuda:1"``."""
    torch = torch_name(ctx, literal)
    if torch is None or word.partition(":")[0] not in DEVICE_TYPES:
        return None
    text = f'{torch[0]}.device("{word}")'
    changes = [replace_expression(ctx, literal, text), *torch[1]]
    return edits.as_fix(f"Compare with `{text}`", changes, "true on this card only")
