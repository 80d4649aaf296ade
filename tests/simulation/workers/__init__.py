"""Simulation of a job on many workers: the lease logic of both sides on virtual time, without I/O."""
