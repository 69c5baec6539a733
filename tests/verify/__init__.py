"""Tests of the run-time half of devlint."""
