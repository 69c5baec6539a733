"""Devices that callers choose, by their options or flags, or as they like: perhaps the CPU where there is CUDA."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from devlint.analysis.project.calls import CallSite
from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.options import values_set
from devlint.analysis.slots.given.given_devices import values_of_name
from devlint.analysis.slots.given.given_texts import QuestionToCallers, is_given_by_calls
from devlint.syntax.file_context import FileContext, fact_of
from devlint.syntax.python_tree.nodes import last_name, nodes_below
from devlint.torch_api.device_naming import holds_options

_TEXTS = (ast.JoinedStr, ast.BinOp)
"""What names a card by its number, as ``"cuda:{}".format(args.gpu)`` does."""


@fact_of
def is_chosen_by_callers(ctx: FileContext, param: cst.Param) -> bool:
    """Whether a call in the project gives a parameter the CPU, or what an option or a flag of the caller chooses."""
    return is_given_by_calls(ctx, param, _Chosen(ctx))


class _Chosen(QuestionToCallers):
    """Whether options, or flags that come of them, are asked which device is given."""

    def _is_option(self, name: str) -> bool:
        return True

    def _is_value(self, value: ast.expr) -> bool:
        return False

    def _is_given(self, site: CallSite, written: str | None, depth: int) -> bool:
        if written is None:
            return False
        value = ast.parse(written, mode="eval").body
        return _is_cpu(value) or self._is_one(site, value, depth)

    def _is_one(self, site: CallSite, value: ast.expr, depth: int) -> bool:
        if isinstance(value, ast.Name) and value.id in dict(site.values):
            return super()._is_one(site, value, depth) or self._is_under_choice(site, value.id, depth)
        if isinstance(value, (ast.Attribute, ast.Subscript)) and _is_of_options(last_name(value.value)):
            return self._is_option_chosen(site, value, depth)
        module = self._module_of(site)
        if isinstance(value, ast.Name) and _is_of_options(value.id):  # device_for(args)
            return True
        if isinstance(value, ast.Name) and module is not None and depth:
            given = [*values_of_name(module, value.id), *_tests_around(module, value.id)]
            return any(self._is_one(site, one, depth - 1) for one in given)
        parts = (one for one in ast.iter_child_nodes(value) if isinstance(one, (ast.expr, ast.keyword)))
        inner = (one.value if isinstance(one, ast.keyword) else one for one in parts)
        return not _is_text(value) and any(self._is_one(site, one, depth) for one in inner)

    def _is_option_chosen(self, site: CallSite, value: ast.Attribute | ast.Subscript, depth: int) -> bool:
        """Whether an option is what the user says, or the file that reads it gives it a device that is chosen."""
        module = self._module_of(site) if isinstance(value, ast.Attribute) else None
        given = values_set(module, value.attr) if module is not None and isinstance(value, ast.Attribute) else []
        others = [one for one in given if ast.dump(one) != ast.dump(value)]
        return not others or (depth > 0 and any(self._is_one(site, one, depth - 1) for one in others))

    def _is_under_choice(self, site: CallSite, name: str, depth: int) -> bool:
        """Whether an option decides which of several values a name gets."""
        module = self._module_of(site)
        tests = _tests_around(module, name) if module is not None and depth else ()
        return any(self._is_one(site, one, depth - 1) for one in tests)

    def _module_of(self, site: CallSite) -> ProjectModule | None:
        is_own = self.module is not None and site.path == self.module.path
        return self.module if is_own else self.project.index.module(site.path)


def _is_cpu(value: ast.expr) -> bool:
    """Whether a value is the CPU, and nothing else: ``"cpu"``, ``torch.device("cpu")``."""
    if isinstance(value, ast.Call) and last_name(value.func) == "device" and len(value.args) == 1:
        value = value.args[0]
    return isinstance(value, ast.Constant) and value.value == "cpu"


def _is_of_options(name: str) -> bool:
    """Whether a name holds options; an Accelerator has the device of all that its program prepares."""
    return holds_options(name) and "accelerator" not in name.lower()


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, _TEXTS) or (isinstance(value, ast.Call) and last_name(value.func) == "format")


def _tests_around(module: ProjectModule, name: str) -> Iterator[ast.expr]:
    """The tests of those conditions alone that give a name a value."""
    for node in nodes_below(module.tree):
        if isinstance(node, ast.If):
            assigns = (one for one in (*node.body, *node.orelse) if isinstance(one, ast.Assign))
            if any(isinstance(each, ast.Name) and each.id == name for one in assigns for each in one.targets):
                yield node.test
