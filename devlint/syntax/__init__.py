"""Python syntax: parsing with LibCST and with Python itself, positions, and the arithmetic of edits."""
