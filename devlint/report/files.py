"""Makes the entry of one file from what the engine says of it and from its contents."""

from __future__ import annotations

from devlint.core.characters import without_controls
from devlint.core.file_reading import read_file
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.engine.fixpoint import SUPPRESSION_RULES
from devlint.engine.ruleset import SYNTAX_ERROR
from devlint.report.blockers import CUDA_SUFFIXES, blockers_in, may_block
from devlint.report.excerpts import excerpt, side_by_side
from devlint.report.model import Blocker, BlockerKind, ReportedFile, ReportedFinding
from devlint.report.tally import Portability, Remedy
from devlint.report.torch_need import ACCELERATOR, may_hold_names, names_in_fix, names_in_program
from devlint.sources.discovery import NOTEBOOK
from devlint.sources.encoding import SourceError
from devlint.sources.source import Source
from devlint.sources.text_kinds import kind_of
from devlint.syntax.notebooks.cells import open_notebook
from devlint.syntax.python_tree.python_ast import syntax_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable, Iterator

    from devlint.core.diagnostic import Diagnostic
    from devlint.engine.report import FileReport
    from devlint.report.torch_need import TorchName

_REQUIRES_CUDA = "DEV509"
"""Finds programs that stop without CUDA."""
_TORCH = regex(r"\btorch")


class SurveyedFile(Record):
    """One file, and what the whole report needs of it besides."""

    path: str
    file: ReportedFile | None = None
    """None for a text that is no program and in which nothing is found."""
    failures: tuple[tuple[str, str], ...] = ()
    torch_names: tuple[TorchName, ...] = ()
    mentions_accelerator: bool = False


def surveyed_file(report: FileReport) -> SurveyedFile:
    """The entry of a file."""
    path = without_controls(report.path)
    problems = tuple(one.message for one in report.failures)
    surveyed = SurveyedFile(
        report.path,
        None,
        tuple((without_controls(one.path), one.message) for one in report.failures),
        _by_fixes(report),
    )
    if report.skipped:
        return surveyed.replace(file=ReportedFile(path, path, 0, Portability.UNKNOWN, problems=(report.skipped,)))
    findings = tuple(_finding(report, one) for one in report.diagnostics)
    if kind_of(report.path) is not None:
        if not findings and not problems:
            return surveyed
        portability = portability_of(findings, (), problems, False)
        return surveyed.replace(file=ReportedFile(path, path, 0, portability, findings, (), problems))
    try:
        source = _program(report)
    except (OSError, SourceError) as error:
        problems = problems or (str(getattr(error, "strerror", None) or error),)
        return surveyed.replace(file=ReportedFile(path, path, 0, Portability.UNKNOWN, findings, (), problems))
    text = source.text if source is not None else ""
    tree = syntax_tree(text) if may_block(text) or may_hold_names(text) else None
    blockers = _blockers(path, tree, report)
    portability = portability_of(findings, blockers, problems, _TORCH.search(text) is not None)
    return surveyed.replace(
        file=ReportedFile(path, path, _line_count(text), portability, findings, blockers, problems),
        torch_names=(*surveyed.torch_names, *(names_in_program(path, tree) if tree is not None else ())),
        mentions_accelerator="torch" in text and ACCELERATOR in text,
    )


def cuda_file(path: str) -> ReportedFile:
    """The entry of a file in CUDA's own language."""
    shown = without_controls(path)
    name = shown.replace("\\", "/").rpartition("/")[2]
    blocker = Blocker(shown, 1, BlockerKind.KERNEL, f"`{name}` is CUDA C++")
    try:
        lines = read_file(path).count(b"\n")
    except OSError as error:
        return ReportedFile(shown, shown, 0, Portability.BLOCKED, (), (blocker,), (str(error.strerror or error),))
    return ReportedFile(shown, shown, lines, Portability.BLOCKED, (), (blocker,))


def portability_of(
    findings: Iterable[ReportedFinding], blockers: Iterable[Blocker], problems: tuple[str, ...], uses_torch: bool
) -> Portability:
    """What a file needs: the worst of what was found. Comments that suppress findings keep no program from running."""
    found = {one.remedy for one in findings if one.code not in SUPPRESSION_RULES}
    broken = any(one.code == SYNTAX_ERROR and one.remedy is Remedy.HAND for one in findings)
    if problems or broken:
        return Portability.UNKNOWN
    if any(not one.is_optional for one in blockers):
        return Portability.BLOCKED
    for remedy, portability in (
        (Remedy.HAND, Portability.HAND),
        (Remedy.UNSAFE, Portability.UNSAFE),
        (Remedy.SAFE, Portability.SAFE),
    ):
        if remedy in found:
            return portability
    return Portability.PORTABLE if uses_torch else Portability.NO_TORCH


def _program(report: FileReport) -> Source | None:
    """The file as a program; None for a notebook of another language."""
    if report.source is not None and report.diagnostics:  # without any, its text may have been left behind
        return report.source
    data = read_file(report.path)
    if report.path.endswith(NOTEBOOK):
        return open_notebook(report.path, data)
    return Source(report.path, data.decode("utf-8", "replace"))  # no rule finds anything: no need to be exact


def _line_count(text: str) -> int:
    """The lines that are not blank, nor a mark above a notebook's cell."""
    return sum(1 for line in text.splitlines() if line.strip() and not line.startswith("#!"))


def _blockers(path: str, tree: ast.Module | None, report: FileReport) -> tuple[Blocker, ...]:
    """What needs CUDA itself in a file, by its syntax and by what the rules find."""
    found = [one.replace(path=path) for one in blockers_in(report.path, tree)] if tree is not None else []
    stops = (
        Blocker(path, one.location.row, BlockerKind.REQUIREMENT, "the program stops without CUDA")
        for one in report.diagnostics
        if one.code == _REQUIRES_CUDA
    )
    return (*found, *stops)


def _by_fixes(report: FileReport) -> tuple[TorchName, ...]:
    """The names that the fixes of a file's findings would write."""

    def names() -> Iterator[TorchName]:
        for one in report.diagnostics:
            if one.fix is not None:
                texts = (edit.text for edit in one.fix.edits)
                yield from names_in_fix(without_controls(report.path), one.location.row, texts)

    return tuple(names())


def _finding(report: FileReport, one: Diagnostic) -> ReportedFinding:
    """A finding with the source around it, or what its fix changes."""
    source = report.source
    remedy = Remedy.HAND if one.fix is None else Remedy.SAFE if one.fix.is_safe else Remedy.UNSAFE
    message = without_controls(one.fix.message) if one.fix is not None else ""
    place = one.location
    diff = side_by_side(source, one) if source is not None else ()
    rows = excerpt(source, one) if source is not None and not diff else ()
    return ReportedFinding(
        without_controls(report.path),
        one.code,
        without_controls(one.message),
        str(place),
        place.row,
        place.column,
        place.cell,
        remedy,
        message,
        rows,
        diff,
    )


def is_cuda_file(name: str) -> bool:
    """Whether a file is in CUDA's own language."""
    return name.endswith(CUDA_SUFFIXES)
