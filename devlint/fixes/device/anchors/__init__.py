"""Where a device is defined, and by which name."""
