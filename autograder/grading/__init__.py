"""Grade a class: read submitted/, and write the gradebook, the graded notebooks and the feedback pages."""
