"""devlint inside other programs: Python, flake8, pytest, LibCST."""
