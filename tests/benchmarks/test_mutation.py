"""The mistakes that `make mutation` makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.mutation_sites import mutants, mutated, sample

CODE = '''\
LIMIT = 3


def outer(a, b):
    """No mistake is made in a docstring."""
    assert a, "nor in an assertion"

    def inner(one: "int" = 1):
        return one
    {}
'''
SHOWN = [
    ("return a == b", ["return a == b -> return None", "a == b -> a != b"]),
    ("return a < b in c", ["return a < b in c -> return None", "a < b in c -> a >= b in c", "a < b in c -> a < b not in c"]),
    ("return None", []),
    ("x = a and not b", ["a and (not b) -> a or not b", "not b -> b"]),
    ("x = 1 - a", ["1 - a -> 1 + a", "1 -> 2"]),
    ("x = 'b'", ["'b' -> ''"]),
    ("if a: x = True", ["if a -> if False", "if a -> if not a", "True -> False"]),
    ("for a in b: break", ["break -> continue"]),
    ("x = [c for c in b if a]", ["for c in b if a -> for c in b"]),
    ("x = a if b else c", ["a if b else c -> a if not b else c"]),
    ("print(a)", ["print(a) -> pass"]),
]  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "module.py"


@pytest.mark.parametrize(("statement", "texts"), SHOWN)
def test_mistakes(path: Path, statement: str, texts: list[str]) -> None:
    path.write_text(CODE.format(statement))
    found = [one for one in mutants(path) if one.line > 9]
    assert [one.text for one in found] == texts
    assert all(mutated(one).keys() == {("outer", 4)} for one in found)


def test_a_function_makes_the_mistake_once_it_has_the_code(path: Path) -> None:
    path.write_text(
        "import functools\n\n\n@functools.cache\ndef outer(a):\n    return [x for x in a if x > 2 and x > 3]\n"
    )
    made: dict[str, object] = {}
    exec(compile(path.read_text(), str(path), "exec"), made)
    (mutant,) = [one for one in mutants(path) if one.text.endswith("x > 2 or x > 3")]
    made["outer"].__wrapped__.__code__ = mutated(mutant)["outer", 4]
    assert made["outer"]((2, 3, 4)) == [3, 4]


def test_code_around_is_changed_too(path: Path) -> None:
    path.write_text(CODE.format("return inner"))
    (mutant,) = [one for one in mutants(path) if one.text.startswith("return one")]
    assert mutated(mutant).keys() == {("outer", 4), ("inner", 8)}


def test_the_seed_says_which(path: Path) -> None:
    path.write_text(CODE.format("return a < b < c"))
    assert sample([path], 2, seed=1) == sample([path], 2, seed=1)
    assert sample([path], 99, seed=1)[1] == len(mutants(path)) == len(sample([path], 99, seed=1)[0])
