"""Faults that were fixed and can be put back: the simulation has to find each of them.

A revert is a block in which one function of the client behaves as it did before the fix.
"""

from benchmarks.reverts import Reverts
from benchmarks.simulate.reverts import marked, responses, runs

__all__ = ["REVERTS"]

REVERTS = Reverts({**responses.REVERTS, **runs.REVERTS, **marked.REVERTS})
