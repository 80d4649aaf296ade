"""Parse conditions, fields, names and values from the command line."""
