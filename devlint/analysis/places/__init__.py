"""Where the tensors of a program live, told by running its functions on places in place of values."""
