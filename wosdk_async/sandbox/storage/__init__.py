"""Records of several Companies in one SQLite file."""
