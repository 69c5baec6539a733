"""What "a device" becomes: the expressions a fix may write, as plain data."""

from __future__ import annotations

from devlint.core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

DEFAULT_TORCH_MIN_VERSION = (2, 0)
DEVICES_LOCATE = (0, 4, 1)
"""The torch whose ``torch.load`` takes a device first: 0.4.0 only takes texts, as ``"cuda:0"``."""
TOO_OLD = "the torch that the project asks for has no devices; `torch-min-version` says otherwise"
"""Why a fix may be wrong where ``torch_is_before_devices``."""
ARGUMENTS = "{args}"
"""The placeholder for the arguments of a call in the expression that replaces it."""
CURRENT = "accelerator.current_accelerator()"
_OF_ANY = {"current_device()": "current_device_index()", "device_count()": "device_count()"}
"""What torch.accelerator calls the number of the current card, and of all cards."""
KINDS = ("cuda", "accelerator", "project")


class ConfiguredCall(Record):
    """The project's own replacement for a function of ``torch.cuda``."""

    function: str
    """The function it replaces: ``torch.cuda.empty_cache``."""
    expression: str
    """What a call of it becomes, with ``{args}`` for its arguments: ``backend_empty_cache(torch_device)``."""
    line: str | None = None
    """The import statement that makes the expression work."""

    def written(self, arguments: str) -> str | None:
        """The expression for a call with ``arguments``, as source text; None where it has no place for them."""
        if ARGUMENTS not in self.expression:
            return None if arguments.strip() else self.expression
        if arguments.strip():
            return self.expression.replace(ARGUMENTS, arguments)
        return self.expression.replace(f", {ARGUMENTS}", "").replace(ARGUMENTS, "")


class ConfiguredGate(Record):
    """The project's own gate of tests that need CUDA, and the one for tests that need any accelerator."""

    name: str
    """The decorator, mark or fixture that keeps tests from running without CUDA: ``require_torch_gpu``."""
    replacement: str
    """What does so without an accelerator: ``require_torch_accelerator``."""
    line: str | None = None
    """The import statement of the replacement, where it is not in the module that the gate is imported from."""

    def is_called(self, dotted: str | None) -> bool:
        """Whether a dotted name is that of the gate, with or without the module in front of it."""
        return _ends_with(dotted, self.name)


class ConfiguredSlot(Record):
    """A function that is told a device, as the configuration says of it."""

    function: str
    """``launch``, ``mylib.launch`` or ``Engine.load``."""
    parameter: str
    """What takes the device, by its keyword."""
    position: int | None = None
    """Where it stands without its keyword, from 0; None where it always has it."""

    def is_called(self, dotted: str | None) -> bool:
        """Whether a dotted name is that of the function, with or without the module in front of it."""
        return _ends_with(dotted, self.function)


def _ends_with(dotted: str | None, name: str) -> bool:
    return dotted is not None and f".{dotted}".endswith(f".{name}")


class Target(Record):
    """The configured destination of every rewrite."""

    kind: str = "cuda"
    """``cuda``, ``accelerator`` (torch >= 2.6) or ``project``."""
    device: str | None = None
    """The project's own expression for a device, with ``kind="project"``: ``torch_device``, ``get_device()``."""
    device_import: str | None = None
    """The import statement that makes ``device`` work: ``from testing_utils import torch_device``."""
    torch_min_version: tuple[int, ...] = DEFAULT_TORCH_MIN_VERSION
    """No fix emits a name newer than this release of torch; it has two numbers, but for 0.4.1."""
    calls: tuple[ConfiguredCall, ...] = ()
    """What the project calls in the place of torch.cuda's functions, with ``kind="project"``."""
    gates: tuple[ConfiguredGate, ...] = ()
    """The project's own gates of tests."""
    slots: tuple[ConfiguredSlot, ...] = ()
    """Functions that are told a device."""
    torch_min_is_guess: bool = False
    """Whether neither the configuration nor a requirement of the project says which torch is the oldest."""
    torch_is_before_devices: bool = False
    """Whether the project asks for a torch before 0.4, which has no ``torch.device``."""
    python_may_be_old: bool = False
    """Whether the project says that it runs on a Python before 3.7, which has no ``nullcontext``."""
    python_may_be_2: bool = False
    """Whether it says that it runs on Python 2, which has no ``ExitStack`` either."""

    @property
    def device_name(self) -> str:
        """The name that must stand for something where the project's own expression for a device is to work."""
        return (self.device or "").partition("(")[0].partition(".")[0].strip()

    def available(self, torch: str) -> str:
        """The availability test of this target; ``torch`` is the name that torch is bound to."""
        owner = "accelerator" if self.kind == "accelerator" else "cuda"
        return f"{torch}.{owner}.is_available()"

    def device_expression(self, torch: str, condition: str | None = None, index: str | None = None) -> str:
        """The expression of type ``torch.device`` for this target.

        ``condition`` replaces the availability test (a program's own flag), ``index`` is the number of the card where
        the program named one.
        """
        if self.kind == "project" and self.device:
            return self.device
        test = condition or self.available(torch)
        if self.kind == "accelerator":
            current = f"{torch}.{CURRENT}" if index is None else self.card(torch, index, as_string=False)
            return f'{current} if {test} else {torch}.device("cpu")'
        return f"{torch}.device({self.string_expression(torch, condition, index)})"

    def card(self, torch: str, index: str, as_string: bool) -> str | None:
        """One card of the accelerator there is, where there is one, as a string or a ``torch.device``.

        ``index`` is source text; None where it cannot be put into a string, or asks CUDA for something else than the
        number of its cards or of the current one.
        """
        for of_cuda, of_any in _OF_ANY.items():
            index = index.replace(f"{torch}.cuda.{of_cuda}", f"{torch}.accelerator.{of_any}")
        if "cuda." in index or "current_device()" in index:
            return None
        kind = f"{torch}.{CURRENT}.type"
        if not as_string:
            return f"{torch}.device({kind}, {index})"
        if '"' in index or "\n" in index or "#" in index:
            return None
        return f'f"{{{kind}}}:{index if index.isdigit() else f"{{{index}}}"}"'

    def string_expression(self, torch: str, condition: str | None = None, index: str | None = None) -> str:
        """The same as a string, where the program kept its device in one; a project's own expression is what it is."""
        if self.kind == "project" and self.device:
            return self.device
        name = '"cuda"' if index is None else f'"cuda:{index}"'
        test = condition or self.available(torch)
        if self.kind == "accelerator":
            current = f"{torch}.{CURRENT}.type" if index is None else self.card(torch, index, as_string=True)
            return f'{current} if {test} else "cpu"'
        return f'{name} if {test} else "cpu"'


def torch_version(major: str, minor: str, patch: str | None = "") -> tuple[int, ...]:
    """A release of torch by its numbers; of a third one all that matters is whether ``torch.load`` takes devices."""
    version = int(major), int(minor or 0)
    return DEVICES_LOCATE if (*version, int(patch or 0)) >= DEVICES_LOCATE > version else version


def release_below(version: tuple[int, ...]) -> tuple[int, ...]:
    """The newest release before another one, as far as that matters: 1.5 before 1.6."""
    if len(version) > 2:
        return version[:2]
    major, minor = version
    return (major, minor - 1) if minor else (max(major - 1, 0), 99 if major > 1 else 4)
