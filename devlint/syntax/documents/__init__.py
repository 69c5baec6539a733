"""Python code inside Markdown, reStructuredText and docstrings."""
