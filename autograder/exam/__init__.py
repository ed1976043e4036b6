"""The examiner: runs a lesson's tests in its own process, and sends questions to the student's process."""
