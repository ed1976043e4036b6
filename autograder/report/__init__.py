"""The lecturer's report: what a class can and cannot do yet, as a page and a table."""
