"""Submissions that mean harm, or that are merely odd, and what must become of them.

`cases.py` lists them, `test_hostile.py` and `test_batch.py` run them against the grader, `stock.py` against
nbgrader as it comes. `test_doors.py` tries what students can put into the exchange.
"""
