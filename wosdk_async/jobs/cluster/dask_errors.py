"""Why the scheduler of a Dask cluster cannot be reached, and what to do: one line for people."""

from __future__ import annotations

import os
import socket
import ssl

import attrs

from wosdk_async.jobs.cluster.dask_settings import ENVIRONMENT
from wosdk_async.jobs.cluster.dask_wire import NotDaskError, RefusedError

__all__ = ["VARIABLES", "Versions", "cannot_be_reached", "waiting_for", "why"]

VARIABLES = "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, ..__TLS__CLIENT__CERT and ..__TLS__CLIENT__KEY"
_TLS_OPTIONS = "--tls-ca-file CA --tls-cert CERT --tls-key KEY"


@attrs.frozen
class Versions:
    """Versions of ``distributed``: the scheduler's, if it tells, and that of this process."""

    there: str | None
    here: str

    def __str__(self) -> str:
        """Return both of them, for people."""
        there = f"distributed {self.there}" if self.there else "an unknown version"
        return f"it has {there}, this process distributed {self.here}"


def cannot_be_reached(address: str, error: Exception, patience: float, versions: Versions) -> str:
    """Return a message for an error of the first requests to a scheduler.

    Args:
        address: of the scheduler.
        error: of a connection, or of :mod:`dask_wire`.
        patience: seconds for which it was waited.
        versions: of both sides.
    """
    if isinstance(error, (NotDaskError, RefusedError)) and versions.there not in (None, versions.here):
        return (
            f"the scheduler at {address} is not understood ({error}): {versions}; "
            "install the same version of dask and distributed on all machines"
        )
    reason = why(error)
    if isinstance(error, TimeoutError):
        reason = f"nothing responds within {patience:.0f} s"
    if isinstance(error, (NotDaskError, RefusedError)):
        reason += f", or one of another version: {versions}"
    return f"the scheduler at {address} cannot be reached: {reason}; {_remedy(address, error)}"


def waiting_for(address: str, error: Exception | None, patience: float) -> str:
    """Return what to say while a scheduler is not reached yet; without an error it has not responded yet."""
    reason = why(error) if error is not None else "no response yet"
    check = "look whether it was started, and whether host and port are right"
    return f"waiting up to {patience:.0f} s for the scheduler at {address}: {reason}; {check}"


def why(error: BaseException) -> str:
    """Return what happened, in plain words."""
    if isinstance(error, (NotDaskError, RefusedError)):
        return f"what responds there is not a scheduler of Dask ({error})"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is refused ({error.verify_message})"
    if isinstance(error, ssl.SSLError):
        return f"TLS fails ({error.reason or error})"
    if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
        return os.strerror(error.errno)  # asyncio writes the address into its text
    return str(error) or type(error).__name__


def _remedy(address: str, error: Exception) -> str:
    scheme, _, where = address.partition("://")
    has_tls = scheme == "tls"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the authority in {VARIABLES.partition(',')[0]} must be that of its certificate"
    if isinstance(error, ssl.SSLError) and error.reason == "WRONG_VERSION_NUMBER":
        return f"start it with --protocol tls {_TLS_OPTIONS}; dask:// is for one on this machine without TLS"
    if isinstance(error, ssl.SSLError) or (isinstance(error, ConnectionResetError) and has_tls):
        return f"it needs a certificate of its own authority from this process: see {VARIABLES}"
    if isinstance(error, socket.gaierror):
        return "look whether the name is right, and known on this machine"
    if isinstance(error, (NotDaskError, RefusedError, TimeoutError, ConnectionResetError)):
        right = "look whether host and port are those of `dask scheduler`"
        return right if has_tls else f"{right}; one with TLS is dask+tls://{where}"
    place, _, port = where.rpartition(":")
    how = f"--protocol tls --port {port} {_TLS_OPTIONS}" if has_tls else f"--host {place} --port {port}"
    return f"start it: {ENVIRONMENT} dask scheduler {how}"
