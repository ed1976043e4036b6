"""`make mutants`: one-line faults in the product code, and which tests notice them."""
