"""A small project with one of everything that a report tells of, and the report on it."""

from __future__ import annotations

import json
from pathlib import Path

from devlint.config.finder import ConfigFinder
from devlint.report.model import MigrationReport
from devlint.report.survey import migration_report

FILES = {
    "train.py": 'import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\nprint("</script><b>&amp;")\n',
    "net/model.py": "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x\n",
    "net/check.py": "import torch\n\n\ndef same(x):\n    return x.is_cuda and x.type() == 'torch.cuda.FloatTensor'\n",
    "net/late.py": (
        "import os\n\nimport torch\n\ntorch.cuda.init()\n"
        'os.environ["CUDA_VISIBLE_DEVICES"] = "0"\nprint(torch.cuda.device_count())\n'
    ),
    "kernels/fast.py": (
        "import torch\nimport triton\nimport triton.language as tl\n\n\n@triton.jit\ndef add(x, y, n: tl.constexpr):\n    pass\n"
    ),
    "kernels/maybe.py": "import torch\n\ntry:\n    import flash_attn\nexcept ImportError:\n    flash_attn = None\n",
    "kernels/ops.cu": "__global__ void add(float* x) {}\n\nint main() { return 0; }\n",
    "setup.py": (
        "from setuptools import setup\nfrom torch.utils.cpp_extension import CUDAExtension\n\n"
        'setup(name="ops", ext_modules=[CUDAExtension("ops", ["kernels/ops.cu"])])\n'
    ),
    "stops.py": "import torch\n\nassert torch.cuda.is_available()\nprint(torch.ones(2))\n",
    "tools/text.py": "import re\n\nprint(re.escape('.'))\n",
    "tools/broken.py": "import torch\nx = torch.zeros(2).cuda(\n",
}
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# A title"]},
        {
            "cell_type": "code",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
            "source": ["import torch\n", "%matplotlib inline"],
        },
        {
            "cell_type": "code",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
            "source": ["y = torch.ones(2).cuda()\n", "print(y)"],
        },
    ],
    "metadata": {"kernelspec": {"language": "python", "name": "python3"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def write_project(folder: Path) -> Path:
    """Write the project."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    folder.joinpath("try.ipynb").write_text(json.dumps(NOTEBOOK), encoding="utf-8")
    return folder


def report_on(*paths: Path | str, **options: object) -> MigrationReport:
    """The report on some paths, without any configuration but the options."""
    return migration_report(tuple(map(str, paths)), ConfigFinder(options, isolated=True, baselines=False))
