"""Credentials from a file or command, read at each log-in because a secrets manager may change them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wosdk_async.errors import ConfigurationError
from wosdk_async.regular_files import read_regular
from wosdk_async.settings.profiles import PRIVATE, warn_of_others
from wosdk_async.text.secret import Secret
from wosdk_async.transport.session.credentials import CredentialProvider, Credentials

_MAX_SECRET = 64 * 1024  # maximum bytes of a secret file
_TIMEOUT = 30.0  # seconds that a command may take


def from_file(client_id: str, path: str | Path) -> CredentialProvider:
    """Return a provider that reads the secret from a file, without surrounding whitespace."""

    async def read(_: str) -> Credentials:
        return Credentials(client_id, await asyncio.to_thread(_secret_in, Path(path)))

    return read


def _secret_in(path: Path) -> Secret:
    content = b""
    try:
        content, found = read_regular(path, _MAX_SECRET)
        warn_of_others("the secret file", path, found, PRIVATE)
        return Secret(content.decode().strip())
    except OSError as cause:
        why = str(cause.strerror)
    except UnicodeDecodeError:
        why = "not UTF-8"
    except ValueError as cause:  # the path contains a null character
        why = str(cause)
    # Not raised in the handler, where the error would keep its cause: a decoding error contains the secret.
    del content
    raise ConfigurationError(f"the secret cannot be read from {path}: {why}")


def from_command(words: Sequence[str]) -> CredentialProvider:
    """Return a provider that runs a command, without a shell, and reads the credentials that it prints.

    The command prints ``{"client_id": "...", "client_secret": "..."}``. Its environment has the Company's
    name as ``WOSDK_COMPANY``.
    """
    if not words:
        raise ConfigurationError("the credentials command is empty")

    async def run(company: str) -> Credentials:
        return _pair(words[0], await _output(words, company))

    return run


def split_command(command: Secret) -> list[str]:
    """Split the credentials command into words."""
    try:
        return shlex.split(command.reveal())
    except ValueError as cause:
        why = str(cause)
    # Not raised in the handler, where the error would keep its cause: a parse error contains the command.
    raise ConfigurationError(
        f"WOSDK_CREDENTIALS_COMMAND cannot be split into words: {why}; quote its words as in a shell"
    )


async def _output(words: Sequence[str], company: str) -> Secret:
    process: asyncio.subprocess.Process | None = None
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "WOSDK_COMPANY": company},
        )
    except OSError as cause:
        why = str(cause.strerror)
    except ValueError as cause:  # a word contains a null character
        why = str(cause)
    if process is None:
        # Not raised in the handler, where the error would keep its cause, which may contain a word of the
        # command, and so a secret.
        raise ConfigurationError(f"the credentials command {words[0]!r} cannot be run: {why}")
    try:
        async with asyncio.timeout(_TIMEOUT):
            output = Secret((await process.communicate())[0])
    except TimeoutError:
        raise ConfigurationError(
            f"the credentials command {words[0]!r} did not exit within {_TIMEOUT:g} s"
        ) from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    if process.returncode:
        raise ConfigurationError(f"the credentials command {words[0]!r} exited with {process.returncode}")
    return output


def _pair(name: str, output: Secret) -> Credentials:
    found: Any = None
    try:
        found = json.loads(output.encode())
        return Credentials(found["client_id"], found["client_secret"])
    except ConfigurationError as cause:
        why = f"printed unusable credentials: {cause}"
    except (ValueError, TypeError, KeyError, RecursionError):
        why = 'must print {"client_id": "...", "client_secret": "..."}'
    # Not raised in the handler, where the error would keep its cause: a parse error contains the output.
    del found
    raise ConfigurationError(f"the credentials command {name!r} {why}")
