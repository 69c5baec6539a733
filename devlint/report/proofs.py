"""What runs have shown: a command before and after all fixes, verdicts of `devlint verify`, records of `observe`."""

from __future__ import annotations

import json
import os
from typing import Any

from devlint.config.finder import ConfigFinder
from devlint.config.observed import OBSERVED_NAME, ObservedFiles, content_digest
from devlint.core.characters import without_controls
from devlint.core.errors import DevlintError
from devlint.core.file_reading import read_file
from devlint.report.model import ProvenRun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from devlint.verify.observer import Observer

_MOST_LINES = 8


def tried_command(observer: Observer, finder: ConfigFinder, paths: Sequence[str], command: str) -> ProvenRun:
    """What a command does in a copy of the project with the fixes that are allowed, compared with what it does now."""
    from devlint.verify.reports import cell
    from devlint.verify.rewrites.trial import Trial, failing

    trial = Trial(observer, finder, paths, command)
    if not trial.candidates:
        return ProvenRun(command, None, ("there was no fix to try",))
    outcomes = list(trial.outcomes())
    details = [f"{len(trial.candidates)} fixes tried", *(_said(cell(one), one.detail) for one in outcomes)]
    lines = trial.lines()
    changed, left = lines if lines is not None else (0, [])
    if left:
        more = f" and {len(left) - _MOST_LINES} more" if len(left) > _MOST_LINES else ""
        listed = ", ".join(left[:_MOST_LINES])
        details.append(f"{changed - len(left)} of {changed} changed lines ran; not run: {listed}{more}")
    proves = not left or len(left) < changed
    holds = failing(outcomes) is None and proves
    return ProvenRun(command, holds, tuple(map(without_controls, details)))


def read_verdicts(path: str) -> list[ProvenRun]:
    """The verdicts that `devlint verify --output-format json` has printed into a file."""
    try:
        found = json.loads(read_file(path))
        return [_verdict(one) for one in (found if isinstance(found, list) else [found])]
    except OSError as error:
        raise DevlintError(f"{path}: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise DevlintError(f"{path}: is not what `devlint verify --output-format json` prints") from None


def _verdict(one: dict[str, Any]) -> ProvenRun:
    details = [_said(f"{each['setting']}: {each['verdict']}", each["detail"]) for each in one["settings"]]
    not_run, changed = one["lines_not_run"], one["changed_lines"]
    if not_run:
        details.append(f"{changed - len(not_run)} of {changed} changed lines ran")
    title = without_controls(f"devlint verify {one['program']}")
    return ProvenRun(title, bool(one["holds"]), tuple(map(without_controls, details)))


def _said(title: str, detail: str) -> str:
    return f"{title} ({detail})" if detail else title


def observed_run(folder: str, paths: Iterable[str]) -> list[ProvenRun]:
    """What `devlint observe` has kept in a folder of files that are still as they were; nothing if it has not run."""
    if not os.path.exists(os.path.join(folder, OBSERVED_NAME)):
        return []
    kept = ObservedFiles.read(folder)
    details: list[str] = []
    for path in paths:
        try:
            tensors = kept.by_digest.get(content_digest(read_file(path))) or ()
        except OSError:
            continue
        details += (f"{without_controls(path)}:{one.row}: {one.message}" for one in tensors)
    if not details:
        details = ["no tensors on the wrong device are known in these files as they are now"]
    return [ProvenRun("devlint observe", None, tuple(details))]
