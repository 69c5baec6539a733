"""Where a program names an environment variable, whether that is the real environment, and whether it reads it."""

from __future__ import annotations

import libcst as cst
import pytest

from devlint.analysis.apis.environment_reads import names_variable, reads_variable, surely_names_variable
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext

STRINGS = [
    ("os.environ['V']", "named surely read"),
    ("os.environ['V'] = '1'", "named surely"),
    ("os.environ['V'] += '1'", "named surely"),
    ("del os.environ['V']", "named surely"),
    ("os.environ.get('V')", "named surely read"),
    ("os.environ.get('V', '0')", "named surely read"),
    ("os.environ.get('K', 'V')", ""),
    ("os.environ.get(default='V')", ""),
    ("os.environ.pop('V')", "named surely"),
    ("os.environ.setdefault('V', '1')", "named surely"),
    ("os.environ.keys('V')", ""),
    ("os.environ[b'V']", "named surely read"),
    ("os.environb[b'V']", "named surely read"),
    ("os.getenv('V')", "named surely read"),
    ("os.getenv(key='V')", "named surely read"),
    ("os.getenv(default='V')", ""),
    ("os.putenv('V', '1')", "named surely"),
    ("os.unsetenv('V')", "named surely"),
    ("f(key='V')", ""),
    ("f(envvar='V')", "named read"),
    ("f(env_var='V')", "named read"),
    ("click.option('--a', envvar='V')", "named read"),
    ("'V' in os.environ", "named surely read"),
    ("'V' not in os.environ", "named surely read"),
    ("'V' == os.environ", ""),
    ("os.environ == 'V'", ""),
    ("'V' in names", ""),
    ("env['V']", "named read"),
    ("my_env['V']", "named read"),
    ("environment['V']", "named read"),
    ("names['V']", ""),
    ("config['env']['V']", "named read"),
    ("config['names']['V']", ""),
    ("self.env['V']", "named read"),
    ("env.get('V')", "named read"),
    ("names.get('V')", ""),
    ("dict(os.environ)['V']", "named surely read"),
    ("os.environ.copy()['V']", "named surely read"),
    ("copy.deepcopy(os.environ)['V']", "named surely read"),
    ("copy.copy(env)['V']", "named read"),
    ("dict(names)['V']", ""),
    ("dict()['V']", ""),
    ("names.copy()['V']", ""),
    ("copy()['V']", ""),
    ("{'V': 1}", ""),
    ("env = {'V': 1}", "named"),
    ("names = {'V': 1}", ""),
    ("env = {'a': 'V'}", ""),
    ("env: dict = {'V': 1}", "named"),
    ("env |= {'V': 1}", "named"),
    ("names |= {'V': 1}", ""),
    ("env | {'V': 1}", "named"),
    ("names | {'V': 1}", ""),
    ("{**os.environ, 'V': 1}", "named"),
    ("{**names, 'V': 1}", ""),
    ("run(env={'V': 1})", "named"),
    ("run(names={'V': 1})", ""),
    ("run({'V': 1})", ""),
    ("os.environ.update({'V': 1})", "named surely"),
    ("names.update({'V': 1})", ""),
    ("update({'V': 1})", ""),
    ("dict(os.environ, **{'V': 1})", "named surely"),
    ("dict({'V': 1})", ""),
    ("env = dict({'V': 1})", "named"),
    ("{'env': {'V': 1}}", "named"),
    ("{'names': {'V': 1}}", ""),
    ("{1: {'V': 1}}", ""),
    ("mock.patch.dict('os.environ', {'V': 1})", "named"),
    ("mock.patch.dict('names', {'V': 1})", ""),
    ("mock.patch.dict(os.environ, {'V': 1})", "named surely"),
    ("mock.patch.dict(names, {'V': 1})", ""),
    ("mock.patch.dict(a=1, b={'V': 1})", ""),
    ("monkeypatch.setenv('V', '1')", "named surely"),
    ("monkeypatch.delenv('V')", "named surely"),
    ("monkeypatch.setattr('V', '1')", ""),
    ("get_env('V')", "named surely read"),
    ("k = 'V'; os.environ[k]", "named"),
    ("k = 'V'; names[k]", ""),
    ("k = l = 'V'; os.environ[k]", ""),
    ("k = 'V'; k = 'W'; os.environ[k]", ""),
    ("k.a = 'V'; os.environ[k]", ""),
    ("print('V')", ""),
    ("x = 'V'", ""),
]
"""Lines, and what they do with ``V``."""
KEYWORDS = [
    ("os.environ.update(V=1)", True),
    ("dict(os.environ, V=1)", True),
    ("dict(V=1)", False),
    ("env = dict(V=1)", True),
    ("names = dict(V=1)", False),
    ("run(env=dict(V=1))", True),
    ("run(names=dict(V=1))", False),
    ("run(dict(V=1))", False),
    ("mock.patch.dict(os.environ, V=1)", True),
    ("mock.patch.dict('os.environ', V=1)", True),
    ("f(V=1)", False),
    ("names.update(V=1)", False),
    ("update(V=1)", False),
    ("dict(names, V=1)", False),
    ("dict(a=os.environ, V=1)", False),
]
"""Lines, and whether the keyword ``V`` is a variable."""


def parsed(line: str) -> FileContext:
    return FileContext(Source.from_text("case.py", f"import os, copy\n{line}\n"))


@pytest.mark.parametrize(("line", "expected"), STRINGS)
def test_strings(line: str, expected: str) -> None:
    ctx = parsed(line)
    node = next(one for one in ctx.tree.of_type(cst.SimpleString) if one.raw_value == "V")
    assert surely_names_variable(ctx, node) <= names_variable(ctx, node)
    said = {"named": names_variable, "surely": surely_names_variable, "read": reads_variable}
    assert [word for word, asked in said.items() if names_variable(ctx, node) and asked(ctx, node)] == expected.split()


@pytest.mark.parametrize(("line", "expected"), KEYWORDS)
def test_keywords(line: str, expected: bool) -> None:
    ctx = parsed(line)
    keywords = [one.keyword for one in ctx.tree.of_type(cst.Arg) if one.keyword is not None]
    assert names_variable(ctx, next(one for one in keywords if one.value == "V")) is expected
