"""The keys of a configuration: every value is checked where it is read, and every mistake is one line."""

from __future__ import annotations

import re

from devlint.config.selection import as_selector, catalogue, check_selectors
from devlint.core.errors import ConfigError, SelectorError, did_you_mean, readable
from devlint.core.target import ARGUMENTS, KINDS, ConfiguredCall, ConfiguredGate, ConfiguredSlot, torch_version
from devlint.sources.path_patterns import is_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sized
    from typing import Any, TypeVar

    Entries = TypeVar("Entries", bound=Sized)
    Options = Mapping[str, Any]
    """Checked values by the key a configuration file uses."""

MAX_ENTRIES = 10_000
"""Of one list or table: each pattern is compared with each file."""


def parse_options(raw: Mapping[str, object], origin: str) -> dict[str, Any]:
    """Check every key and value of one layer; raise ConfigError at the first that is wrong."""
    options: dict[str, Any] = {}
    for key, value in raw.items():
        parse = _PARSERS.get(key)
        if parse is None:
            raise ConfigError(
                origin, f"unknown key {readable(key)}{did_you_mean(key.lower().replace('_', '-'), _PARSERS)}"
            )
        try:
            options[key] = parse(value)
        except (ValueError, SelectorError) as error:
            raise ConfigError(origin, f"{key!r}: {error}") from None
    return options


def _few(values: Entries) -> Entries:
    """The same values; ValueError where they are more than anybody writes."""
    if len(values) > MAX_ENTRIES:
        raise ValueError(f"expected at most {MAX_ENTRIES:,} entries, not {len(values):,}")
    return values


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"expected a list of strings, not {readable(value)}")
    return tuple(_few(value))


def _selectors(value: object) -> tuple[str, ...]:
    selectors = tuple(as_selector(selector.strip(), catalogue()) for selector in _strings(value))
    check_selectors(selectors, catalogue())
    return selectors


def _globs(value: object) -> tuple[str, ...]:
    for glob in _strings(value):
        if not is_pattern(glob):
            raise ValueError(f"{readable(glob)} is not a file pattern")
    return _strings(value)


def _globs_to_selectors(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise ValueError(f"expected a table of file patterns and lists of codes, not {readable(value)}")
    _globs([glob.lstrip("!") for glob in _few(value)])
    return {glob: _selectors(codes) for glob, codes in value.items()}


def boolean(value: object) -> bool:
    """A value that is true or false; raises ValueError for all else."""
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, not {readable(value)}")
    return value


def _string(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"expected a string, not {readable(value)}")
    return value.strip()


def _words(value: object) -> tuple[str, ...]:
    for word in _strings(value):
        if not re.fullmatch(r"\w(?:[^#\r\n]*\w)?", word):
            raise ValueError(f'expected the first words of comments, such as "allow-cuda", not {readable(word)}')
    return _strings(value)


def _file_or_none(value: object) -> str | None:
    return None if value is False else _string(value)


def _kind(value: object) -> str:
    if value not in KINDS:
        hint = did_you_mean(value, KINDS) if isinstance(value, str) else ""
        raise ValueError(f"expected one of {', '.join(KINDS)}, not {readable(value)}{hint}")
    return str(value)


def _version(value: object) -> tuple[int, ...]:
    found = re.fullmatch(r"(\d+)\.(\d+)(?:\.(\d+))?(?:\.\d+)*", value.strip()) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f'expected a version such as "2.1", not {readable(value)}')
    return torch_version(*found.groups())


def _expression(value: object) -> str:
    return _compiled(_string(value), "eval", "a Python expression")


def _import(value: object) -> str:
    text = _compiled(_string(value), "exec", "an import statement")
    if not re.match(r"(import|from)\b", text) or "\n" in text or ";" in text:
        raise ValueError(f"expected an import statement, not {readable(value)}")
    return text


def _calls(value: object) -> tuple[ConfiguredCall | ConfiguredSlot, ...]:
    if not isinstance(value, dict):
        raise ValueError(f"expected a table of functions, not {readable(value)}")
    entries = _few(value).items()
    return tuple(_slot(name, given) if _has_device(given) else _own_call(name, given) for name, given in entries)


def _has_device(given: object) -> bool:
    return isinstance(given, dict) and "device" in given


def _slot(function: str, given: Mapping[str, object]) -> ConfiguredSlot:
    """One entry: a table of the parameter that takes the device and, where it needs no keyword, of its place."""
    unknown = sorted(set(given) - {"device", "position"})
    if unknown:
        raise ValueError(f"{function}: unknown key {readable(unknown[0])}: expected 'device' and 'position'")
    position = given.get("position")
    if position is not None and (isinstance(position, bool) or not isinstance(position, int) or position < 0):
        raise ValueError(f"{function}: 'position' counts from 0, not {readable(position)}")
    parameter = _string(given["device"])
    if not parameter.isidentifier():
        raise ValueError(f"{function}: 'device' is the name of a parameter, not {readable(parameter)}")
    return ConfiguredSlot(_dotted(function, '"mylib.launch"'), parameter, position)


def _dotted(name: str, examples: str) -> str:
    if not re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*", name):
        raise ValueError(f"expected a name such as {examples}, not {readable(name)}")
    return name


def _gates(value: object) -> tuple[ConfiguredGate, ...]:
    if not isinstance(value, dict):
        raise ValueError(f"expected a table of decorators, marks or fixtures, not {readable(value)}")
    return tuple(_gate(name, given) for name, given in _few(value).items())


def _gate(name: str, given: object) -> ConfiguredGate:
    """One entry: the other gate's name, or a table of it and the import it needs."""
    table = given if isinstance(given, dict) else {"gate": given}
    _check_keys(name, table, "gate")
    line = _import(table["import"]) if "import" in table else None
    examples = '"require_torch_gpu" or "pytest.mark.gpu"'
    return ConfiguredGate(_dotted(name, examples), _dotted(_string(table["gate"]), examples), line)


def _check_keys(entry: str, table: Mapping[str, object], key: str) -> None:
    """Raise ValueError where a table has not ``key``, or more than that and ``import``."""
    unknown = sorted(set(table) - {key, "import"})
    if unknown or key not in table:
        what = f"unknown key {readable(unknown[0])}" if unknown else f"no key {key!r}"
        raise ValueError(f"{entry}: {what}: expected {key!r}, and 'import' if it needs one")


def _own_call(function: str, given: object) -> ConfiguredCall:
    """One entry: the call as a string, or a table of the call and the import it needs."""
    if not re.fullmatch(r"torch\.cuda(\.\w+)+", function):
        raise ValueError(f'expected a function such as "torch.cuda.empty_cache", not {readable(function)}')
    table = given if isinstance(given, dict) else {"call": given}
    _check_keys(function, table, "call")
    text = _string(table["call"])
    _compiled(text.replace(ARGUMENTS, "*args"), "eval", "a Python expression")
    return ConfiguredCall(function, text, _import(table["import"]) if "import" in table else None)


def _compiled(text: str, mode: str, what: str) -> str:
    try:
        compile(text, "<option>", mode, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"expected {what}, not {readable(text)}") from None
    return text


_PARSERS: dict[str, Callable[[object], Any]] = {
    "extend": _string,
    "select": _selectors,
    "extend-select": _selectors,
    "ignore": _selectors,
    "per-file-ignores": _globs_to_selectors,
    "exclude": _globs,
    "extend-exclude": _globs,
    "force-exclude": boolean,
    "respect-gitignore": boolean,
    "unsafe-fixes": boolean,
    "suppression-comments": _words,
    "document-code": boolean,
    "docstring-code": boolean,
    "baseline": _file_or_none,
    "cache-dir": _string,
    "target": _kind,
    "device": _expression,
    "device-import": _import,
    "calls": _calls,
    "gates": _gates,
    "torch-min-version": _version,
}
