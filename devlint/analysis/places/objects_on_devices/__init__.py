"""Objects, and generators of random numbers, that were made on a device."""
