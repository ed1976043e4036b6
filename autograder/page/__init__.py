"""The student's feedback page: one file of HTML that asks for nothing, and runs nothing."""
