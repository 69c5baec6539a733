"""The command line: parses and prints, decides nothing."""

from __future__ import annotations

import gc
import os
import sys

from devlint.core.errors import DevlintError


def main(arguments: list[str] | None = None) -> None:
    """Run devlint and leave with its exit code: 0 clean, 1 findings, 2 it could not do its work."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a name or a line that the terminal cannot show must not end the run
            stream.reconfigure(errors="backslashreplace")
    if arguments is None:
        gc.set_threshold(50_000)  # LibCST makes many objects, and few in circles: less than half the searches for those
    try:
        code = _run(arguments)
    except DevlintError as error:
        sys.stderr.write(f"error: {error}\n")
        code = 2
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        code = 130
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    if arguments is None:
        gc.freeze()  # the process ends: no need to search what is left
    sys.exit(code)


def _run(arguments: list[str] | None) -> int:
    """The exit code of a run; click is imported only where there is something for it to do."""
    given = sys.argv[1:] if arguments is None else arguments
    if given in (["--version"], ["-V"]):
        from devlint.cli.version import versions

        sys.stdout.write(versions())
        return 0
    from devlint.cli import fast_parser

    found = fast_parser.parse(given)
    if found is not None:
        from devlint.cli import lint

        return lint.run(*found, own_process=arguments is None)
    from devlint.cli import commands

    return commands.run(arguments)
