"""What nbgrader_config.py names in place of nbgrader's own classes and functions."""
