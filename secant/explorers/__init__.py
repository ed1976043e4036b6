"""The explorers, one per lesson: widgets with sliders that plot a difference quotient and a slope."""
