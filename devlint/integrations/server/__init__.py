"""The language server: what editors ask of devlint, over LSP 3.17; the command ``devlint server`` starts it.

``serving`` has the features, ``checks`` says when which file is looked at, ``linter`` looks. The text is always that of
the editor, never that of the disk.
"""
