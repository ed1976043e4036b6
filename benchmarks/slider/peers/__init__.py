"""Alternatives to lesson 1's explorer; each is a module that runs in a notebook's kernel.

Each module has a function `show()`, which draws the figure of `picture.py` with another library. The sliders,
the numbers and their text are the explorer's own, so that only the drawing differs.
"""
