"""Looks at files in several processes: results, their order and messages are those of one process."""
