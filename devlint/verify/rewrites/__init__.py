"""What is run: programs with their rewritten versions, copies of projects, and fixes that are tried."""
