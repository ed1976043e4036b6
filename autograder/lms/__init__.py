"""From and to a learning management system: what it exports becomes submitted/; grades in the form that it takes."""
