"""Settings that are not passed as arguments: environment variables, profiles, credential sources."""
