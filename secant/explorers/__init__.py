"""Widgets with sliders that plot a difference quotient and autograd's slope, one explorer per lesson."""
