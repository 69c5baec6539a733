"""``--output-file``: what a run prints, kept until it ends and then written in one step."""

from __future__ import annotations

import io
import os

from devlint.core.errors import DevlintError
from devlint.core.file_reading import real_path
from devlint.sources.file_writing import replace_file


class OutputFile:
    """A file that holds the whole output, or what it held before."""

    def __init__(self, path: str) -> None:
        """Raises DevlintError where no file can be."""
        self.text = io.StringIO()
        """Takes the output."""
        self._given = path
        self._path = real_path(path)
        if os.path.isdir(self._path) or not os.path.isdir(os.path.dirname(self._path)):
            raise DevlintError(f"--output-file {path}: is a folder, or in none")

    def write(self) -> None:
        """Write what was printed; raises DevlintError where that fails."""
        data = self.text.getvalue().encode("utf-8", "backslashreplace")
        try:
            if os.path.exists(self._path) and not os.path.isfile(self._path):  # a device, or a pipe, is not replaced
                with open(self._path, "wb") as file:
                    file.write(data)
            else:
                replace_file(self._path, data)
        except OSError as error:
            raise DevlintError(f"--output-file {self._given}: {error.strerror}") from None
