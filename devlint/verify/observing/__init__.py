"""Runs a command under watch, and says what was seen: reports, JSON, findings and fixes."""
