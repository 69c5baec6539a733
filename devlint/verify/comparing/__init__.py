"""What was observed of two runs: compared, and the verdict that follows."""
