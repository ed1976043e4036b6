"""The modules that the explorers share."""
