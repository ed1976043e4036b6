"""What somebody would pick instead of lesson 1's explorer: a module each, run in a notebook's kernel.

Each has `show()`, which draws `picture`'s picture by other means. The sliders, the numbers and the words are
the explorer's own, so that only the way to the screen differs.
"""
