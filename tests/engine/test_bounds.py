"""Settings, lists and streams at their worst: each is one clear line, or not heeded, and nothing is waited for."""

from __future__ import annotations

import gc
import io
import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from devlint.cli import main
from devlint.config import baseline
from devlint.config.baseline import Baseline
from devlint.config.finder import MAX_EXTENDED, ConfigFinder
from devlint.config.options import MAX_ENTRIES
from devlint.config.selection import catalogue
from devlint.config.torch_requirement import lower_bound
from devlint.core import file_reading
from devlint.rules.prefilter import code, rule_filter
from devlint.rules.triggers.statements import Statement
from devlint.sources.gitignore_patterns import MAX_PATTERN, git_spec, quick
from devlint.sources.path_patterns import is_pattern
from devlint.syntax import parse
from devlint.syntax.parser_limits import MAX_ITEMS, TooComplexError, refuse_pathological
from devlint.syntax.python_tree import python_ast

GOOD = "import torch\n\nmodel = torch.nn.Linear(2, 2)\nmodel.cuda()\n"
MARK = {"format": "devlint-baseline", "version": 1}
Check = Callable[..., tuple[Any, str, str]]


@pytest.fixture(autouse=True)
def impatient() -> Iterator[None]:
    """A test that waits for ever fails."""

    def late(*_: object) -> None:
        raise TimeoutError("the test waits for ever")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(300)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Check:
    """Runs devlint in a folder with one finding: exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    Path("good.py").write_text(GOOD)

    def call(*arguments: str, command: str = "check") -> tuple[Any, str, str]:
        with pytest.raises(SystemExit) as left:
            main([command, *arguments])
        return left.value.code or 0, *capsys.readouterr()

    return call


def pipe(path: str) -> None:
    os.mkfifo(path)


def endless(path: str) -> None:
    os.symlink("/dev/zero", path)


def sparse(path: str) -> None:
    Path(path).write_bytes(b"")
    os.truncate(path, 5 << 30)


WORST = {pipe: "is neither a file nor a folder", endless: "is neither a file nor a folder", sparse: "is larger than "}
worst = pytest.mark.parametrize("make", WORST)


def is_refused(result: tuple[Any, str, str], path: str, words: str) -> bool:
    """Whether all that was said is one line with the path and these words, and the exit code is 2."""
    return result[0] == 2 and result[2].count("\n") == 1 and f"{path}: " in result[2] and words in result[2]


@worst
@pytest.mark.parametrize("name", ["pyproject.toml", "devlint.toml"])
def test_configurations(check: Check, name: str, make: Any) -> None:
    make(name)
    assert is_refused(check(), name, WORST[make])


@worst
def test_named_configurations_and_baselines(check: Check, make: Any) -> None:
    make("given")
    assert is_refused(check("--config", "given"), "given", WORST[make])
    assert is_refused(check("--baseline", "given"), "given", WORST[make])
    for more in ((), ("--check",)):
        assert is_refused(check("--output", "given", *more, command="baseline"), "given", WORST[make])


@worst
@pytest.mark.parametrize("name", ["requirements.txt", "setup.py", ".gitmodules", ".git"])
def test_what_is_not_needed_is_not_heeded(check: Check, name: str, make: Any) -> None:
    make(name)
    code, out, _ = check("good.py")
    assert code == 1 and "good.py:4:7: DEV101" in out
    assert check(command="init")[0] == 0


@worst
def test_ignore_files(check: Check, make: Any) -> None:
    os.makedirs(".git/info")
    make(".git/info/exclude")
    make(".gitignore")
    code, out, err = check()
    assert (code, "DEV101" in out, err) == (1, True, "") if make is not sparse else is_refused((code, out, err), "", "")


@worst
def test_caches(check: Check, make: Any) -> None:
    check()
    (store,) = Path(".devlint_cache").glob("*.json")
    for path in (store, Path(".devlint_cache", "CACHEDIR.TAG")):
        os.unlink(path)
        make(str(path))
        assert check()[0] == 1
    assert check(command="clean")[0] in (0, 2)


@pytest.mark.parametrize("name", ["a.py", "a.ipynb", "a.md", "Dockerfile"])
def test_files_that_are_too_large(check: Check, name: str) -> None:
    sparse(name)
    for arguments in ((".",), (name,)):
        assert is_refused(check(*arguments), name, f"is larger than {file_reading.MAX_BYTES:,} bytes, left alone")


def test_standard_input_without_an_end(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_reading, "MAX_BYTES", 100)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x" * 101)))
    assert is_refused(check("-"), "-", "is larger than 100 bytes")


def test_a_file_that_grows_is_read_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"a" * 50)
    with file_reading.open_regular_file(str(path), 100) as file:
        path.write_bytes(b"a" * 80)
        assert file_reading.read_all(file, 100) == b"a" * 80
    with file_reading.open_regular_file(str(path), 100) as file:
        path.write_bytes(b"a" * 120)
        with pytest.raises(OSError, match="is larger than 100 bytes"):
            file_reading.read_all(file, 100)
    with pytest.raises(IsADirectoryError):
        file_reading.read_file(str(tmp_path))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = " + "[" * 100_000, "is no TOML: nested too deeply"),
        ("a = " + "{a=" * 100_000, "is no TOML: nested too deeply"),
        (".".join(["a"] * 50_000) + " = 1", "is no TOML: a key has more than 100 parts"),
        ("[" + " . ".join(['"a"'] * 50_000) + "]", "is no TOML: a key has more than 100 parts"),
        ("a = " + "9" * 10_000, "is no TOML: "),
        ("a" * 10_000 + " = 1", "unknown key 'aaaaaaa"),
        ("select = ['" + "a" * 10_000 + "']", "unknown rule selector 'AAAAA"),
        ("select = [" + "'DEV101'," * (MAX_ENTRIES + 1) + "]", "at most 10,000 entries, not 10,001"),
        ("[per-file-ignores]\n" + "".join(f"a{i} = []\n" for i in range(MAX_ENTRIES + 1)), "at most 10,000 entries"),
        ("exclude = ['" + "a" * (MAX_PATTERN + 1) + "']", "is not a file pattern"),
        ("target = 'project'\ndevice = '" + "-" * 50_000 + "1'", "expected a Python expression"),
        ("#" * 1_000_000 + "\n", "cannot be read: is larger than 1,000,000 bytes"),
    ],
)
def test_what_a_configuration_says(check: Check, text: str, words: str) -> None:
    Path("devlint.toml").write_text(text)
    result = check()
    assert is_refused(result, "devlint.toml", words) and len(result[2]) < 300


def test_a_long_line_of_other_dots_is_no_long_key(check: Check) -> None:
    Path("devlint.toml").write_text("exclude = [" + "'a.b.c.d', " * 100 + "]\n")
    assert check()[0] == 1


def test_configurations_that_rest_on_many_others(check: Check) -> None:
    for number in range(2000):
        Path(f"{number}.toml").write_text(f"extend = '{number + 1}.toml'\n")
    assert is_refused(check("--config", "0.toml"), f"{MAX_EXTENDED}.toml", "'extend': more than 100 configurations")


def test_requirements() -> None:
    assert lower_bound("torch>=" + "9" * 5000) == (999_999_999, 0)
    assert lower_bound("torch" + " " * 100_000 + "x") is None
    assert lower_bound("torch [a] (>=1.9)") == (1, 9)


def test_baselines(check: Check) -> None:
    entry = {"path": "a\nb" * 1000, "code": "D", "line": "", "count": 1}
    for row, words in ((entry, "which it lists, does not exist"), ({**entry, "x" * 100_000: 0, "count": 0}, "is none")):
        Path("b.json").write_text(json.dumps([row, MARK]))
        result = check("--baseline", "b.json")
        assert is_refused(result, "b.json", words) and len(result[2]) < 400
    Path("b.json").write_text(json.dumps([{**MARK, "version": "2\n" * 1000}]))
    assert is_refused(check("--baseline", "b.json"), "b.json", "is a baseline of version '2")


def memory(*roots: object) -> int:
    """Bytes of some objects and all in them, each once: what no other part of the process can change."""
    seen: dict[int, object] = {}
    left = list(roots)
    while left:
        if id(one := left.pop()) not in seen:
            seen[id(one)] = one
            left += gc.get_referents(one) if isinstance(one, (tuple, list, dict)) else ()
    return sum(map(sys.getsizeof, seen.values()))


def test_a_long_baseline_takes_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"path": f"a{i // 20}.py", "code": "DEV101", "line": f"x{i}.cuda()", "count": 1} for i in range(20_000)]
    path = tmp_path / "b.json"
    path.write_text(json.dumps([*rows, MARK]))
    read: list[Any] = []
    merged = baseline._merged

    def watched(path: str, given: Iterable[Any]) -> Any:
        read.extend(given)
        return merged(path, read)

    monkeypatch.setattr(baseline, "_merged", watched)
    found = Baseline.read(str(path))
    assert found.known(str(tmp_path / "a0.py"))["DEV101", "x7.cuda()"] == 1
    assert memory(read) < 0.7 * memory(rows)


NAMES = st.text("aab/*c[", min_size=1, max_size=9).filter(lambda name: "//" not in name and name[0] != "/")
PARTS = ("a", "b", "*", "*", "/", "?", "**/", "/**/", "[ab]", "\\*", "\\[", "!", ".")


@pytest.mark.slow
@settings(max_examples=2000, deadline=None)
@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=9).map("".join).filter(is_pattern), NAMES)
def test_patterns_that_are_made_quick_match_the_same(pattern: str, name: str) -> None:
    (one,) = GitIgnoreSpec.from_lines([pattern]).patterns or [None]
    if one is None or one.regex is None:
        return
    before, after = one.regex.search(name), re.search(quick(one.regex.pattern), name)
    assert (before is None) == (after is None)
    if before is not None and after is not None:
        assert before.groupdict().get("ps_d") == after.groupdict().get("ps_d")


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("*a" * 100 + "b", "a" * 255),
        ("a**" * 100 + "b", "a" * 255),
        ("[a-z]*" * 100 + "1", "a" * 255),
        ("[!b]*" * 50 + "b", "a" * 255),
        ("/" + "*a" * 25 + "b/*.py", "a" * 200 + "/x.py"),
        ("**/a/" * 50 + "b", "a/" * 100 + "c"),
        ("**/*/" * 50 + "x", "a/" * 200 + "y"),
        ("**/a*a*a*a*b/" * 20 + "b", ("a" * 60 + "/") * 60 + "c"),
    ],
)
def test_patterns_of_many_stars_end(pattern: str, name: str) -> None:
    spec = git_spec([pattern])
    start = time.process_time()
    assert spec.check_file(name).include is None
    assert time.process_time() - start < 20  # or never


def test_a_set_matches_no_slash() -> None:
    assert git_spec(["/a*[!a]*b*c"]).check_file("axbc").include
    assert not git_spec(["/a*[!a]*b*c"]).check_file("a/bc").include


def test_what_is_too_large_for_a_parser_is_given_to_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: object) -> None:
        raise AssertionError("a parser was asked")

    monkeypatch.setattr(python_ast, "_succeeds", asked)
    monkeypatch.setattr("ast.parse", asked)
    for text in ("x = 1\n" * 400_000, "v = [" + "1, 2, " * 70_000 + "]\n"):
        assert not python_ast.parses(text)
        assert python_ast.syntax_tree(text) is python_ast.syntax_tree(text.encode()) is None


def test_a_long_file_that_is_named_is_not_parsed(check: Check) -> None:
    Path("long.py").write_text("x = 1\n" * 400_000)
    assert check("long.py") == (
        2,
        "",
        "error: long.py: is larger than 2,000,000 characters: generated code, left alone\n",
    )


@pytest.mark.skipif(not code.POSSESSIVE, reason="words and trees decide there")
def test_very_long_files_are_asked_for_words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not code.Code(b"# cuda").holds("cuda")
    monkeypatch.setattr(code, "_MOST_BYTES", 5)
    assert code.Code(b"# cuda").holds("cuda")


def test_long_texts_with_names_of_variables(check: Check) -> None:
    Path("long.sh").write_text("echo 1\n" * 1_000_000)
    assert check("long.sh")[::2] == (0, "")
    Path("long.sh").write_text("export CUDA_VISIBLE_DEVICE=0\n" * 200_000)
    for path in (".", "long.sh"):
        assert is_refused(check(path), "long.sh", "is larger than 4,000,000 bytes, left alone")


def test_many_comments_are_not_looked_through_from_each_of_them() -> None:
    rules = rule_filter.Prefilter([rule for rule in catalogue() if rule.trigger])
    start = time.process_time()
    found = rules.candidates(b"import torch\n" + b"# cuda\n" * 20_000).rules
    assert time.process_time() - start < 10  # a tenth of a second; or most of a minute
    assert found == rules.candidates(b"import torch\n" + b"# cuda\n").rules
    assert "DEV101" in {rule.code for rule in rules.candidates(b"# cuda\n" * 2_000 + b"x.cuda()\n").rules}


@pytest.mark.parametrize("line", [").to(d)\n", "f(a,\nb).to(d)\n", "y = x.to(d); z = "])
def test_many_moves_take_linear_time(line: str) -> None:
    start = time.process_time()
    Statement("to", "cuda").matches(code.Code(line.encode() * 20_000))
    assert time.process_time() - start < 10  # a hundredth of a second


def test_commas_and_brackets() -> None:
    refuse_pathological("v = [" + "a, " * (MAX_ITEMS - 2) + "]\n")
    refuse_pathological("v = '" + "a, " * (MAX_ITEMS + 1) + "'\n")
    refuse_pathological("v = [" + "{a: f(b=1)}, " * (MAX_ITEMS // 5 - 2) + "]\n")
    for many in ("a, " * (MAX_ITEMS - 1), "{a: f(b=1)}, " * (MAX_ITEMS // 5)):
        with pytest.raises(
            TooComplexError, match="more than 100,000 commas, brackets and the like: generated data, left"
        ):
            refuse_pathological("v = [" + many + "]\n")


def test_dots_count_but_for_those_of_numbers() -> None:
    refuse_pathological("v = [" + "0.5, " * (MAX_ITEMS - 2) + "]\n")
    refuse_pathological("v = [" + "a.b, " * (MAX_ITEMS // 2 - 1) + "]\n")
    with pytest.raises(TooComplexError, match="commas, brackets and the like"):
        refuse_pathological("v = [" + "a.b, " * (MAX_ITEMS // 2) + "]\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "message"),
    [
        (15_000, "speaks of CUDA more than 5,000 times: generated code"),
        (30_000, "holds more than 100,000 commas, brackets and the like: generated data"),
    ],
)
def test_generated_code_that_moves_thousands_of_tensors_is_refused_unparsed(
    check: Check, monkeypatch: pytest.MonkeyPatch, count: int, message: str
) -> None:
    parsed, original = list[str](), parse.parse_in_chunks
    monkeypatch.setattr(parse, "parse_in_chunks", lambda text: parsed.append(text) or original(text))
    Path("bad.py").write_text("import torch\n" + "".join(f"v{i} = torch.zeros({i}).cuda()\n" for i in range(count)))
    code, out, err = check()
    assert (code, parsed) == (2, [GOOD])
    assert err == f"error: bad.py: {message}, left alone\n"
    assert "good.py" in out


def test_a_string_of_many_pieces_keeps_nothing_else_from_being_found(check: Check) -> None:
    Path("good.py").write_text(GOOD + "words = (\n" + "'a'\n" * 700 + ")\n")
    code, out, err = check("--output-format", "concise")
    assert (code, out.count("DEV101"), err) == (1, 1, "")


def test_the_settings_of_a_folder_are_found_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.devlint]\nunsafe-fixes = true\n")
    assert ConfigFinder(cwd=str(tmp_path)).settings(str(tmp_path)).unsafe_fixes
