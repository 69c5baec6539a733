"""What a file that ``torch.load`` reads holds, by the names around the call and by what the program does with it."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.checkpoints.checkpoint_loads import state_receivers, transfer_of_loaded
from devlint.analysis.checkpoints.random_states import holds_random_states
from devlint.analysis.checkpoints.state_flow import takers_of_all
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import is_torch
from devlint.analysis.names.scopes import scopes
from devlint.analysis.slots.load_locations import is_load_without_location
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext
from devlint.syntax.literals import literal_value
from devlint.torch_api.checkpoint_naming import CHECKPOINT

_DATA = regex(r"vec|emb|vocab|dictionar|dataset|feat")
_FILE_OF_OPTIONS = regex(r"(?:\A|[/_.-])(?:args|options|cfg|config(?:uration)?|h(?:yper_?)?params)\.[a-z]+\Z")
_NUMBERS_ONLY = regex(r"scaler|sched")
"""What keeps numbers in its state, and no tensors."""


def is_checkpoint(ctx: FileContext, call: cst.Call) -> bool:
    """Whether what is loaded is, by the names around it, a training checkpoint and no data set or random state."""
    if holds_random_states(ctx, call):
        return False
    takers = [dotted_name(one) or "" for one in state_receivers(ctx, call)]
    if takers and all(_NUMBERS_ONLY.search(one.lower()) for one in takers):
        return False
    if takers or transfer_of_loaded(ctx, call) is not None or takers_of_all(ctx, call):
        return True
    if _is_file_of_options(ctx, call):
        return False
    text = _words(ctx, call)
    if CHECKPOINT.search(text) is None:
        return False
    is_sole = is_torch(ctx, call.func, "jit.load")  # which reads nothing else
    return is_sole or _DATA.search(text) is None or _is_beside_checkpoint(ctx, call)


def _is_beside_checkpoint(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a function that loads something loads a state to the same place."""
    here = scopes(ctx).function_of(call)
    loads = (one for one in ctx.tree.of_type(cst.Call) if is_load_without_location(ctx, one))
    beside = (one for one in loads if one is not call and scopes(ctx).function_of(one) is here)
    return any(state_receivers(ctx, one) for one in beside)


def _words(ctx: FileContext, call: cst.Call) -> str:
    """The names of what is loaded, and of its file."""
    words = [ctx.text_of(arg.value) for arg in call.args[:1]]
    for child, parent in ctx.tree.path_up(call):
        if isinstance(parent, cst.Subscript) and parent.value is child:
            words += [ctx.text_of(one) for one in parent.slice]
        if isinstance(parent, (cst.Assign, cst.AnnAssign)):
            targets = [one.target for one in parent.targets] if isinstance(parent, cst.Assign) else [parent.target]
            words += [ctx.text_of(one) for one in targets]
        if isinstance(parent, cst.BaseSmallStatement):
            break
    return " ".join(words).lower()


def _is_file_of_options(ctx: FileContext, call: cst.Call) -> bool:
    """Whether the name of the file says that it holds what a user chose: ``os.path.join(folder, "model_args.pth")``."""
    texts = [one for one in ctx.tree.below(call.args[0]) if isinstance(one, cst.SimpleString)]
    last = literal_value(texts[-1]) if texts else None
    return isinstance(last, str) and _FILE_OF_OPTIONS.search(last) is not None


def is_saved_here(ctx: FileContext, call: cst.Call) -> bool:
    """Whether the same function saves to the same file: then the devices are those of this machine."""
    wanted = _file(ctx, call.args[0].value)
    here = scopes(ctx).function_of(call)
    for one in ctx.tree.of_type(cst.Call):
        if dotted_name(one.func) in ("torch.save", "torch.jit.save") and len(one.args) > 1:
            if scopes(ctx).function_of(one) is here and _file(ctx, one.args[1].value) == wanted:
                return True
    return False


def _file(ctx: FileContext, node: cst.BaseExpression) -> str:
    """The path that an expression is, or that it opens: ``path`` of ``open(path, "rb")``, or of its name."""
    name = node.value if isinstance(node, cst.Name) else None
    for block in ctx.tree.ancestors(node) if name is not None else ():
        items = block.items if isinstance(block, cst.With) else ()
        opened = [one.item for one in items if one.asname is not None and dotted_name(one.asname.name) == name]
        node = opened[0] if opened else node
    if isinstance(node, cst.Call) and dotted_name(node.func) == "open" and node.args:
        node = node.args[0].value
    return ctx.text_of(node)
