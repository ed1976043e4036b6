"""Sliders over pictures of a difference quotient, one explorer a lesson."""
