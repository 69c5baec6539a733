"""``devlint server``."""

from __future__ import annotations

import click

from devlint.core.errors import DevlintError


@click.command()
@click.option("--stdio", is_flag=True, help="Use standard input and output, as always; editors add this.")
def server(stdio: bool) -> int:
    """Check files in an editor while they are written (language server protocol).

    The editor starts this command and speaks with it over standard input and output.
    """
    try:
        from devlint.integrations.server.serving import serve_editor
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise DevlintError("the server needs pygls 2: pip install 'devlint[server]'") from None
    with click.open_file("-", "rb") as commands, click.open_file("-", "wb") as answers:
        serve_editor(commands, answers)
    return 0
