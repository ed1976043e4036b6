"""Import submissions from a learning management system (LMS), and export grades in the LMS's format."""
