"""The intake: turns a submitted file, read as hostile bytes, into a submission or a rejection."""
