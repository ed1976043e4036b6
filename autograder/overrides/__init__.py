"""Replacements for nbgrader's own classes and functions; nbgrader_config.py refers to them."""
