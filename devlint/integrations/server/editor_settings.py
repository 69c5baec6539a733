"""What a person sets in the editor: how the server behaves, and options that go before configuration files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from devlint.config.option_table import Option, options_of
from devlint.config.options import boolean
from devlint.core.errors import did_you_mean, readable
from devlint.core.record import Record

SECTION = "devlint"
"""Where the settings are among those of an editor."""
_FOR_CLIENTS = frozenset({"path", "interpreter", "arguments", "trace"})
"""What only an extension of an editor reads."""
ON_TYPE, ON_SAVE = "onType", "onSave"


class EditorSettings(Record):
    """The settings of one folder."""

    enable: bool = True
    """Whether anything is reported."""
    run: str = ON_TYPE
    """When files are looked at: after every change, or only when they are saved."""
    debounce: int = 200
    """How many milliseconds without a change are waited for."""
    show_unsafe_fixes: bool = True
    """Whether fixes that may change what a program does are offered, one by one."""
    show_syntax_errors: bool = True
    """Whether files that do not parse are reported."""
    overrides: Mapping[str, object] = {}
    """Options that go before configuration files, under their keys there."""
    config: str | None = None
    isolated: bool = False


def camel_case(name: str) -> str:
    """The name of an option as editors write it."""
    first, *rest = name.split("-")
    return first + "".join(word.capitalize() for word in rest)


OPTIONS: Mapping[str, Option] = {camel_case(option.name): option for option in options_of("server")}
"""The options that an editor may set, under their names there."""


def _milliseconds(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 60_000:
        raise ValueError(f"expected milliseconds from 0 to 60000, not {readable(value)}")
    return value


def _when(value: object) -> str:
    if value not in (ON_TYPE, ON_SAVE):
        raise ValueError(f"expected 'onType' or 'onSave', not {readable(value)}")
    return str(value)


OWN: Mapping[str, tuple[str, Callable[[object], Any]]] = {
    "enable": ("enable", boolean),
    "run": ("run", _when),
    "debounce": ("debounce", _milliseconds),
    "showUnsafeFixes": ("show_unsafe_fixes", boolean),
    "showSyntaxErrors": ("show_syntax_errors", boolean),
}
"""The settings of the server itself, with the field and the check of each."""


def read_settings(*layers: object) -> tuple[EditorSettings, list[str]]:
    """The settings in what an editor sends, later layers over earlier ones; and what is wrong with them."""
    given: dict[str, object] = {}
    problems: list[str] = []
    for layer in layers:
        if isinstance(layer, Mapping):
            given.update((key, value) for key, value in _unwrapped(layer).items() if value is not None)
        elif layer is not None:
            problems.append(f"expected a table of settings, not {readable(layer)}")
    fields: dict[str, Any] = {}
    overrides: dict[str, object] = {}
    for key, value in given.items():
        try:
            if key in OWN:
                field, parse = OWN[key]
                fields[field] = parse(value)
            elif key in OPTIONS:
                _take(OPTIONS[key], value, fields, overrides)
            elif key not in _FOR_CLIENTS:
                problems.append(f"unknown setting {readable(key)}{did_you_mean(key, (*OWN, *OPTIONS))}")
        except ValueError as error:
            problems.append(f"{key!r}: {error}")
    return EditorSettings(**fields, overrides=overrides), problems


def _unwrapped(layer: Mapping[str, object]) -> Mapping[str, object]:
    """The settings themselves, where the editor sends them with their section around them."""
    for section in (SECTION, "settings"):
        inner = layer.get(section)
        if isinstance(inner, Mapping):
            return _unwrapped(inner)
    return layer


def _take(option: Option, value: object, fields: dict[str, Any], overrides: dict[str, object]) -> None:
    """Put one option where it belongs; configuration files judge its value as they do their own."""
    if option.is_setting:
        if value != []:  # what editors send for a list that nobody has set
            overrides[option.name] = value
    elif option.kind == "flag":
        fields[option.key] = boolean(value)
    elif isinstance(value, str):
        fields[option.key] = value.strip() or None
    else:
        raise ValueError(f"expected a path, not {readable(value)}")
