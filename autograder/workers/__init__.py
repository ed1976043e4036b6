"""Workers: processes of this machine or of a cluster, which take jobs and return plain data."""
