"""Comments that suppress findings: how they are written, what they cover, and those that suppress nothing."""
