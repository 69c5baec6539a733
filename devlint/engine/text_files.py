"""Finds misspelled environment variables, and devices, in files that are no Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from devlint.analysis.choosers.read_variables import is_read_elsewhere
from devlint.analysis.project.project import Project
from devlint.core.diagnostic import Applicability, Diagnostic, Edit, Fix, Span
from devlint.core.errors import DevlintError
from devlint.engine.fixpoint import Analysis
from devlint.engine.request import Result
from devlint.sources.device_mentions import device_mentions, may_name_device
from devlint.sources.environment_mentions import mentions
from devlint.sources.source import Source, SourceError
from devlint.sources.suppressions.suppression_syntax import directives_in
from devlint.sources.suppressions.suppressions import Suppressions
from devlint.sources.text_kinds import DEVICE_RULE, RULE, TextKind, kind_of
from devlint.torch_api.environment_variables import fix_message, may_hold_variables, message

MAX_TEXT = 4_000_000
"""Bytes of a text with names of variables; each line may be a finding."""


def read_text(path: str, data: bytes, kind: TextKind, explicit: bool, devices: bool = False) -> Source | None:
    """The text of a file; None where there is nothing to look for, SourceError where it is needed and no text."""
    holds = may_hold_variables(data) or (devices and may_name_device(data))
    if not holds and not explicit:
        return None
    if holds and len(data) > MAX_TEXT:
        raise DevlintError(f"is larger than {MAX_TEXT:,} bytes, left alone")
    try:
        return Source.from_bytes(path, data)
    except SourceError:
        # In latin-1 every byte is a character, and no letter of a name can be another one.
        if not explicit and not mentions(data.decode("latin-1"), kind.syntax):
            return None
        raise


class TextAnalysis(Analysis):
    """Looks for misspelled names, and for devices, in a text."""

    def findings(self, source: Source) -> Result:
        """All that is found in a text that is not suppressed."""
        kind = kind_of(source.path)
        found = list(self._found(source, kind)) if kind is not None else []
        if kind is None or not found:
            return Result(source.text)
        settings = self.request.suppression_settings
        suppressions = Suppressions(source, settings, directives_in(source, kind, settings))
        visible = []
        for one in found:
            row = one.location.row
            if not suppressions.suppresses(one.code, row, row):
                visible.append(one)
        return Result(source.text, tuple(visible))

    def _found(self, source: Source, kind: TextKind) -> Iterator[Diagnostic]:
        """What the enabled rules find, with the fix of a misspelled name."""
        found = mentions(source.text, kind.syntax) if RULE in self.request.enabled & kind.rules else []
        project = Project(source.path, *(self.request.around or ()))
        for one in found:
            place = Span(one.start, one.end)
            is_safe = not is_read_elsewhere(project, one.name)
            kind_of_fix = Applicability.SAFE if is_safe else Applicability.UNSAFE
            fix = Fix((Edit(place, one.correct_name),), kind_of_fix, fix_message(one.name, one.correct_name))
            yield _diagnostic(source, RULE, message(one.name, one.correct_name), place, fix)
        for named in device_mentions(source.text, kind) if DEVICE_RULE in self.request.enabled else ():
            place = Span(named.start, named.end)
            text = f"`{source.text[named.start : named.end]}` is no device of a machine without CUDA"
            yield _diagnostic(source, DEVICE_RULE, text, place)

    def complaint(self, source: Source, text: str, comment_edits: Iterable[Edit] = ()) -> str | None:
        """Nothing: a name in the place of another one breaks no text."""
        return None


def _diagnostic(source: Source, code: str, text: str, place: Span, fix: Fix | None = None) -> Diagnostic:
    """A finding at a place of a text."""
    return Diagnostic(source.path, code, text, place, source.location(place.start), source.location(place.end), fix)
