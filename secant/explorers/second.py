def explore_second(*a, **k): return None
