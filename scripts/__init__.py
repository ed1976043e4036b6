"""Commands that the Makefile runs for the developers of Secant."""
