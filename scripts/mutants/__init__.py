"""Mutation testing (`make mutants`): one-line faults in the product code, and the tests that notice them."""
