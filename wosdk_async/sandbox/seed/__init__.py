"""Initial rows of a Company, and user-supplied rows."""
