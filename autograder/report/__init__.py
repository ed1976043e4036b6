"""The lecturer's report, a page and a table that show what a class can and cannot do yet."""
