"""Entity types, values, bodies and dialects of the service, as the catalogue describes them."""
