"""Mutation testing (`make mutants`): put one-line faults into the code and count those that tests notice."""
