"""A job on many workers, on virtual time.

The coordinator is the real import with its journal, and the workers are real, too. Links between them and
the service are simulated: a seed decides which messages are lost, late or repeated, which processes stand
still or are killed, and what the service does. ``python -m benchmarks.cluster_simulated --seeds 300`` runs
some.
"""
