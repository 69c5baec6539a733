"""Which rules can find something in a file, told without parsing it."""
