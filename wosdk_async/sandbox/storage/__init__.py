"""Records of several Companies in one SQLite file: group commit, snapshots, tables of the entity types."""
