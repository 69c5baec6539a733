"""The operators of the simulated devices: their kernels, which of them there are, and the types that they take."""
