"""Session of a Company: manager, log-in, credentials, and the hosts that may get the token."""
