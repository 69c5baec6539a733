"""Where a device is passed: arguments of torch, of other libraries and of the project, and their defaults."""
