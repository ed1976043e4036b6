"""From course/ to source/ to release/."""
