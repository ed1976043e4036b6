"""Who decides: tests run here, and put their questions to the candidate."""
