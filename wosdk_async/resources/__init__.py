"""What users ask for most, on top of the generic verbs."""
