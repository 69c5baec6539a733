"""What commands that ask or write by themselves say on standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from devlint.cli.output.style import visible
from devlint.core.diagnostic import Failure

if TYPE_CHECKING:
    from devlint.sources.discovery import Skipped


def complain(one: Failure | Skipped) -> None:
    """Say why a file is left out."""
    kind = "error" if isinstance(one, Failure) else "warning"
    click.echo(f"{kind}: {visible(one.path)}: {visible(one.message)}", err=True)
