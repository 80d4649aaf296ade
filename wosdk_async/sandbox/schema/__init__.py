"""Entity types, values, bodies and dialects of the service, from the catalogue."""
