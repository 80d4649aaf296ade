"""Entity types, values, bodies and dialects of the service, as the catalogue describes them.

Every other package of the sandbox imports it; it imports the catalogue and nothing that keeps a record.
"""
