"""``python -m devlint.simulate script.py``: the same as ``devlint simulate script.py``."""

from __future__ import annotations

import sys

from devlint.cli import main

if __name__ == "__main__":
    main(["simulate", *sys.argv[1:]])
