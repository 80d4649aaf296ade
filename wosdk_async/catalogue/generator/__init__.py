"""Text of the generated modules."""
