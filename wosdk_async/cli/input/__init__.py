"""What people type: conditions, fields, names and values."""
