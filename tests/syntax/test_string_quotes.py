"""Strings that fixes add have the quotes of the file, and of the row that they stand in."""

from __future__ import annotations

import pytest

from devlint.syntax.python_tree.string_quotes import in_own_quotes

SINGLE = "".join(f"{name} = '{name}'\n" for name in "abcdefg")
DOUBLE = SINGLE.replace("'", '"')


@pytest.mark.parametrize(
    ("before", "row", "after"),
    [
        (SINGLE, "", "x = 'cpu'"),
        (DOUBLE, "", 'x = "cpu"'),
        (SINGLE, "y = 'cuda'", "x = 'cpu'"),
        (SINGLE, 'y = "cuda"', 'x = "cpu" if a else "cuda"'),
        (SINGLE, 'y = f"cuda:{a}"', 'x = f"cuda:{a}" if b else "cpu"'),
        (SINGLE, "y = f'cuda:{a}'", "x = f'cuda:{a}' if b else 'cpu'"),
        (SINGLE, 'y = f"{a}"', "x = 'cpu'"),
    ],
)
def test_what_is_added_is_in_the_quotes_of_its_row(before: str, row: str, after: str) -> None:
    added = after.replace("'", '"') if 'f"' not in after and "f'" not in after else after.replace("'cpu'", '"cpu"')
    assert in_own_quotes(f"{before}{row}\n", f"{before}{added}\n") == f"{before}{after}\n"
