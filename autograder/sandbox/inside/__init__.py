"""The only part of the grader that is visible inside the sandbox (the wall). It never decides a score."""
