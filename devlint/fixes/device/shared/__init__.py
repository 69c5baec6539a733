"""Functions of the program that give the device to several of its functions."""
