"""Workers: one job in, plain data out, in processes of this machine or of a cluster."""
