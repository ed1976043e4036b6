"""Course data: lessons, cells, tasks and settings."""
