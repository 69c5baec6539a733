"""Files of a project that set where torch makes tensors for which no device is named."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devlint.analysis.project.mentions import Holder
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.lazy_regex import regex
from devlint.syntax.python_tree.nodes import arguments, dotted_text, last_name, nodes_below
from devlint.torch_api.device_naming import DEFAULT_SETTERS, ON_EVERY_MACHINE

_GETTER = "torch.get_default_device"
_TEST_FILE = regex(r"(?:test_.*|.*_test|conftest)\.py")
_ON_CPU = regex(r"(?:torch\.)?[A-Z][a-zA-Z0-9]*Tensor")


def is_default_set_elsewhere(project: Project) -> bool:
    """Whether another file of the project may have tensors without a device made elsewhere than on the CPU.

    Also where nobody knows. What a test sets says nothing of the programs that use the project.
    """
    return search(project, DEFAULT_DEVICES, "torch") != []


def _setting_files(index: Index, paths: Iterable[str], name: str) -> Iterator[Holder]:
    for path in paths:
        module = index.module(path)
        if module is not None and module.fact(_sets_default) and not _is_test(path, module.bindings):
            yield Holder(path)


def _is_test(path: str, names: Iterable[str]) -> bool:
    """Whether pytest collects a file, by its name and what it defines."""
    return is_named_as_test(path) and any(name.startswith(("test", "Test", "pytest")) for name in names)


def is_named_as_test(path: str) -> bool:
    """Whether a file is called as those are that pytest looks at: ``test_model.py``, ``model_test.py``."""
    return _TEST_FILE.fullmatch(path.replace("\\", "/").rpartition("/")[2]) is not None


def _sets_default(tree: ast.Module) -> bool:
    nodes = nodes_below(tree)
    calls = (one for one in nodes if isinstance(one, ast.Call) and last_name(one.func) in DEFAULT_SETTERS)
    given = [value for call in calls for value in arguments(call) if not _is_on_cpu(value)]
    return any(not _is_as_before(nodes, dotted_text(value)) for value in given)


def _is_as_before(nodes: list[ast.AST], name: str) -> bool:
    """Whether a name holds nothing but the default device that there was."""
    assigns = (one for one in nodes if isinstance(one, ast.Assign) and name in map(dotted_text, one.targets))
    asked = [isinstance(one.value, ast.Call) and dotted_text(one.value.func) == _GETTER for one in assigns if name]
    return bool(asked) and all(asked)


def _is_on_cpu(value: ast.expr) -> bool:
    """Whether a default device, or a default type of tensors, is certainly none of an accelerator."""
    if isinstance(value, ast.IfExp):
        return _is_on_cpu(value.body) and _is_on_cpu(value.orelse)
    if isinstance(value, ast.Call):
        return dotted_text(value.func) == "torch.device" and all(map(_is_on_cpu, arguments(value)))
    name = value.value if isinstance(value, ast.Constant) else dotted_text(value)
    if not isinstance(name, str):
        return name is None
    is_device = isinstance(value, ast.Constant) and name.partition(":")[0] in ON_EVERY_MACHINE
    return is_device or _ON_CPU.fullmatch(name) is not None


DEFAULT_DEVICES = Search("default devices", lambda name: tuple(one.encode() for one in DEFAULT_SETTERS), _setting_files)
