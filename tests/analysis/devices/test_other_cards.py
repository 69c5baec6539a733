"""A cast to a CUDA type leaves a tensor on its card, and a move to CUDA takes it to the current one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

CAST = "import torch\n\n\ndef cast(x):\n    return x.type(torch.cuda.FloatTensor)\n"


@pytest.mark.parametrize(
    ("other", "kept"),
    [
        ("net = net.to('cuda:%d' % args.gpu)", True),
        ("net = net.to(f'cuda:{args.gpu}')", True),
        ("net = net.cuda(args.gpu)", True),
        ("net = net.to(torch.device('cuda', args.gpu))", True),
        ("torch.cuda.set_device(args.gpu)\nnet = net.cuda(args.gpu)", False),
        ("net = net.cuda(0)", False),
        ("net = net.to('cuda:0')", False),
        ("net = net.cuda()", False),
    ],
)
def test_cards_of_another_file(tmp_path: Path, other: str, kept: bool) -> None:
    main = f"import sys\nimport torch\nfrom casts import cast\n\n\ndef main(args, net):\n    {other.replace(chr(10), chr(10) + '    ')}\n    print(cast(net.weight))\n"
    files = {"README.md": "", "casts.py": CAST, "main.py": main}
    fixed = {**files, **fix_files(write_files(tmp_path / "p", files))}["casts.py"]
    assert ("x.type(torch.cuda.FloatTensor)" in fixed) is kept


def test_a_tensor_that_is_made_there(tmp_path: Path) -> None:
    text = "import torch\n\n\ndef g(net, gpu):\n    net.cuda(gpu)\n\n\ndef f():\n    return torch.ones(3).type(torch.cuda.FloatTensor)\n"
    fixed = fix_files(write_files(tmp_path / "p", {"README.md": "", "main.py": text}))["main.py"]
    assert "torch.cuda.FloatTensor" not in fixed
