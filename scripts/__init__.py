"""Commands of the Makefile, for those who build Secant."""
