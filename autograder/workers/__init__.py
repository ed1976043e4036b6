"""Workers: processes on this machine or on a cluster that take jobs and return plain data."""
