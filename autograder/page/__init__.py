"""The student's feedback page: one HTML file without scripts that loads no other file."""
