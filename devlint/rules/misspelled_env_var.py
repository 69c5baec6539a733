"""DEV301: an environment variable that nothing reads, because its name is misspelled."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.environment_reads import (
    is_read_by_project,
    names_variable,
    reads_variable,
    surely_names_variable,
    variable_name,
)
from devlint.analysis.apis.hidden_cards import hides_chosen_card
from devlint.analysis.names.bindings import dotted_name
from devlint.core.diagnostic import Edit, Span
from devlint.core.lazy_regex import regex
from devlint.rules.base import Rule
from devlint.rules.triggers.strings import MisspelledVariable
from devlint.sources.environment_mentions import is_turned, mentions
from devlint.syntax import edits
from devlint.torch_api.environment_variables import fix_message, meant, message
from devlint.torch_api.libraries import TELLING

_HIDE_CARDS = frozenset({"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"})
_ESCAPE = regex(r"\\[nrtvfab]")
_SHOWN = TELLING | {"write", "fail", "skip", "Exception"}


class MisspelledEnvVar(Rule):
    """An environment variable whose name is misspelled.

    What it does
    ------------
    Finds names that differ by a typing error from a variable that CUDA, ROCm, NCCL, PyTorch or another vendor's stack
    reads (``CUDA_VISIBLE_DEVICE``, ``CUDA_VISIABLE_DEVICES``, ``CUDA_VISIBLE-DEVICES``), and common mistakes
    (``CUDA_AVAILABLE_DEVICES``), wherever a program reads or writes the environment: ``os.environ`` and its copies,
    ``os.getenv``, ``env={...}``, ``monkeypatch.setenv``, commands in strings and in notebooks. It also checks shell
    scripts, Dockerfiles, Makefiles, YAML, TOML, ``.env`` files and Markdown. A project's own names (``CUDA_DEVICES``,
    ``MY_CUDA_VISIBLE_DEVICES``) are not reported, nor is a name that the file itself translates into the right one.

    Why is this bad?
    ----------------
    A misspelled variable causes no error: the program runs on all GPUs or on the first one, although it was told to
    use another.

    Example
    -------
    ```python
    import os

    os.environ["CUDA_VISIBLE_DEVICE"] = "1"
    ```

    Use instead:
    ```python
    import os

    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    ```

    Fix safety
    ----------
    Safe: the line now does what it says, so ``CUDA_VISIBLE_DEVICES`` may hide GPUs that the program used before; the
    fix says so. Unsafe if the project reads the variable by this name, because so far it was never set, or only by
    this name; and if the program also takes the card by the number that it gives the variable, which leaves only
    card 0. There is no fix if the name is written with escapes.
    """

    code = "DEV301"
    name = "misspelled-env-var"
    advice = "Correct the name wherever it stands, or suppress this if the name is the project's own"
    trigger = MisspelledVariable()

    def visit_Module(self, node: cst.Module) -> None:
        for place in self.ctx.source.commands:
            name = self.ctx.source.text[place.start : place.end]
            known = meant(name)
            if known is not None:
                self._report(place, name, known)

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        name = variable_name(node)
        if name is None or meant(name) is None:
            self._look_into(node)
        else:
            self._judge(node, name)

    def visit_FormattedStringText(self, node: cst.FormattedStringText) -> None:
        self._look_into(node)

    def visit_Arg(self, node: cst.Arg) -> None:
        if node.keyword is not None:
            self._judge(node.keyword, node.keyword.value)

    def _judge(self, node: cst.CSTNode, name: str) -> None:
        """Report a string, or the name of a keyword, that is a misspelled name."""
        known = meant(name)
        names = surely_names_variable if name.islower() else names_variable
        if known is None or not names(self.ctx, node) or is_turned(self.ctx.source.text, name, known):
            return
        place = edits.word_inside(self.ctx, node, name)
        caveat = "the program now sees the variable" if reads_variable(self.ctx, node) else None
        if caveat is None and known in _HIDE_CARDS and hides_chosen_card(self.ctx, node):
            caveat = "the card that the program takes by this number is hidden then"
        self._report(place, name, known, caveat)

    def _look_into(self, node: cst.SimpleString | cst.FormattedStringText) -> None:
        """Report the misspelled names in a command."""
        found = mentions(_ESCAPE.sub("  ", node.value))
        if not found or self._is_shown(node):
            return
        for one in found:
            if not is_turned(self.ctx.source.text, one.name, one.correct_name):
                self._report(edits.part_of(self.ctx, node, one.start, one.end), one.name, one.correct_name)

    def _is_shown(self, node: cst.CSTNode) -> bool:
        """Whether a string is only for people to read."""
        for one in self.ctx.tree.ancestors(node):
            if isinstance(one, (cst.Raise, cst.Assert)):
                return True
            if isinstance(one, cst.Call) and (dotted_name(one.func) or "").rpartition(".")[2] in _SHOWN:
                return True
            if isinstance(one, (cst.BaseSmallStatement, cst.BaseCompoundStatement)):
                return False
        return False

    def _report(self, place: Span, name: str, known: str, caveat: str | None = None) -> None:
        if caveat is None and is_read_by_project(self.ctx, name):
            caveat = "the project reads it by this name"
        change = Edit(place, known)
        self.report_at(place, message(name, known), edits.as_fix(fix_message(name, known), [change], caveat))
