"""The language server: what editors ask of devlint, over LSP 3.17; the command ``devlint server`` starts it.

``serving`` says what each message does, ``checks`` when which file is looked at, and ``linter`` looks. The text is
always that of the editor, never that of the disk.
"""
