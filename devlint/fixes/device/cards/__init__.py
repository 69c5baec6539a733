"""Devices of cards that a program names by their numbers."""
