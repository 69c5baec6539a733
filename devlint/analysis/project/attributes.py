"""Who gives an attribute a value, in all of a project."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.record import Record
from devlint.syntax.python_tree.cpu_choices import chooses_cpu, gives_device
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below, text_of
from devlint.syntax.python_tree.python_ast import syntax_tree
from devlint.syntax.python_tree.source_lines import is_on, matching_lines, numbers_of_lines_with, statement_on


class AttributeAssignment(Record):
    """A place that gives an attribute a value."""

    path: str
    owner: str
    """What has the attribute, as it is written: ``opt``, ``self``; empty for a longer expression."""
    in_class: str
    """The class around it; empty where there is none."""
    asks: bool
    """Whether the value is asked of torch: ``opt.cuda = opt.cuda and torch.cuda.is_available()``."""
    chooses_cpu: bool
    """Whether it is the CPU for another reason than CUDA: ``cfg.device = "cuda" if cfg.state else "cpu"``."""
    gives_device: bool = False
    """Whether the value is a device, or a string that may name one, whatever a test in it says."""
    worker: str = ""
    """The function whose first parameter it is given, and which is only called, or started by ``spawn``."""
    of_parsed: bool = False
    """Whether it is given to the options that a parser makes: ``args = parser.parse_args()``."""


def set_from_outside(project: Project, attribute: str) -> list[AttributeAssignment] | None:
    """Where other files assign an attribute of anything but ``self``; None where nobody knows."""
    return search(project, SET, attribute)


def set_by_instances(project: Project, attribute: str) -> list[AttributeAssignment] | None:
    """Where other files assign ``self.attribute``; None where nobody knows."""
    return search(project, SET_BY_SELF, attribute)


_WRITTEN = (
    rb"^[^\n=]*(?<!self)\.\s*NAME\b[^\n=]*(?<![!<>=])=(?!=)|=\s*[\w.]*\w(?<!self)\.\s*NAME\s*=(?!=)"
    rb"|(?:setattr|patch(?:\.object)?)\s*\([^\n]*[\"'.]NAME[\"']|[\"']NAME[\"']\s*\]\s*=(?!=)"
)


_WRITTEN_BY_SELF = rb"\bself\.NAME\b[^\n=]*(?<![!<>=])=(?!=)"


def set_in(index: Index, paths: Iterable[str], attribute: str) -> Iterator[AttributeAssignment]:
    """Where some files assign an attribute of anything but ``self``."""
    return _assignments(index, paths, attribute, False)


def _assignments(index: Index, paths: Iterable[str], attribute: str, by_self: bool) -> Iterator[AttributeAssignment]:
    pattern = _WRITTEN_BY_SELF if by_self else _WRITTEN
    word = attribute.encode()
    written = re.compile(pattern.replace(b"NAME", re.escape(word)), re.MULTILINE)
    for path in paths:
        data = index.disk.read(path)
        if data is None or not any(_may_assign(line, attribute) for line in matching_lines(data, word, written)):
            continue
        module = index.module(path)
        for node, in_class in _with_classes(module, numbers_of_lines_with(data, word)) if module is not None else ():
            owner = owner_of_assigned(node, attribute)
            if module is not None and owner is not None and (dotted_text(owner) == "self") is by_self:
                asks, value = "is_available" in ast.unparse(node), getattr(node, "value", None)
                known = chooses_cpu(value), gives_device(value), _worker(module, node), _is_parsed(module, owner)
                yield AttributeAssignment(path, dotted_text(owner), in_class, asks, *known)


def _may_assign(line: bytes, attribute: str) -> bool:
    """Whether a line may give the attribute a value: it does, or is only a part of a statement."""
    tree = statement_on(line)
    return tree is None or any(owner_of_assigned(node, attribute) is not None for node in nodes_below(tree))


def _with_classes(module: ProjectModule, lines: list[int]) -> Iterator[tuple[ast.AST, str]]:
    """All nodes of statements that stand on some of these lines, with the names of the classes around them."""
    waiting: list[tuple[ast.AST, str]] = [(module.tree, "")]
    while waiting:
        node, in_class = waiting.pop()
        yield node, in_class
        inner = node.name if isinstance(node, ast.ClassDef) else in_class
        waiting += [(one, inner) for one in ast.iter_child_nodes(node) if is_on(one, lines)]


def owner_of_assigned(node: ast.AST, attribute: str) -> ast.expr | None:
    """What has the attribute that a statement, or a call such as ``setattr`` and ``mock.patch``, assigns."""
    if isinstance(node, ast.Call):
        return _owner_in_call(node, attribute)
    if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) or node.value is None:
        return None
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        for one in nodes_below(target):
            if isinstance(one, ast.Attribute) and one.attr == attribute and isinstance(one.ctx, ast.Store):
                return one.value
            if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store):
                if isinstance(one.slice, ast.Constant) and one.slice.value == attribute:
                    return one.value
    return None


def _owner_in_call(call: ast.Call, attribute: str) -> ast.expr | None:
    """What has the attribute that ``setattr(lib, "cuda", …)`` or ``mock.patch("lib.cuda", …)`` sets."""
    called, name = dotted_text(call.func), call.args[1] if len(call.args) > 1 else None
    is_of_object = called.endswith("patch.object") or (last_name(call.func) == "setattr" and len(call.args) == 3)
    if is_of_object and name is not None and text_of(name) == attribute:
        return call.args[0]
    target = text_of(call.args[0]) if call.args and last_name(call.func) in ("setattr", "patch") else None
    owner, _, last = (target or "").rpartition(".")
    tree = syntax_tree(owner) if last == attribute and owner else None
    line = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    return line.value if isinstance(line, ast.Expr) and dotted_text(line.value) else None


def _is_parsed(module: ProjectModule, owner: ast.expr) -> bool:
    """Whether a name that a file binds only once is what a parser of options gives."""
    value = module.sole_value(owner.id) if isinstance(owner, ast.Name) else None
    if not isinstance(owner, ast.Name) or not isinstance(value, ast.Call) or last_name(value.func) != "parse_args":
        return False
    return sum(_binds_name(one, owner.id) for one in ast.walk(module.tree)) == 1


def _binds_name(node: ast.AST, name: str) -> bool:
    """Whether a node is a parameter, or gives a name a value."""
    if isinstance(node, ast.arg):
        return node.arg == name
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)


def _worker(module: ProjectModule, statement: ast.AST) -> str:
    """The function of a module that ``args.gpu = gpu`` is in, if ``gpu`` is its first parameter.

    And the module does nothing with the function but call it, or give it to ``spawn``. Empty where that is not so.
    """
    value = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(value, ast.Name):
        return ""
    functions = [one for one in module.tree.body if isinstance(one, ast.FunctionDef) and not one.decorator_list]
    around = next((one for one in functions if statement in one.body), None)
    first = around.args.args[0].arg if around is not None and around.args.args else None
    if around is None or first != value.id or _binds(around, first):
        return ""
    return around.name if _only_runs(module, around.name) else ""


def _binds(function: ast.FunctionDef, name: str) -> bool:
    """Whether a function gives a parameter another value."""
    names = (one for one in nodes_below(function) if isinstance(one, ast.Name) and one.id == name)
    return any(not isinstance(one.ctx, ast.Load) for one in names)


def _only_runs(module: ProjectModule, name: str) -> bool:
    """Whether a function is nothing but called with something, or started by ``spawn``."""
    known = set()
    for call in nodes_below(module.tree):
        if isinstance(call, ast.Call) and call.args and not isinstance(call.args[0], ast.Starred):
            known |= {id(call.func), id(call.args[0]) if last_name(call.func) == "spawn" else 0}
    uses = [one for one in nodes_below(module.tree) if isinstance(one, ast.Name) and one.id == name]
    return all(id(one) in known for one in uses)


def _word(attribute: str) -> tuple[bytes, ...]:
    return (attribute.encode(),)


SET = Search("set", _word, set_in)
SET_BY_SELF = Search("set by self", _word, lambda index, paths, name: _assignments(index, paths, name, True))
