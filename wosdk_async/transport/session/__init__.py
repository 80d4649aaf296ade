"""Session of a Company: manager, log-in, credentials, trusted hosts. The package knows no dispatcher."""
