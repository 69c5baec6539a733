"""DEV304: ``os.environment``, which does not exist."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.resolution import origin
from devlint.core.regex_fragments import DOT, GAP, any_of
from devlint.rules.base import Rule
from devlint.syntax import edits

_WRONG = frozenset(
    "environment environments enviroment enviornment environement enviromment environs enviorn envrion evniron enviro "
    "envirn envirion enviromnent env envs environnement".split()
)


class OsEnvironment(Rule):
    """The environment asked for by a name that ``os`` does not have.

    What it does
    ------------
    Finds ``os.environment``, ``os.env``, and slips such as ``os.enviorn``, where ``os`` is Python's own module.

    Why is this bad?
    ----------------
    It raises ``AttributeError`` when the line runs; the mapping is called ``os.environ``. A line that chooses a GPU in
    a branch that nobody took before is a good place for it to hide.

    Example
    -------
    ```python
    import os

    os.environment["CUDA_VISIBLE_DEVICES"] = "0"
    ```

    Use instead:
    ```python
    import os

    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    ```

    Fix safety
    ----------
    Safe: the line has always failed.
    """

    code = "DEV304"
    name = "os-environment"
    literals = (b"env", b"evniron")
    patterns = (rf"os{DOT}{any_of(_WRONG)}", rf"os{GAP}as\b")

    def visit_Attribute(self, node: cst.Attribute) -> None:
        wrong = node.attr.value
        if wrong not in _WRONG or origin(self.ctx, node.value) != "os":
            return
        if isinstance(self.ctx.tree.parent(node), cst.AssignTarget):
            return
        change = edits.replace(self.ctx, node.attr, "environ")
        fix = edits.as_fix(f"Replace `{wrong}` by `environ`", [change])
        self.report(node.attr, f"`os` has no `{wrong}`: the environment is `os.environ`", fix)
