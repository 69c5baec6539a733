"""The resolver: which device an expression becomes, and where one is defined."""
