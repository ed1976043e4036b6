"""`python -m secant`."""

from secant.cli import main

main()
