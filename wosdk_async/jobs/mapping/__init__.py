"""The map of an import: which column goes into which field."""
