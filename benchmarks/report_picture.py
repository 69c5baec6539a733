"""Takes the picture of docs/report.md: the page on devlint's own fixtures, in Chromium.

python -m benchmarks.report_picture
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from devlint.config.finder import ConfigFinder
from devlint.report.html import render
from devlint.report.survey import migration_report
from tests.support.browser import CHROMIUM, DRIVER, browser
from tests.support.paths import ROOT

PICTURE = ROOT / "docs" / "pictures" / "report.png"
WIDTH, HEIGHT = 1080, 830
MOST_BYTES = 150_000


def main() -> None:
    """Write the picture."""
    if CHROMIUM is None or DRIVER is None:
        sys.exit("chromium and chromedriver are needed")
    os.chdir(ROOT)
    report = migration_report(["fixtures"], ConfigFinder(baselines=False, isolated=True), None)
    with tempfile.TemporaryDirectory() as folder, browser() as window:
        page = Path(folder, "report.html")
        page.write_text(render(report), encoding="utf-8")
        window.resize(WIDTH, HEIGHT)
        window.open(page)
        PICTURE.parent.mkdir(exist_ok=True)
        window.picture(PICTURE)
    size = PICTURE.stat().st_size
    print(f"{PICTURE.relative_to(ROOT)}: {size:,} bytes")
    if size > MOST_BYTES:
        sys.exit(f"more than {MOST_BYTES:,}")


if __name__ == "__main__":
    main()
