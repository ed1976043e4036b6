"""The wall around a student's process, from outside."""
