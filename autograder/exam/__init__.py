"""The examiner: runs a lesson's tests in its own process and sends their questions to the candidate."""
