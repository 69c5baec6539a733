"""The rules that need no syntax tree: devlint itself finds what they name, so they live outside ``rules/``."""

from __future__ import annotations

from typing import ClassVar

from devlint.core.target import KINDS


class ToolRule:
    """A code, a name and a manual, as a rule has them; found by the engine and by the suppressions."""

    code: ClassVar[str]
    name: ClassVar[str]
    default: ClassVar[bool] = True
    targets: ClassVar[tuple[str, ...]] = KINDS
    words: ClassVar[tuple[bytes, ...]] = ()
    needs_torch_min: ClassVar[bool] = False


class SyntaxErrorRule(ToolRule):
    """A file that cannot be decoded or parsed.

    What it does
    ------------
    Reports a file that is no Python 3: Python 2, a merge conflict, bytes that are not in the file's encoding. Such a
    file is never written. A file that holds none of the code the other rules look for is parsed only when it is
    named on the command line.

    Why is this bad?
    ----------------
    devlint cannot see what the file does with devices. By far the most frequent cause in PyTorch code is
    ``.cuda(async=True)``, a syntax error since Python 3.7.

    Example
    -------
    ```python
    batch = batch.cuda(async=True)
    ```

    Use instead:
    ```python
    batch = batch.cuda(non_blocking=True)
    ```

    Fix safety
    ----------
    Safe for ``async=``, which PyTorch itself renamed; there is no fix for anything else.
    """

    code = "DEV001"
    name = "syntax-error"


class UnusedSuppressionRule(ToolRule):
    """A suppression of a devlint rule that suppresses nothing.

    What it does
    ------------
    Finds ``# noqa: DEV101`` and ``# devlint: ignore`` comments, for a line or for a file, where the rule has nothing
    to report. A bare ``# noqa`` may be meant for another linter and is left alone.

    Why is this bad?
    ----------------
    It hides the next finding on that line, and it says something about the code that is no longer true.

    Example
    -------
    ```python
    model = model.to(device)  # noqa: DEV101, E501
    ```

    Use instead:
    ```python
    model = model.to(device)  # noqa: E501
    ```

    Fix safety
    ----------
    Safe: only a comment changes, and the codes of other linters stay.
    """

    code = "DEV002"
    name = "unused-suppression"
    words = (b"DEV", b"dev")


class MissingSuppressionReasonRule(ToolRule):
    """A suppression of a devlint rule that does not say why.

    What it does
    ------------
    Finds ``# noqa: DEV101``, ``# devlint: ignore[DEV101]`` and the project's own ``suppression-comments`` with no text
    after them. Not on by default.

    Why is this bad?
    ----------------
    Whoever comes next cannot know whether the code must stay on CUDA, or whether nobody had the time.

    Example
    -------
    ```python
    model = model.cuda()  # noqa: DEV101
    ```

    Use instead:
    ```python
    model = model.cuda()  # noqa: DEV101 - the kernel below exists for CUDA only
    ```

    Fix safety
    ----------
    There is no fix: only the author knows the reason.
    """

    code = "DEV003"
    name = "missing-suppression-reason"
    default = False
    words = (b"DEV", b"dev")
