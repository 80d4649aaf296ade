"""What users ask for most, thin on top of the verbs: each module adds methods to a Company."""
