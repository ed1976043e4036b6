"""Hostile or unusual submissions, and tests that they get the right outcome.

`cases.py` lists the submissions. `test_hostile.py` and `test_batch.py` run them against the grader, and
`stock.py` runs them against unmodified nbgrader. `test_doors.py` tests what students can put into the
exchange.

Each case has a letter and a number. ids.txt names the cases A01 to E38, from a list that was written before
the grader. The list skips some numbers. The table "Case by case" in docs/trust.md shows their results.

- A, forging.py: attempts to get points for a wrong answer.
- B, leaking.py: attempts to read secrets that no student may read.
- C, exhausting.py: attempts to use up memory, processors or disks, and processes that outlive their grading.
- D, malformed.py: damaged or odd files.
- E, honest.py: unusual submissions without bad intent.
- X, inventive.py and shared.py: cases that readers of the grader's source added later.

Many A and D cases, and some E cases, are also unit tests of the intake (tests/autograder/intake). Both are
needed: the unit test checks what the intake makes of a file, and the case here checks the final score.
"""
