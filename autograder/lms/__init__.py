"""From a learning management system into submitted/, and grades back in the form that it takes."""
