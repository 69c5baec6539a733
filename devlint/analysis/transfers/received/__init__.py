"""Following the values of a program to the classes that they are instances of."""
