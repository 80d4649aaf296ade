"""The protections that SECURITY.md promises, and the command that switches each of them off."""
