"""What a learner has done: kept on their machine alone, and turned into points, levels and achievements."""
