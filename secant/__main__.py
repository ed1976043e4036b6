"""Entry point of `python -m secant`."""

from secant.cli import main

main()
