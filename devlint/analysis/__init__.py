"""Questions about a program, answered from its syntax tree, lazily, without changing anything."""
