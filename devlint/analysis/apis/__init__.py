"""Families of calls: amp, streams, seeds, environment variables, options of the command line."""
