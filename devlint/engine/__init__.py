"""Analyzes one file, applies its fixes, and runs over many files."""
