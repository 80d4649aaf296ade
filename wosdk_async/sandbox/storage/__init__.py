"""Records of several Companies in one SQLite file: group commit, snapshots, entity tables."""
