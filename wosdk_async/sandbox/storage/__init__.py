"""Records of several Companies in one SQLite file: group commit, snapshots, tables of the entity types.

Every package of the sandbox may import it but ``schema/``, which it imports.
"""
