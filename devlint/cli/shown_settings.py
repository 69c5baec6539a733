"""``--show-files`` and ``--show-settings``: what a run would look at, and what is configured for it."""

from __future__ import annotations

import json

from devlint.cli.output.style import visible
from devlint.config.selection import catalogue, resolve
from devlint.core.diagnostic import Failure
from devlint.core.errors import ConfigError
from devlint.sources.discovery import Found, discover, is_looked_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from devlint.config.finder import ConfigFinder
    from devlint.config.settings import Settings
    from devlint.core.target import Target

    Tell = Callable[[str], object]


def file_lines(paths: Iterable[str], finder: ConfigFinder, complain: Tell) -> Iterator[str]:
    """The name of each file that a run would look at, in order."""
    for found in _found(paths, finder, complain):
        yield visible(found.path)


def setting_lines(paths: Iterable[str], finder: ConfigFinder, complain: Tell) -> Iterator[str]:
    """All settings as TOML, once for the files that share them."""
    shown: set[int] = set()
    for found in _found(paths, finder, complain):
        if id(found.settings) not in shown:
            if shown:
                yield ""
            shown.add(id(found.settings))
            yield f"# {visible(found.settings.origin)}, for {visible(found.path)}"
            try:
                target = finder.target(found.settings, found.directory)
            except ConfigError as error:
                complain(str(error))
                continue
            yield from (f"{key} = {_toml(value)}" for key, value in _values(found.settings, target))


def _found(paths: Iterable[str], finder: ConfigFinder, complain: Tell) -> Iterator[Found]:
    for one in discover(paths, finder, is_looked_at):
        if isinstance(one, Found):
            yield one
        elif isinstance(one, Failure):
            complain(f"{visible(one.path)}: {one.message}")


def _values(settings: Settings, target: Target) -> Iterator[tuple[str, object]]:
    """The keys of a configuration and their values; without those that are not set."""
    enabled = resolve(settings.selections, catalogue())
    yield "select", sorted(enabled)
    ignored = {
        f"{'!' * negated}{glob}": codes
        for patterns, negated, codes in settings.per_file_ignores
        for glob in patterns.patterns
    }
    yield from (("per-file-ignores", ignored),) if ignored else ()
    yield "exclude", [glob for patterns in settings.excludes for glob in patterns.patterns]
    yield "force-exclude", settings.force_exclude
    yield "respect-gitignore", settings.respect_gitignore
    yield "target", target.kind
    for key, value in (("device", target.device), ("device-import", target.device_import)):
        yield from ((key, value),) if value else ()
    yield from (("calls", _calls(target)),) if target.calls or target.slots else ()
    gates = {one.name: _with_import("gate", one.replacement, one.line) for one in target.gates}
    yield from (("gates", gates),) if gates else ()
    yield "torch-min-version", ".".join(map(str, target.torch_min_version))
    yield "unsafe-fixes", settings.unsafe_fixes
    yield "document-code", settings.document_code
    yield "docstring-code", settings.docstring_code
    yield "suppression-comments", settings.suppression_comments
    yield "baseline", settings.baseline or False
    from devlint.engine.cache import folder_of

    yield "cache-dir", folder_of(settings)


def _calls(target: Target) -> dict[str, object]:
    """The project's own functions: what replaces those of torch, and where others take a device."""
    own = {one.function: _with_import("call", one.expression, one.line) for one in target.calls}
    slots: dict[str, object] = {
        one.function: {"device": one.parameter, **({} if one.position is None else {"position": one.position})}
        for one in target.slots
    }
    return {**own, **slots}


def _with_import(key: str, text: str, line: str | None) -> dict[str, object]:
    return {key: text, **({} if line is None else {"import": line})}


def _toml(value: object) -> str:
    """A value as TOML writes it; its strings are those of JSON."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)
