"""How much of a commit that made a program device-agnostic devlint does by itself.

    python -m benchmarks.human_commits REPOSITORY COMMIT [--target accelerator] [--show]
    python -m benchmarks.human_commits REPOSITORY COMMIT --target project --device torch_device
    python -m benchmarks.human_commits REPOSITORY COMMIT --configuration FOLDER

REPOSITORY is a folder with the repository's history. The Python files that the commit changed are taken as they were
before it, fixed with all fixes, and compared: a line that the commit changed, and that concerns devices,
is *done* where devlint changes it too, *flagged* where it is only reported, and else *missed*. What the human wrote
instead is not looked at. FOLDER holds the devlint.toml that the project would have: its own device, calls and gates.
Texts (comments, docstrings, messages) and imports of other names are counted apart.
"""

from __future__ import annotations

import argparse
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import devlint

TORCH_MIN = {"accelerator": "2.10"}
_CONCERNS = re.compile(r"cuda|gpu|nccl|device|accelerator|pin_memory|autocast|GradScaler|xpu|npu|mps\b", re.IGNORECASE)
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? ")
KINDS = (
    ("text", re.compile(r"\A\s*(?:#|\"\"\"|'''|r?\"\"\")")),
    ("import", re.compile(r"\A\s*(?:from\s+\S+\s+)?import\b|\A\s*\w+,\s*\Z")),
    ("gate of a test", re.compile(r"\A\s*@|skip|require_")),
    ("test for a kind of device", re.compile(r"is_available|is_cuda|\.type\s*[!=]=|in\s+str\(|device_count")),
    ("mesh or process group", re.compile(r"nccl|mesh|process_group|backend")),
    ("mixed precision", re.compile(r"autocast|GradScaler|amp\b")),
    (
        "library or option",
        re.compile(r"device_map|accelerator\s*=|from_pretrained|pipeline\(|add_argument|default\s*="),
    ),
    ("method .cuda()", re.compile(r"\.cuda\(")),
    ("function of torch.cuda", re.compile(r"torch\.cuda\.|\bcuda\.\w+\(")),
    ("device by name", re.compile(r"[\"']cuda|device\s*[=(]")),
)
OTHER = "other"
APART = frozenset({"text", "import", OTHER})


@dataclass
class Tally:
    """What became of the lines of a commit, by their kinds."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    shown: list[str] = field(default_factory=list)

    def share(self, outcome: str) -> float:
        """How many percent of the lines that are no text and no import had this outcome."""
        counted = {key: number for key, number in self.counts.items() if key[0] not in APART}
        return 100 * sum(number for key, number in counted.items() if key[1] == outcome) / max(sum(counted.values()), 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure one commit, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("commit")
    parser.add_argument("--target", default="accelerator", choices=("cuda", "accelerator", "project"))
    parser.add_argument("--device", help="the project's own device, for the target project")
    parser.add_argument("--configuration", type=Path, help="a folder with the project's own devlint.toml")
    parser.add_argument("--show", action="store_true", help="print every line that was not done")
    options = parser.parse_args(arguments)
    if options.configuration is not None:
        tally = measure(options.repository, options.commit, {}, options.configuration.resolve())
    else:
        version = TORCH_MIN.get(options.target)
        given = {"target": options.target, "device": options.device, "torch_min_version": version, "isolated": True}
        tally = measure(options.repository, options.commit, given)
    if not tally.counts:
        print("no line of Python that concerns devices", file=sys.stderr)
        return 2
    for kind in sorted({kind for kind, _ in tally.counts}):
        row = [tally.counts[kind, outcome] for outcome in ("done", "flagged", "missed")]
        print(f"{kind:28} {row[0]:5} done {row[1]:5} flagged {row[2]:5} missed")
    print(f"{'without texts and imports':28} " + ", ".join(f"{tally.share(one):.0f} % {one}" for one in _OUTCOMES))
    if options.show:
        print(*tally.shown, sep="\n")
    return 0


_OUTCOMES = ("done", "flagged", "missed")


def measure(repository: Path, commit: str, given: Mapping[str, Any], folder: Path | None = None) -> Tally:
    """What devlint does with the files of a commit as they were before it; ``folder`` has their configuration."""
    tally = Tally()
    for name in _git(repository, "diff", "--name-only", "--diff-filter=M", f"{commit}^", commit).splitlines():
        if name.endswith(".py"):
            text = _git(repository, "show", f"{commit}^:{name}")
            hunks = _git(repository, "diff", "--unified=0", f"{commit}^", commit, "--", name)
            _judge(tally, name if folder is None else str(folder / name), text, set(_removed(hunks)), given)
    return tally


def _git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def _removed(hunks: str) -> Iterator[int]:
    """The numbers of the lines that a commit changed or deleted, in the file before it."""
    for found in map(_HUNK.match, hunks.splitlines()):
        if found is not None:
            count = int(found.group(2)) if found.group(2) is not None else 1
            yield from range(int(found.group(1)), int(found.group(1)) + count)


def _judge(tally: Tally, name: str, text: str, removed: set[int], given: Mapping[str, Any]) -> None:
    lines = text.splitlines()
    concerned = [row for row in sorted(removed) if row <= len(lines) and _CONCERNS.search(lines[row - 1])]
    if not concerned:
        return
    asked = {"filename": name, "extend_select": ["DEV801"], **given}
    changed = _changed(lines, devlint.fix(text, unsafe=True, **asked).text.splitlines())
    found = devlint.check(text, **asked).diagnostics
    flagged = {row for one in found for row in range(one.location.row, one.end_location.row + 1)}
    texts = _texts(text)
    for row in concerned:
        kind = "text" if row in texts else _kind(lines[row - 1])
        outcome = "done" if row in changed else "flagged" if row in flagged else "missed"
        tally.counts[kind, outcome] += 1
        if outcome != "done" and kind not in APART:
            tally.shown.append(f"{outcome:8} {name}:{row}: {lines[row - 1].strip()}")


def _changed(before: Sequence[str], after: Sequence[str]) -> set[int]:
    """The lines that are no longer as they were."""
    changed: set[int] = set()
    for tag, start, end, _, _ in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag in ("replace", "delete"):
            changed.update(range(start + 1, end + 1))
    return changed


def _texts(text: str) -> set[int]:
    """The lines inside of strings over several lines."""
    found: set[int] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING and token.end[0] > token.start[0]:
                found.update(range(token.start[0], token.end[0] + 1))
    except (tokenize.TokenError, SyntaxError):
        return set()
    return found


def _kind(line: str) -> str:
    return next((kind for kind, pattern in KINDS if pattern.search(line)), OTHER)


if __name__ == "__main__":
    raise SystemExit(main())
