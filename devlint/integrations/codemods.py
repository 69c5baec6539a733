"""devlint as a codemod: ``python -m libcst.tool codemod -x devlint.integrations.codemods.DeviceAgnostic PATH``."""

from __future__ import annotations

import argparse
from typing import Any

import libcst as cst
from libcst.codemod import CodemodCommand, CodemodContext, SkipFile

from devlint.config.option_table import options_of
from devlint.integrations import library

_KEYWORDS = {"unsafe_fixes": "unsafe"}
"""Options that ``devlint.fix`` calls something else."""


class DeviceAgnostic(CodemodCommand):
    """Makes a module run on any device; what it leaves is a warning."""

    DESCRIPTION = "Rewrite what ties PyTorch code to one kind of device, as `devlint fix` does."

    def __init__(self, context: CodemodContext, **options: Any) -> None:
        """``options`` are the keywords of ``devlint.fix``."""
        super().__init__(context)
        self._options = options

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """The options of ``devlint fix`` that concern the fixes."""
        for option in options_of("codemod"):
            value = {"choices": option.choices or None, "metavar": option.value}
            arg_parser.add_argument(
                f"--{option.name}",
                dest=_KEYWORDS.get(option.key, option.key),
                default=argparse.SUPPRESS,
                help=option.help,
                **(value if option.value else {"action": "store_true"}),
            )

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """The module with all fixes made; the same one where there are none."""
        filename = self.context.filename
        if filename is not None and not _is_whole(tree, filename):
            raise SkipFile("LibCST does not give back this file as it is, so devlint cannot rewrite it")
        result = library.fix(tree.code, filename=filename, **self._options)
        if result.failure is not None:
            self.warn(f"{result.failure.path}: {result.failure.message}")
        for one in result.remaining:
            self.warn(f"{one.path}:{one.location.row}:{one.location.column}: {one.code} {one.message}")
        return cst.parse_module(result.text, tree.config_for_parsing) if result.applied else tree


def _is_whole(tree: cst.Module, filename: str) -> bool:
    """Whether a tree is all that its file holds: LibCST drops form feeds."""
    with open(filename, "rb") as file:
        return file.read() == tree.bytes
