"""Where things are in the project."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "devlint"
DATA = ROOT / "tests" / "data"
