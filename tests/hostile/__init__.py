"""Submissions that mean harm, or that are merely odd, and what must become of them.

`cases.py` lists them, `test_hostile.py` and `test_batch.py` run them against the grader, `stock.py` against
nbgrader as it comes. `test_doors.py` tries what students can put into the exchange.

Each case has a letter and a number. ids.txt names the cases A01 to E38, from a list written before the
grader. The list skips some numbers. The table "Case by case" in docs/trust.md shows their results.

- A, forging.py: points for a wrong answer.
- B, leaking.py: secrets that no student may read.
- C, exhausting.py: memory, processors and disks used up; processes that outlive their grading.
- D, malformed.py: damaged or odd files.
- E, honest.py: unusual submissions without bad intent.
- X, inventive.py and shared.py: cases added since, by readers of the grader's source.

Many A and D cases, and some E cases, are also unit tests of the intake (tests/autograder/intake). Both
stay: the unit test shows what the intake makes of a file, and the case here the score at the end.
"""
