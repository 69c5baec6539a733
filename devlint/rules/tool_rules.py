"""The rules that need no syntax tree: devlint itself finds what they name, so they live outside ``rules/``."""

from __future__ import annotations

from typing import ClassVar

from devlint.core.target import KINDS


class ToolRule:
    """A code, a name and a manual, as a rule has them; found by the engine and by the suppressions."""

    code: ClassVar[str]
    name: ClassVar[str]
    advice: ClassVar[str]
    default: ClassVar[bool] = True
    targets: ClassVar[tuple[str, ...]] = KINDS
    words: ClassVar[tuple[bytes, ...]] = ()
    needs_torch_min: ClassVar[bool] = False


class SyntaxErrorRule(ToolRule):
    """A file that cannot be decoded or parsed.

    What it does
    ------------
    Reports a file that is not valid Python 3: Python 2, a merge conflict, or bytes that are not in the file's
    encoding. Such a file is never written. A file found in a folder is only parsed if it contains code that another
    rule looks for; a file named on the command line is always parsed.

    Why is this bad?
    ----------------
    devlint cannot see what the file does with devices. In PyTorch code, by far the most frequent cause is
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
    Safe for ``async=``, which PyTorch itself has renamed to ``non_blocking=``; unsafe where the project asks for
    a torch before 0.4, which has only the old name. There is no fix for other syntax errors.
    """

    code = "DEV001"
    name = "syntax-error"
    advice = "Correct it for Python 3; until then devlint looks at nothing that does not parse"


class UnusedSuppressionRule(ToolRule):
    """A suppression of a devlint rule that suppresses nothing.

    What it does
    ------------
    Finds ``# noqa: DEV101`` and ``# devlint: ignore`` comments, for a line or a file, and ``# devlint: disable=DEV101``
    for a block, if the rule finds nothing there; and ``# devlint: enable`` where nothing is off. A
    bare ``# noqa`` may be meant for another linter and is not reported.

    Why is this bad?
    ----------------
    The comment would hide the next finding on that line, and what it says about the code is no longer true.

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
    Safe: only a comment changes, and the codes of other linters are kept.
    """

    code = "DEV002"
    name = "unused-suppression"
    advice = "Remove the suppression"
    words = (b"DEV", b"dev")


class MissingSuppressionReasonRule(ToolRule):
    """A suppression of a devlint rule without a reason.

    What it does
    ------------
    Finds ``# noqa: DEV101``, ``# devlint: ignore[DEV101]`` and the project's own ``suppression-comments`` with no text
    after them. Not on by default.

    Why is this bad?
    ----------------
    The next reader cannot know whether the code must stay on CUDA, or whether nobody had the time to change it.

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
    advice = "Write after the suppression why it is needed"
    default = False
    words = (b"DEV", b"dev")


class UnknownSuppressionRule(ToolRule):
    """A comment that is meant to suppress devlint and suppresses nothing.

    What it does
    ------------
    Finds suppressions that are misspelled (``# devlint: ignroe[DEV101]``), that have their codes in other brackets or
    in none (``ignore(DEV101)``), and codes and names that no rule has: ``ignore[DEV1O1]``, ``ignore[cuda-metod]``,
    ``# noqa: DEV1O1``.

    Why is this bad?
    ----------------
    The finding is not suppressed. Were the comment taken for one without codes, it would hide every other finding too.

    Example
    -------
    ```python
    model = model.cuda()  # devlint: ignore[DEV1O1] the kernel below exists for CUDA only
    ```

    Use instead:
    ```python
    model = model.cuda()  # devlint: ignore[DEV101] the kernel below exists for CUDA only
    ```

    Fix safety
    ----------
    Safe where one letter is wrong and only one code or name can be meant, or only the brackets are: a comment changes.
    There is no fix where several may be meant. No other fix changes a line while its suppression is unknown.
    """

    code = "DEV004"
    name = "unknown-suppression"
    advice = "Write `# devlint: ignore[CODE]` with a code or a name that `devlint rules` lists"
    words = (b"DEV", b"dev")


class DeviceInConfigurationRule(ToolRule):
    """A device of CUDA that a configuration file or a command names.

    What it does
    ------------
    Finds ``device: cuda``, ``map_location: "cuda:0"`` and ``accelerator: gpu`` in YAML, TOML, INI and JSON files, and
    ``--device cuda`` and ``--accelerator gpu`` there, in shell scripts, Dockerfiles and Makefiles, and in the commands
    of notebooks (``!python train.py --device cuda``, ``%%bash``). Comments and documents are not looked at, nor is the
    JSON in a folder, which is mostly data: name it (``devlint check --select DEV109 configs/*.json``). Not on by
    default.

    Why is this bad?
    ----------------
    The program may run on any machine, but what starts it asks for CUDA.

    Example
    -------
    ```yaml
    device: cuda:0
    ```

    ```python
    config = yaml.safe_load(Path("train.yaml").read_text())
    model.to(config["device"])
    ```

    Fix safety
    ----------
    There is no fix: the machine that a command or a configuration is for may well have CUDA. ``auto``, or no device at
    all, leaves the choice to the program.
    """

    code = "DEV109"
    name = "device-in-configuration"
    advice = "Write `auto`, or leave the device out, so that the program chooses"
    default = False
