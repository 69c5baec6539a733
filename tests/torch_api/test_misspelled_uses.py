from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from devlint.syntax.python_tree.code_text import POSSESSIVE
from devlint.torch_api import misspelled_uses

PIECES = (
    *("torch", ".", "cuda", "Cuda", "nn", "acelerator", "x", "parallel", "is_availble", "mytorch", "\u706b"),
    *("import", "from", "as", ",", "(", ")", "\\", "#", " ", " ", " ", "\n", "\n", "\r\n", "\t", "'", "=", ";"),
    *("import torch", "from torch import ", "import torch.nn as ", "from torch import cuda as ", " as "),
)


@pytest.mark.skipif(not POSSESSIVE, reason="regular expressions are not asked there")
@given(st.lists(st.sampled_from(PIECES), max_size=24))
@settings(max_examples=1500)
@example(["import torch as my_torch", "\n", "my_torch", ".", "acelerator"])
@example(["from torch import torch_x, cuda", "\n", "cuda", ".", "is_availble"])
@example(["from", "torch", "import", " ", "import torch.nn as ", " as ", "Cuda"])
@example(["from torch import ", "\n", "(", "Cuda"])
@example(["torch", "  # the torch\n", ".", "acelerator"])
def test_what_is_read_without_patterns_is_what_patterns_find(pieces: list[str]) -> None:
    from devlint.torch_api.misspelled_patterns import misspell

    code = "".join(pieces).encode()
    try:
        is_found = misspelled_uses._may_misspell(code)
    except misspelled_uses._UnclearError:
        return
    assert is_found or not misspell(code)


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("import torch\nimport torch.nn as nn\n\nx = nn.Linear(2, 2)\ny = torch.cuda.Event()\n", False),
        ("import torch  # for all\nfrom torch import nn, cuda as c\n\nc.is_available()\n", False),
        ("from torch.nn import (\n  functional,\n)\n", False),
        ("import torch\n\ntorch.acelerator\n", True),
        ("from torch import cuda as c\n\nc.is_availble()\n", True),
    ],
)
def test_usual_programs_need_no_patterns(program: str, is_found: bool) -> None:
    assert misspelled_uses._may_misspell(program.encode()) is is_found
