"""Import submissions from a learning management system (LMS), and export grades in the form it accepts."""
