"""The parts that all explorers share."""
