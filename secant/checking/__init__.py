"""What a test cell says and does: right or wrong, and why."""
