"""devlint makes PyTorch code device-agnostic: it finds what assumes one kind of device, and rewrites it."""

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:  # what a library user sees; it is imported when it is first asked for
    from devlint.core.diagnostic import Applicability, Diagnostic, Edit, Failure, Fix, Location, Span
    from devlint.core.errors import ConfigError, DevlintError
    from devlint.integrations.library import CheckResult, FixResult, check, fix

__all__ = [
    "Applicability",
    "CheckResult",
    "ConfigError",
    "DevlintError",
    "Diagnostic",
    "Edit",
    "Failure",
    "Fix",
    "FixResult",
    "Location",
    "Span",
    "check",
    "fix",
]

_HOMES = {
    "devlint.core.diagnostic": {"Applicability", "Diagnostic", "Edit", "Failure", "Fix", "Location", "Span"},
    "devlint.core.errors": {"ConfigError", "DevlintError"},
    "devlint.integrations.library": {"CheckResult", "FixResult", "check", "fix"},
}


def __getattr__(name: str) -> object:
    """The public name, imported now."""
    for module, names in _HOMES.items():
        if name in names:
            import importlib

            value: object = getattr(importlib.import_module(module), name)
            return globals().setdefault(name, value)
    raise AttributeError(f"module 'devlint' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The names above, with those not imported yet."""
    return sorted({*globals(), *__all__})
