"""Grade a class: read submitted/, and write the gradebook, the folders and the feedback pages."""
