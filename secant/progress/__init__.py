"""A learner's progress: stored on their machine only, and turned into points, levels and achievements."""
