"""The command line: parses and prints, decides nothing."""

from __future__ import annotations

import gc
import os
import sys

from devlint.core.errors import DevlintError


def main(arguments: list[str] | None = None) -> None:
    """Run devlint and leave with its exit code: 0 clean, 1 findings, 2 it could not do its work."""
    if arguments is None:
        gc.set_threshold(50_000)  # LibCST makes many objects, and few in circles: less than half the searches for those
    try:
        _prepare_streams()
        code = _run(arguments)
        sys.stdout.flush()
    except DevlintError as error:
        code = _end(2, f"error: {error}\n")
    except KeyboardInterrupt:
        exec("")  # makes Python forget an interrupt in code made of a string, for which `python -m` ends by the signal
        code = _end(130, "\ninterrupted\n")
    except BrokenPipeError:  # whoever read the output has seen enough
        code = _end(1)
    except OSError as error:
        if error.filename is not None:
            raise  # it is no stream that failed
        what = "the current folder" if isinstance(error, FileNotFoundError) else "standard output cannot be written"
        code = _end(2, f"error: {what}: {error.strerror}\n")
    if arguments is None:
        gc.freeze()  # the process ends: no need to search what is left
    sys.exit(code)


def _prepare_streams() -> None:
    """Make sure that both streams can be written, whatever characters come."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        raise DevlintError("standard output is closed")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a name or a line that the terminal cannot show must not end the run
            stream.reconfigure(errors="backslashreplace")


def _end(code: int, message: str = "") -> int:
    """Say why the run ends early, if that can be said, and return the exit code."""
    for stream, text in ((sys.stderr, message), (sys.stdout, "")):
        try:
            if stream is not None:
                stream.write(text)
                stream.flush()
        except OSError:  # Python would try again at its end, and change the exit code
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return code


def _run(arguments: list[str] | None) -> int:
    """The exit code of a run; click is imported only where there is something for it to do."""
    given = sys.argv[1:] if arguments is None else arguments
    if given in (["--version"], ["-V"]):
        from devlint.cli.version import versions

        sys.stdout.write(versions())
        return 0
    from devlint.cli import fast_parser

    found = fast_parser.parse_command_line(given)
    if found is not None:
        from devlint.cli import lint

        return lint.run_lint(*found, own_process=arguments is None)
    from devlint.cli import commands

    return commands.run(arguments)
