"""DEV304: ``os.environment``, which does not exist."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.resolution import origin
from devlint.rules.base import Rule
from devlint.rules.triggers.names import Member
from devlint.syntax import edits
from devlint.torch_api.environment_variables import NOT_ENVIRON


class OsEnvironment(Rule):
    """A misspelling of ``os.environ``.

    What it does
    ------------
    Finds ``os.environment``, ``os.env``, and typing errors such as ``os.enviorn``, where ``os`` is Python's own
    module.

    Why is this bad?
    ----------------
    The line raises ``AttributeError`` when it runs; the mapping is called ``os.environ``. The error stays hidden if
    the line is in a branch that is rarely taken, such as one that selects a GPU.

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
    advice = "Write `os.environ`"
    trigger = Member("os", *NOT_ENVIRON)

    def visit_Attribute(self, node: cst.Attribute) -> None:
        wrong = node.attr.value
        if wrong not in NOT_ENVIRON or origin(self.ctx, node.value) != "os":
            return
        if isinstance(self.ctx.tree.parent(node), cst.AssignTarget):
            return
        change = edits.replace(self.ctx, node.attr, "environ")
        fix = edits.as_fix(f"Replace `{wrong}` by `environ`", [change])
        self.report(node.attr, f"`os` has no `{wrong}`: the environment is `os.environ`", fix)
