"""How much of a commit that made a program device-agnostic devlint does by itself.

    python -m benchmarks.human_commits REPOSITORY COMMIT [--target accelerator] [--show]
    python -m benchmarks.human_commits REPOSITORY COMMIT --target project --device torch_device
    python -m benchmarks.human_commits REPOSITORY COMMIT --configuration FOLDER
    python -m benchmarks.human_commits FOLDER --list benchmarks/results/human_commits_unseen.txt
    python -m benchmarks.human_commits FOLDER --list benchmarks/results/human_commits_cpu.txt --target cuda --project

REPOSITORY is a folder with the repository's history. The Python files that the commit changed are taken as they were
before it, fixed with all fixes, and compared: a line that the commit changed, and that concerns devices,
is *done* where devlint changes it too, *flagged* where it is only reported, *listed* where only DEV510 reports it,
which is off by default, and else *missed*; of the lines that are done, it says how many safe fixes alone change. What
the human wrote instead is not looked at. With ``--project`` the project's other files lie around each file, as they
were before the commit. The FOLDER of ``--configuration`` holds the devlint.toml that the project would have: its own
device, calls and gates. With ``--list``, FOLDER holds a folder ``owner+name`` for each repository, and the file a
line ``owner/name commit`` for each commit; each repository gets a line, with the numbers of lines that are done,
flagged, listed, missed, and those of two kinds apart.

Counted apart, by rules that look only at the line and not at what devlint does with it:

- texts (comments, docstrings) and imports;
- lines that name no kind of device: without its comment, the line holds no ``cuda``, ``gpu``, ``nccl``, ``autocast``,
  ``GradScaler``, ``pin_memory`` and no card's number (``device=0``). There is nothing in ``device = get_device()`` or
  ``device_map="auto"`` that is wrong on another accelerator; who changed it renamed or regrouped;
- lines in which only names of the project's own say CUDA (``nccl_world_destroyed``, ``torch_cuda_device(x)``): who
  changed them renamed; a test's decorator is none of these;
- lines that ask for each accelerator already: the line names another one (``in ("cuda", "xpu")``, ``torch.npu``), or
  it is in an ``if`` with other branches, a test of which does. They do not assume CUDA, and which accelerators a
  program treats apart is for a person to say.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import devlint

TORCH_MIN = {"accelerator": "2.10"}
_CONCERNS = re.compile(r"cuda|gpu|nccl|device|accelerator|pin_memory|autocast|GradScaler|xpu|npu|mps\b", re.IGNORECASE)
_NAMED = re.compile(
    r"cuda|gpu|nccl|pin_memory|autocast|GradScaler|custom_[fb]wd|\bamp\b|(?:device|accelerator)\w*\s*=\s*\d",
    re.IGNORECASE,
)
_VENDOR = re.compile(r"(?<![a-z])(?:xpu|npu|hpu|mlu|musa|mps|sdaa)(?![a-z])", re.IGNORECASE)
_QUOTED = re.compile(r"([\"'])(?:(?!\1).)*\1")
_WORD = re.compile(r"\w*(?:cuda|gpu|nccl)\w*", re.IGNORECASE)
_COUNTED = re.compile(
    r"(?:(?:use|using|with|has|is|on|no|n|num)_?)?(?:cuda|gpus?|nccl)(?:_available)?\Z|is_\w+_available\Z", re.I
)
"""Words that are no names of the project's own: torch's, flags, and questions."""
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
INVENTORY = ("DEV510",)
"""The rule that only lists what is for CUDA; what no other rule flags is counted as *listed*."""
OTHER = "other"
OWN = "names of its own"
UNNAMED = "no kind of device named"
EACH = "each accelerator already"
APART = frozenset({"text", "import", OTHER, OWN, UNNAMED, EACH})


@dataclass
class Tally:
    """What became of the lines of a commit, by their kinds."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    shown: list[str] = field(default_factory=list)

    def number(self, outcome: str) -> int:
        """How many of the lines that are not counted apart had this outcome."""
        return sum(number for key, number in self.counts.items() if key[0] not in APART and key[1] == outcome)

    def apart(self, kind: str) -> int:
        """How many lines of a kind that is counted apart there are."""
        return sum(number for key, number in self.counts.items() if key[0] == kind and key[1] != SAFE)

    def share(self, outcome: str) -> float:
        """How many percent of the lines that are not counted apart had this outcome."""
        return 100 * self.number(outcome) / max(sum(map(self.number, _OUTCOMES)), 1)

    def summary(self) -> str:
        """The shares of all outcomes, in words."""
        shares = ", ".join(f"{self.share(one):.0f} % {one}" for one in _OUTCOMES)
        return f"{shares}; {self.share(SAFE):.0f} % by safe fixes"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure one commit, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("commit", nargs="?")
    parser.add_argument("--list", type=Path, help="a file with the commits of several repositories")
    parser.add_argument("--target", default="accelerator", choices=("cuda", "accelerator", "project"))
    parser.add_argument("--device", help="the project's own device, for the target project")
    parser.add_argument("--configuration", type=Path, help="a folder with the project's own devlint.toml")
    parser.add_argument("--project", action="store_true", help="with the other files of the project")
    parser.add_argument("--show", action="store_true", help="print every line that was not done")
    options = parser.parse_args(arguments)
    if options.list is not None:
        return _many(options)
    tally = _measured(options.repository, options.commit, options)
    if not tally.counts:
        print("no line of Python that concerns devices", file=sys.stderr)
        return 2
    for kind in sorted({kind for kind, _ in tally.counts}):
        row = [tally.counts[kind, outcome] for outcome in (*_OUTCOMES, SAFE)]
        print(f"{kind:28}" + "".join(f" {number:5} {one}" for number, one in zip(row, (*_OUTCOMES, SAFE), strict=True)))
    print(f"{'but for those apart':28} {tally.summary()}")
    if options.show:
        print(*tally.shown, sep="\n")
    return 0


def _many(options: argparse.Namespace) -> int:
    """A line for each repository of a list, and one for all of them."""
    tallies: dict[str, Tally] = {}
    for project, commit in map(str.split, options.list.read_text(encoding="utf-8").splitlines()):
        folder = options.repository / project.replace("/", "+")
        tally = _measured(folder / "repo" if (folder / "repo").is_dir() else folder, commit, options)
        for name in (project, "all"):
            known = tallies.setdefault(name, Tally())
            known.counts.update(tally.counts)
            known.shown.extend(tally.shown if name == project else ())
    for name in [*(name for name in tallies if name != "all"), "all"]:
        row = [tallies[name].number(one) for one in _OUTCOMES] + [
            tallies[name].apart(one) for one in (EACH, UNNAMED, OWN)
        ]
        print(f"{name:36}" + "".join(f"{number:6}" for number in row) + f"  {tallies[name].summary()}")
        if options.show:
            print(*tallies[name].shown, sep="\n")
    return 0


def _measured(repository: Path, commit: str, options: argparse.Namespace) -> Tally:
    if options.configuration is not None:
        return measure(repository, commit, {}, options.configuration.resolve())
    version = TORCH_MIN.get(options.target)
    given = {"target": options.target, "device": options.device, "torch_min_version": version, "isolated": True}
    if not options.project:
        return measure(repository, commit, given)
    with tempfile.TemporaryDirectory() as folder:
        _check_out(repository, f"{commit}^", Path(folder))
        return measure(repository, commit, given, Path(folder))


def _check_out(repository: Path, commit: str, folder: Path) -> None:
    """Write the Python files of a commit below a folder."""
    for name in _git(repository, "ls-tree", "-r", "--name-only", commit).splitlines():
        if name.endswith(".py") or name == "pyproject.toml":
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(_git_bytes(repository, "show", f"{commit}:{name}"))


_OUTCOMES = ("done", "flagged", "listed", "missed")
SAFE = "safe"
"""What is counted besides *done* where safe fixes alone do it."""


def measure(repository: Path, commit: str, given: Mapping[str, Any], folder: Path | None = None) -> Tally:
    """What devlint does with the files of a commit as they were before it; ``folder`` has what lies around them."""
    tally = Tally()
    for name in _git(repository, "diff", "--name-only", "--diff-filter=M", f"{commit}^", commit).splitlines():
        if name.endswith(".py"):
            text = _git(repository, "show", f"{commit}^:{name}")
            hunks = _git(repository, "diff", "--unified=0", f"{commit}^", commit, "--", name)
            _judge(tally, name if folder is None else str(folder / name), text, set(_removed(hunks)), given)
    return tally


def _git(repository: Path, *arguments: str) -> str:
    return _git_bytes(repository, *arguments).decode("utf-8", "replace")


def _git_bytes(repository: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True, check=True).stdout


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
    asked = {"filename": name, "extend_select": ["DEV801", *INVENTORY], **given}
    changed = _changed(lines, devlint.fix(text, unsafe=True, **asked).text.splitlines())
    safely = _changed(lines, devlint.fix(text, unsafe=False, **asked).text.splitlines())
    found = devlint.check(text, **asked).diagnostics
    flagged = _rows(one for one in found if one.code not in INVENTORY)
    listed = _rows(found)
    texts, branches = _texts(text), _branches(text)
    for row in concerned:
        kind = "text" if row in texts else _kind(lines[row - 1], in_branches=row in branches)
        outcome = "done" if row in changed else "flagged" if row in flagged else "listed" if row in listed else "missed"
        tally.counts[kind, outcome] += 1
        tally.counts[kind, SAFE] += row in safely
        if outcome != "done" and kind not in APART:
            tally.shown.append(f"{outcome:8} {name}:{row}: {lines[row - 1].strip()}")


def _rows(found: Iterable[devlint.Diagnostic]) -> set[int]:
    return {row for one in found for row in range(one.location.row, one.end_location.row + 1)}


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


def _branches(text: str) -> set[int]:
    """The lines of all ``if`` with other branches of which a test names an accelerator that is not CUDA."""
    found: set[int] = set()
    try:
        program = ast.parse(text)
    except (SyntaxError, ValueError):
        return found
    for node in ast.walk(program):
        if isinstance(node, ast.If) and node.orelse and _VENDOR.search(ast.unparse(node.test)):
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


def _kind(line: str, *, in_branches: bool) -> str:
    """What a line is about; the first kind that fits."""
    for kind, pattern in KINDS[:2]:
        if pattern.search(line):
            return kind
    code = line.split("#", maxsplit=1)[0]
    if not _CONCERNS.search(code):
        return KINDS[0][0]
    if _VENDOR.search(code) or (in_branches and _NAMED.search(code)):
        return EACH
    if not _NAMED.search(code):
        return UNNAMED
    if _names_only_itself(code):
        return OWN
    return next((kind for kind, pattern in KINDS[2:] if pattern.search(code)), OTHER)


def _names_only_itself(code: str) -> bool:
    """Whether names of the project's own are all that says CUDA in a line, outside of decorators and skips."""
    words = _WORD.findall(_QUOTED.sub("", code))
    if not words or any(map(_COUNTED.match, words)) or KINDS[2][1].search(code):
        return False
    return not any(map(_WORD.search, (found.group() for found in _QUOTED.finditer(code)))) and not _NAMED.search(
        _WORD.sub("", code)
    )


if __name__ == "__main__":
    raise SystemExit(main())
