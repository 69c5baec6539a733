from __future__ import annotations

import libcst as cst
import pytest

from devlint.analysis.names.exception_handling import is_caught
from devlint.syntax.file_context import FileContext
from tests.support.rule_cases import source

CAUGHT = [
    "try:\n    f()\nexcept RuntimeError:\n    pass",
    "try:\n    f()\nexcept:\n    pass",
    "try:\n    if x:\n        f()\nexcept (KeyError, errors.RuntimeError) as e:\n    pass",
    "try:\n    f()\nexcept KeyError:\n    pass\nexcept Exception:\n    pass",
    "with contextlib.suppress(KeyError, RuntimeError):\n    f()",
    "with pytest.raises(RuntimeError):\n    f()",
    "try:\n    f()\nexcept RuntimeError:\n    if x:\n        return\n    raise",
    "try:\n    f()\nexcept RuntimeError as e:\n    raise ValueError() from e",
]
NOT_CAUGHT = [
    "f()",
    "try:\n    f()\nexcept KeyError:\n    pass",
    "try:\n    f()\nfinally:\n    pass",
    "try:\n    pass\nexcept RuntimeError:\n    f()",
    "try:\n    pass\nexcept RuntimeError:\n    pass\nelse:\n    f()",
    "try:\n    def g():\n        f()\nexcept RuntimeError:\n    pass",
    "with suppress(KeyError):\n    f()",
    "with open(RuntimeError):\n    f()",
    "try:\n    f()\nexcept RuntimeError:\n    print('no')\n    raise",
    "try:\n    f()\nexcept Exception as e:\n    print(e)\n    raise e",
    "try:\n    f()\nexcept RuntimeError: raise",
]


@pytest.mark.parametrize(("text", "caught"), [*((one, True) for one in CAUGHT), *((one, False) for one in NOT_CAUGHT)])
def test_is_caught(text: str, caught: bool) -> None:
    ctx = FileContext(source(f"{text}\n"))
    call = next(one for one in ctx.tree.of_type(cst.Call) if ctx.text_of(one) == "f()")
    assert is_caught(ctx, call, "RuntimeError") is caught
