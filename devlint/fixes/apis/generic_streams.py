"""Streams of any accelerator, with their events, in the place of CUDA's: all of a file, or none."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.resolution import attributes_named, origin, sole_value
from devlint.analysis.names.string_literals import string_value
from devlint.core.diagnostic import Edit, Fix
from devlint.core.record import Record
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.cuda_functions import STREAM_MAKERS
from devlint.torch_api.cuda_members import ASKED_OF_MODULES, CUDA, cuda_member

_CAVEAT = "streams of other accelerators may lack something, and other files may expect CUDA's"
_USED = frozenset({"Event", "Stream", "current_stream", "default_stream", "set_stream", "stream"})
_OWN = (STREAM_MAKERS - _USED) | {"StreamContext", "graph_pool_handle", "is_current_stream_capturing", "use_mem_pool"}
"""What has to do with CUDA's streams alone."""
_KEYWORDS = {"Stream": {"device", "priority"}, "Event": {"blocking", "enable_timing"}}
_FACES = ("cuda_stream", "cuda_event", "ipc_handle", "from_ipc_handle")
"""Attributes that only CUDA's streams and events have."""
_ENTERED_SINCE = (2, 7)


class StreamUse(Record, eq=False):
    """A name of torch.cuda's that has to do with streams."""

    node: cst.BaseExpression
    name: str


@fact
def generic_streams(ctx: FileContext) -> Fix | None:
    """The fix of every stream of a file, and of the events beside them; None where one of them has to stay CUDA's."""
    uses = ctx.fact(_uses)
    names = {one.name for one in uses}
    is_new = ctx.target.torch_min_version >= CUDA["Stream"].counterpart_since
    if ctx.target.kind != "accelerator" or not is_new or not names - {"Event"} or names & _OWN:
        return None
    if any(next(iter(attributes_named(ctx, face)), None) is not None for face in _FACES):
        return None
    made: list[Edit | None] = []
    for use in uses:
        torch = torch_name(ctx, use.node)
        change = _change(ctx, use, torch[0]) if torch is not None else None
        if torch is None or change is None:
            return None
        made += [change, *torch[1]]
    return edits.as_fix("Use the streams of any accelerator", made, _CAVEAT)


def is_of_streams(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether an expression is what the fix changes."""
    return id(node) in ctx.fact(_nodes)


def _nodes(ctx: FileContext) -> frozenset[int]:
    """The identities of what the fix changes: each finding of a file asks for its own."""
    return frozenset(id(use.node) for use in ctx.fact(_uses))


def _uses(ctx: FileContext) -> list[StreamUse]:
    return list(_found(ctx))


def _found(ctx: FileContext) -> Iterator[StreamUse]:
    for node in (*ctx.tree.of_type(cst.Attribute), *ctx.tree.of_type(cst.Name)):
        parent = ctx.tree.parent(node)
        if not isinstance(parent, (cst.Attribute, cst.ImportAlias, cst.AsName)):
            yield from _named(node, origin(ctx, node))
    for text in ctx.tree.of_type(cst.SimpleString):
        yield from _named(text, string_value(text))


def _named(node: cst.BaseExpression, name: str | None) -> Iterator[StreamUse]:
    member = cuda_member(name)
    if member is not None and (member.name in _USED or member.name in _OWN):
        yield StreamUse(node, member.name)


def _change(ctx: FileContext, use: StreamUse, torch: str) -> Edit | None:
    """What one of the names becomes; None where it is imported, or told what only CUDA's takes."""
    node, parent = use.node, ctx.tree.parent(use.node)
    call = parent if isinstance(parent, cst.Call) and parent.func is node else None
    if isinstance(node, cst.SimpleString):
        is_type = isinstance(parent, (cst.Annotation, cst.Index)) and use.name in _KEYWORDS
        return edits.replace_outer(ctx, node, f"{node.quote}{torch}.{use.name}{node.quote}") if is_type else None
    if not isinstance(node, cst.Attribute) or (call is None and use.name not in _KEYWORDS):
        return None
    if use.name in _KEYWORDS:
        fits = call is None or _is_understood(call, use.name)
        return edits.replace_outer(ctx, node, f"{torch}.{use.name}") if fits else None
    assert call is not None
    if len(call.args) > 1 or any(arg.star for arg in call.args):
        return None
    owner = "get_device_module()" if use.name in ASKED_OF_MODULES else "accelerator"
    if not call.args or call.args[0].keyword is None and not _is_made_here(ctx, call):
        return edits.replace_outer(ctx, node, f"{torch}.{owner}.{use.name}")
    argument = ctx.text_of(call.args[0].value)
    made = use.name == "stream" and _is_made_here(ctx, call)
    return edits.replace_outer(ctx, call, argument if made else f"{torch}.{owner}.{use.name}({argument})")


def _is_understood(call: cst.Call, name: str) -> bool:
    """Whether a stream or an event is told only what torch's own takes in the same way."""
    plain = [arg for arg in call.args if arg.keyword is None]
    named = {arg.keyword.value for arg in call.args if arg.keyword is not None}
    if any(arg.star or isinstance(arg.value, cst.Integer) for arg in plain) or len(plain) > (name == "Stream"):
        return False
    return named <= _KEYWORDS[name]


def _is_made_here(ctx: FileContext, call: cst.Call) -> bool:
    """Whether ``with torch.cuda.stream(s):`` enters a name that holds a stream and nothing else: ``with s:``."""
    item, entered = ctx.tree.parent(call), call.args[0].value
    if not isinstance(item, cst.WithItem) or item.asname is not None or not isinstance(entered, cst.Name):
        return False
    made = sole_value(ctx, entered)
    is_stream = isinstance(made, cst.Call) and origin(ctx, made.func) == "torch.cuda.Stream"
    return is_stream and ctx.target.torch_min_version >= _ENTERED_SINCE
