"""Lints one file, settles its fixes, and runs over many files."""
