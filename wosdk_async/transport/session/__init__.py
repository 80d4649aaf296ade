"""Session of a Company: manager, log-in, credentials, trusted hosts. It knows no dispatcher."""
