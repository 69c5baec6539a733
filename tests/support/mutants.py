"""Rewritten programs with one thing wrong, as a careless rewriter would leave it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

_SWAPPED = {
    "train": ("eval", "training and evaluation swapped"),
    "eval": ("train", "training and evaluation swapped"),
    "sum": ("mean", "a sum became a mean"),
    "mean": ("sum", "a mean became a sum"),
    "relu": ("tanh", "an activation changed"),
    "tanh": ("relu", "an activation changed"),
    "sigmoid": ("tanh", "an activation changed"),
    "max": ("min", "a maximum became a minimum"),
    "argmax": ("argmin", "a maximum became a minimum"),
    "no_grad": ("enable_grad", "gradients where there were none"),
    "Adam": ("AdamW", "another optimizer"),
    "SGD": ("Adagrad", "another optimizer"),
    "ones": ("zeros", "zeros for ones"),
    "zeros": ("ones", "ones for zeros"),
    "randn": ("rand", "another distribution"),
    "rand": ("randn", "another distribution"),
    "exp": ("log1p", "another function"),
    "log": ("log1p", "another function"),
}
"""Names of functions and methods with those that a careless hand takes for them, and the kind of mutant."""
_SKIPPED = {
    "zero_grad": "gradients not reset",
    "backward": "a backward pass skipped",
    "manual_seed": "a seed not set",
    "clip_grad_norm_": "gradients not clipped",
    "load_state_dict": "a state not loaded",
    "update": "an update skipped",
    "append": "an append skipped",
    "save": "a file not saved",
    "print": "a line not printed",
}
"""Statements that call these are left out."""
_UNWRAPPED = {
    "clone": "a clone dropped",
    "detach": "a detach dropped",
    "transpose": "a transposition dropped",
    "squeeze": "a dimension not squeezed",
    "unsqueeze": "a dimension not added",
    "t": "a transposition dropped",
    "float": "a conversion dropped",
    "long": "a conversion dropped",
}
"""Methods without which only the receiver is left."""
_KEYWORDS = {
    "lr": ("a learning rate changed", "2 * ({})"),
    "momentum": ("a momentum changed", "({}) / 2"),
    "weight_decay": ("a weight decay changed", "2 * ({}) + 0.1"),
    "dim": ("a dimension changed", "({}) - 1"),
    "shuffle": ("the order of the data changed", "not ({})"),
    "batch_size": ("a batch size changed", "({}) + 1"),
    "bias": ("a bias added or dropped", "not ({})"),
    "requires_grad": ("a gradient not wanted", "not ({})"),
    "padding": ("a padding changed", "({}) + 1"),
    "reduction": ("a reduction changed", "'sum' if ({}) != 'sum' else 'mean'"),
}
"""Keywords with the kind of mutant, and the changed value."""
_OPERATORS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("-", "a sign changed"),
    ast.Sub: ("+", "a sign changed"),
    ast.Mult: ("+", "a product became a sum"),
    ast.Div: ("*", "a quotient became a product"),
}
KINDS = (
    "a move dropped",
    "a .cuda() left",
    "everything on CPU",
    "a seed changed",
    "a dtype changed",
    "an optimizer step skipped",
    "a scheduler step skipped",
    "a loss doubled",
    "a checkpoint of CPU tensors",
    "a round too few",
    *dict.fromkeys(kind for _, kind in _SWAPPED.values()),
    *_SKIPPED.values(),
    *dict.fromkeys(_UNWRAPPED.values()),
    *(kind for kind, _ in _KEYWORDS.values()),
    *dict.fromkeys(kind for _, kind in _OPERATORS.values()),
)
_DTYPES = {
    "float": "double",
    "double": "float",
    "half": "float",
    "long": "int",
    "int": "long",
    "float32": "float64",
    "float64": "float32",
    "float16": "float32",
    "int64": "int32",
    "int32": "int64",
    "bfloat16": "float32",
}


@dataclass(frozen=True)
class Mutant:
    """One wrong program, and the same with an error where it is wrong: what that does not change is never run."""

    kind: str
    line: int
    before: str
    after: str
    text: bytes
    probe: bytes

    def __str__(self) -> str:
        return f"line {self.line}: {self.kind}: `{self.before}` -> `{self.after}`"


def mutants(source: bytes) -> Iterator[Mutant]:
    """All of them, in the order of the program."""
    tree = ast.parse(source)
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    bom = 3 if source.startswith(b"\xef\xbb\xbf") else 0
    encoding = _encoding(source)
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        for kind, changed in _changes(node, id(node) in statements):
            start, end = (_offset(lines, starts, row, column, encoding, bom) for row, column in _ends(node))
            before = source[start:end].decode(encoding)
            after = changed(before) if callable(changed) else changed
            if after is None or after == before:
                continue
            parts = source[:start], source[end:]
            yield Mutant(
                kind,
                node.lineno,  # type: ignore[attr-defined]
                " ".join(before.split())[:70],
                " ".join(after.split())[:70],
                after.encode(encoding).join(parts),
                b"(1 / 0)".join(parts),
            )


def _encoding(source: bytes) -> str:
    found = re.search(rb"coding[:=]\s*([-\w.]+)", b"\n".join(source.splitlines()[:2]))
    return found.group(1).decode() if found else "utf-8"


def _ends(node: ast.AST) -> tuple[tuple[int, int], tuple[int, int]]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


def _offset(lines: list[bytes], starts: list[int], row: int, column: int, encoding: str, bom: int) -> int:
    """Where a place of the syntax tree, which counts bytes of UTF-8, is in the file."""
    line = lines[row - 1][bom if row == 1 else 0 :].decode(encoding)
    prefix = line.encode("utf-8")[:column].decode("utf-8").encode(encoding)
    return starts[row - 1] + (bom if row == 1 else 0) + len(prefix)


def _changes(node: ast.AST, is_statement: bool) -> Iterator[tuple[str, object]]:
    """What can be made of a node: kind, and the new text or a function of the old one."""
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        sign, kind = _OPERATORS[type(node.op)]
        if not any(isinstance(side, ast.Constant) and isinstance(side.value, str) for side in (node.left, node.right)):
            yield kind, f"(({ast.unparse(node.left)}) {sign} ({ast.unparse(node.right)}))"
    if not isinstance(node, ast.Call):
        return
    yield from _changes_of_call(node, is_statement)
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if method == "to" and node.args and "device" in ast.unparse(node.args[0]).lower():
        yield "a move dropped", lambda text: _without_call(text, node)
        yield "a .cuda() left", lambda text: _with_cuda(text, node)
    elif method == "device" and "cuda" in ast.unparse(node) and "cpu" in ast.unparse(node):
        yield "everything on CPU", 'torch.device("cpu")' if "torch" in ast.unparse(node.func) else None
    elif method == "manual_seed" and node.args:
        yield "a seed changed", f"{ast.unparse(node.func)}(1 + {ast.unparse(node.args[0])})"
    elif method == "step" and is_statement and not node.args:
        is_schedule = "sched" in ast.unparse(node.func)
        yield "a scheduler step skipped" if is_schedule else "an optimizer step skipped", "None"
    if method in _DTYPES and not node.args:
        yield "a dtype changed", f"({ast.unparse(node.func.value)}).{_DTYPES[method]}()"  # type: ignore[attr-defined]
    for keyword in node.keywords:
        if keyword.arg == "device" and "device" in ast.unparse(keyword.value):
            yield "a move dropped", _rebuilt(node, keyword, None)
        if keyword.arg == "dtype" and isinstance(keyword.value, ast.Attribute) and keyword.value.attr in _DTYPES:
            yield "a dtype changed", _rebuilt(node, keyword, f"torch.{_DTYPES[keyword.value.attr]}")


def _changes_of_call(node: ast.Call, is_statement: bool) -> Iterator[tuple[str, object]]:
    """Mistakes that have nothing to do with devices."""
    receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    rest = ast.unparse(ast.Call(ast.Name(""), node.args, node.keywords))
    if name in _SWAPPED and receiver is not None:
        yield _SWAPPED[name][1], f"({ast.unparse(receiver)}).{_SWAPPED[name][0]}{rest}"
    if name in _SKIPPED and is_statement:
        yield _SKIPPED[name], "None"
    if name in _UNWRAPPED and receiver is not None:
        yield _UNWRAPPED[name], f"({ast.unparse(receiver)})"
    if name == "backward" and receiver is not None and not node.args:
        yield "a loss doubled", f"(2 * ({ast.unparse(receiver)})).backward{rest}"
    if name == "range" and receiver is None and len(node.args) == 1:
        yield "a round too few", f"range(({ast.unparse(node.args[0])}) - 1)"
    if name == "state_dict" and receiver is not None and "optim" not in ast.unparse(receiver):
        yield "a checkpoint of CPU tensors", f"{{k: v.cpu() for k, v in {ast.unparse(node)}.items()}}"
    for keyword in node.keywords:
        if keyword.arg in _KEYWORDS:
            kind, changed = _KEYWORDS[keyword.arg]
            yield kind, _rebuilt(node, keyword, changed.format(ast.unparse(keyword.value)))


def _without_call(text: str, node: ast.Call) -> str | None:
    """The receiver of a move alone."""
    return None if "\n" in text else f"({ast.unparse(node.func.value)})"  # type: ignore[attr-defined]


def _with_cuda(text: str, node: ast.Call) -> str | None:
    return None if "\n" in text else f"({ast.unparse(node.func.value)}).cuda()"  # type: ignore[attr-defined]


def _rebuilt(node: ast.Call, keyword: ast.keyword, value: str | None) -> str:
    """A call with another value for a keyword, or without it."""
    keywords = []
    for one in node.keywords:
        if one is keyword and value is None:
            continue
        new = ast.parse(value, mode="eval").body if one is keyword and value else one.value
        keywords.append(ast.keyword(one.arg, new))
    return ast.unparse(ast.Call(node.func, node.args, keywords))
