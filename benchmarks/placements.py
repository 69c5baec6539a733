"""Fix repositories, and work out for every move where it went before and goes after: only what may differ is printed.

    python -m benchmarks.placements FOLDER...                 fix a copy of each repository, and compare
    python -m benchmarks.placements FOLDER --fixed FOLDER     compare with a copy that has been fixed

Both texts of a file are evaluated as on a computer with CUDA: ``torch.cuda.is_available()`` is true, and every other
test that decides about a device, such as ``args.cuda``, once true and once false. What is left is written in one way,
and compared line by line; the code of devlint has no part in it. The same is done without CUDA, where only what runs
counts, and whether what is moved can be. What it prints is not wrong for that: a person reads it. A device that cannot
be worked out, such as a tensor's, is only printed with ``--unknown``. The exit code is 1 if anything is printed.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

from benchmarks import placement_without_cuda
from benchmarks.placement_forms import Form
from benchmarks.placement_lines import lines
from benchmarks.placement_names import Module, Project
from benchmarks.placement_values import Values, scoped

MOST_QUESTIONS = 4
"""How many questions are answered in every combination; where there are more, all but one are answered alike."""
SECONDS = 20
"""How much time of the processor a file may take."""
_DEVICE = r"(device\('[^']*'\)|'(cuda|cpu|None)[^']*'|[\w.]*(device|map_location)\w*(\(\w*\))?)(\.type)?"
_HELPER = re.compile(
    rf"\s*([\w.]+ = {_DEVICE}|return ({_DEVICE}|None)|(self\.)?\w+ = None|pass|def \w*(device|map_location)\w*\(.*\))"
)
"""What a fix adds to say where things go, which moves nothing by itself."""
_GONE = re.compile(r"\s*(\w+ = [\w.]*Tensor|([\w.]+ = )?[\w.]+\.cpu\(\)|pass)")
"""What a fix takes away with the moves: names of tensor types, and moves back to where things are."""
_PLACE = re.compile(r"(put\(.*?, |device=|amp_\w+\()'[^']*'")


class Difference(NamedTuple):
    """Lines that are not the same before and after a fix, where the questions have these answers."""

    answers: dict[str, bool]
    before: list[tuple[str, int]]
    after: list[tuple[str, int]]
    has_cuda: bool = True

    @property
    def is_unknown(self) -> bool:
        """Whether all that differs is a device that cannot be worked out."""
        texts = ["\n".join(text for text, _ in one) for one in (self.before, self.after)]
        return "'?" in texts[1] and _PLACE.sub(r"\1", texts[0]) == _PLACE.sub(r"\1", texts[1])


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, compare all repositories, print what differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="a repository")
    parser.add_argument("--fixed", type=Path, metavar="FOLDER", help="the one repository after its fixes")
    parser.add_argument("--unknown", action="store_true", help="print devices that cannot be worked out, too")
    options = parser.parse_args(arguments)
    found = 0
    for folder in options.folders:
        with tempfile.TemporaryDirectory(prefix="devlint-placements-") as temporary:
            fixed = options.fixed or fix(folder, Path(temporary) / "fixed")
            found += compare(folder, fixed, options.unknown)
    print(f"{found} to read")
    return 1 if found else 0


def fix(folder: Path, copy: Path) -> Path:
    """Make the safe fixes in a copy."""
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".git"), ignore_dangling_symlinks=True)
    command = [sys.executable, "-m", "devlint", "fix", "--quiet", "--isolated", "--no-cache", "--jobs", "1", str(copy)]
    subprocess.run(command, capture_output=True, check=False)
    return copy


def compare(folder: Path, fixed: Path, with_unknown: bool) -> int:
    """Print what differs in the files of a repository, and say how much that is."""
    found = 0
    before, after = Project(folder), Project(folder, fixed)
    for path in sorted(fixed.rglob("*.py")):
        name = path.relative_to(fixed).as_posix()
        if not (folder / name).is_file() or (folder / name).read_bytes() == path.read_bytes():
            continue
        old, new = before.module(name), after.module(name)
        if old is None or new is None:
            continue
        for one in _in_time(old, new):
            if with_unknown or not one.is_unknown:
                found += 1
                print(_shown(folder / name, one), flush=True)
    return found


def _in_time(old: Module, new: Module) -> list[Difference]:
    """The differences of a file; where it takes too long, one that says so."""
    signal.signal(signal.SIGVTALRM, _too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        return [*differences(old, new), *differences(old, new, has_cuda=False), *newly_moved(old, new)]
    except (TimeoutError, RecursionError) as error:
        return [Difference({}, [(f"this file was not compared: {error!r}", 0)], [])]
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _too_long(*_: object) -> None:
    raise TimeoutError


def _shown(path: Path, one: Difference) -> str:
    rows = [str(lines_[0][1]) if lines_ else "-" for lines_ in (one.before, one.after)]
    said = ", ".join(f"{question}: {answer}" for question, answer in one.answers.items()) or "always"
    said = said if one.has_cuda else f"without CUDA: {said}"
    texts = [f"    - {text.strip()}" for text, _ in one.before] + [f"    + {text.strip()}" for text, _ in one.after]
    return "\n".join([f"{path}:{rows[0]} (fixed: {rows[1]}) {said}", *texts])


def newly_moved(old: Module, new: Module) -> Iterator[Difference]:
    """What only the fixed text moves without CUDA, and may not be able to."""
    kept, seen = _kept(old.tree.body, new.tree.body), set()
    for answers in _cases(sorted(_questions(old, new, kept) - {"__name__ == '__main__'"})):
        for receiver, why in placement_without_cuda.newly_moved(old, new, answers, kept):
            if (receiver.lineno, why) not in seen:
                seen.add((receiver.lineno, why))
                text = f"{ast.unparse(receiver)} is moved without CUDA, and {why}"
                yield Difference(answers, [], [(text, receiver.lineno)], has_cuda=False)


def differences(old: Module, new: Module, has_cuda: bool = True) -> Iterator[Difference]:
    """What is not the same in two texts of a file, each with the first answers for which it is not."""
    kept = _kept(old.tree.body, new.tree.body)
    questions = sorted(_questions(old, new, kept) - {"__name__ == '__main__'"})
    seen = set()
    for answers in _cases(questions):
        before, after = (_lines(module, answers, kept, has_cuda) for module in (old, new))
        texts = [[_unnamed(text) for text, _ in one] for one in (before, after)]
        changes = SequenceMatcher(None, texts[0], texts[1], autojunk=False).get_opcodes()
        for kind, start, end, new_start, new_end in changes:
            gone = [one for one in before[start:end] if not _GONE.fullmatch(one[0])]
            gone = gone if has_cuda else placement_without_cuda.running(gone)
            targets = {text.strip().partition(" = ")[0] for text, _ in gone}
            added = [
                (text, row)
                for text, row in after[new_start:new_end]
                if not _HELPER.fullmatch(text) or text.strip().partition(" = ")[0] in targets
            ]
            one = Difference(answers, gone, added, has_cuda)
            key = tuple(text.strip() for text, _ in (*one.before, ("", 0), *one.after))
            is_same = [_unnamed(text.strip()) for text, _ in gone] == [_unnamed(t.strip()) for t, _ in added]
            if kind != "equal" and not is_same and key not in seen:
                seen.add(key)
                yield one


def _lines(module: Module, answers: dict[str, bool], kept: set[int], has_cuda: bool) -> list[tuple[str, int]]:
    values = Values(module, answers, has_cuda)
    if has_cuda:
        return list(lines(Form(values, module.scope, kept).block(module.tree.body)))
    unplaced = lines(placement_without_cuda.Unplaced(values, module.scope, kept, []).block(module.tree.body))
    return [(placement_without_cuda.unplaced(text), row) for text, row in unplaced]


def _unnamed(text: str) -> str:
    """A text in which a card by a number that is not known, and a device that is the number, are the same."""
    return re.sub(r"'(\?[\w.]+(\(.*?\))?|cuda:\{n\})'", "'cuda:{n}'", text)


def _kept(old: list[ast.stmt], new: list[ast.stmt]) -> set[int]:
    """The statements of a module and its classes that are the same in both texts."""
    by_text: list[dict[str, list[ast.stmt]]] = [defaultdict(list), defaultdict(list)]
    for found, body in zip(by_text, (old, new)):
        for one in body:
            found[ast.dump(one)].append(one)
    same = [text for text, ones in by_text[0].items() if len(ones) == len(by_text[1].get(text, ()))]
    kept = {id(one) for text in same for found in by_text for one in found[text]}
    classes = {one.name: one for one in old if isinstance(one, ast.ClassDef) and id(one) not in kept}
    for one in new:
        if isinstance(one, ast.ClassDef) and id(one) not in kept and one.name in classes:
            kept |= _kept(classes[one.name].body, one.body)
    return kept


def _questions(old: Module, new: Module, kept: set[int]) -> set[str]:
    """What decides about devices that only one of the texts names, and what its tests ask."""
    found: list[dict[str, set[str]]] = [defaultdict(set), defaultdict(set)]
    counts: list[Counter[str]] = [Counter(), Counter()]
    for module, asked, count in zip((old, new), found, counts):
        for node, scope in scoped(module, kept):
            values = Values(module, {})
            if isinstance(node, (ast.If, ast.IfExp)):
                values.truth(node.test, scope)
                text = ast.unparse(node.test)
            elif isinstance(node, ast.Call):
                given = [one.value for one in node.keywords if one.arg in ("device", "device_type")]
                is_move = isinstance(node.func, ast.Attribute) and node.func.attr in ("to", "cuda")
                for one in (*given, *(node.args[:1] if is_move else ())):
                    values.device(one, scope)
                text = ast.unparse(node)
            else:
                continue
            asked[text] |= values.asked
            count[text] += 1
    return {
        question
        for asked, mine, other in zip(found, counts, counts[::-1])
        for text in mine - other
        for question in asked[text]
    }


def _cases(questions: list[str]) -> Iterator[dict[str, bool]]:
    """The answers to try."""
    if len(questions) <= MOST_QUESTIONS:
        for answers in itertools.product((True, False), repeat=len(questions)):
            yield dict(zip(questions, answers))
        return
    for most in (True, False):
        yield dict.fromkeys(questions, most)
        for one in questions:
            yield {question: most if question != one else not most for question in questions}


if __name__ == "__main__":
    sys.exit(main())
