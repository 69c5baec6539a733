"""Notebooks as programs."""
