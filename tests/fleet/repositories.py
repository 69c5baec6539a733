"""Small repositories with all that an audit meets, and how to look at what an audit wrote."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

CUDA = b"import torch\n\nx = torch.zeros(2).cuda()\n"
FIXED = (
    b'import torch\n\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n\n'
    b"x = torch.zeros(2).to(device)\n"
)
SAVED = b"import torch\n\nnet = torch.load('net.pt')\nnet.device = 'cuda'\nnet.x = torch.zeros(2).cuda()\n"
EXPORTS = b'import torch\n\nSIZE = 2\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
IMPORTS = b"import torch\nimport shared\n\n\ndef make():\n    return torch.ones(shared.SIZE).cuda()\n"
DEEP = b"import torch\nx = " + b"(" * 300 + b"torch.zeros(2).cuda()" + b")" * 300 + b"\n"
UNDECODABLE = b"import torch\nx = '\xff'.cuda()\n"
UNPARSABLE = b"import torch\nprint 'cuda', torch.zeros(2).cuda()\n"

REPOSITORIES = {
    ("alpha", "train.py"): CUDA,
    ("alpha", "clean.py"): b"import os\n",
    ("alpha", "README.md"): b"# Alpha\n\n    CUDA_VISIBLE_DEVICE=0 python train.py\n",
    ("alpha", "build/out.py"): CUDA,
    ("beta", "shared.py"): EXPORTS,
    ("beta", "main.py"): IMPORTS,
    ("gamma", "deep.py"): DEEP,
    ("gamma", "odd.py"): UNDECODABLE,
    ("gamma", "old.py"): UNPARSABLE,
    ("gamma", "saved.py"): SAVED,
}


def batch(files: dict[tuple[Any, Any], Any] | list[tuple[Any, Any, Any]], **types: pa.DataType) -> pa.RecordBatch:
    """A batch of files."""
    rows = [(*names, content) for names, content in files.items()] if isinstance(files, dict) else files
    columns = {"repo": pa.string(), "path": pa.string(), "content": pa.binary(), **types}
    arrays = [pa.array([row[number] for row in rows], kind) for number, kind in enumerate(columns.values())]
    return pa.RecordBatch.from_arrays(arrays, names=list(columns))


def digests(output: Path) -> dict[str, str]:
    """The digests of the tables of a run, but for the one of times."""
    return {
        str(path.relative_to(output)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(output.glob("partition=*/*.parquet"))
        if path.name != "timings.parquet"
    }


def rows(output: Path, table: str) -> list[dict[str, Any]]:
    """All rows of a table of a run."""
    paths = sorted(output.glob(f"partition=*/{table}.parquet"))
    return [row for path in paths for row in pq.read_table(path, partitioning=None).to_pylist()]
