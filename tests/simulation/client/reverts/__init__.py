"""Faults that were fixed and can be put back, to prove that the simulation finds each of them.

A revert is a block in which one function of the client behaves as it did before the fix.
"""

from tests.simulation.client.reverts import marked, responses, runs
from tests.simulation.reverts import Reverts

__all__ = ["REVERTS"]

REVERTS = Reverts({**responses.REVERTS, **runs.REVERTS, **marked.REVERTS})
