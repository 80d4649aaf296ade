"""Faults that were fixed and can be put back: the simulation has to find each of them.

A revert is a block in which one function of the client behaves as it did before the fix.
"""

from benchmarks.simulate.reverts import marked, responses, runs
from benchmarks.simulate.reverts.registry import Revert

__all__ = ["REVERTS", "Revert"]

REVERTS: dict[str, Revert] = {**responses.REVERTS, **runs.REVERTS, **marked.REVERTS}
