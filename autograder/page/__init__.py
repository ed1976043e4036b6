"""The student's feedback page: one HTML file that loads nothing and runs nothing."""
