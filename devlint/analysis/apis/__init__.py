"""Families of calls: amp, streams, seeds, environment variables."""
