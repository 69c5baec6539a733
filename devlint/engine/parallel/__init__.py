"""Analyzes files in several processes, with the results, order and messages of a single one."""
