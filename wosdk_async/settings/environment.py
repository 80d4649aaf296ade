"""Client settings not passed as arguments: Company, credentials, addresses.

Arguments override environment variables, which override the profile that a variable names. A profile passed
as an argument replaces the variables. The keys of a profile are the variable names in lower case, without the
prefix. ``docs/settings.md`` lists the variables. Credentials from a file or command are read at each log-in,
because a secrets manager may change them.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shlex
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.errors import ConfigurationError
from wosdk_async.regular_files import read_regular
from wosdk_async.settings.profiles import (
    ADDRESSES,
    NAMES,
    PREFIX,
    PRIVATE,
    default_profile,
    hidden_variables,
    named_profile,
    settings_file,
    warn_of_others,
)
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.secret import Secret
from wosdk_async.text.suggestions import suggestion
from wosdk_async.transport.session.credentials import (
    CommandProvider,
    CredentialProvider,
    Credentials,
    GrantProvider,
    Region,
)
from wosdk_async.transport.session.hosts import HostRules, host_names, is_local, shown_address

__all__ = ["Settings", "ignored_profile"]

_log = logging.getLogger("wosdk_async")

_REGIONS = ("americas", "apac", "emea")
_COMPANY, _CLIENT_ID = "WOSDK_COMPANY", "WOSDK_CLIENT_ID"
_ADDRESSES = tuple(f"{PREFIX}{name}" for name in ADDRESSES)
_SECRETS = "WOSDK_CLIENT_SECRET", "WOSDK_CLIENT_SECRET_FILE"
_COMMAND = "WOSDK_CREDENTIALS_COMMAND"
_VARIABLES = frozenset(f"{PREFIX}{name}" for name in NAMES) - {_COMPANY}
_KNOWN = _VARIABLES | {_COMPANY, "WOSDK_PROFILE", "WOSDK_CONFIG"}
# Similarity that counts as misspelt. It is high, because a program may use our prefix for its variables.
_NEAR = 0.9


@attrs.frozen(kw_only=True)
class Settings:
    """Settings from the environment and the settings file; None for unset ones."""

    region: Region
    company: str | None = None
    credentials: Credentials | CredentialProvider | GrantProvider | None = None
    trusted_hosts: tuple[str, ...] = ()
    pair_of: str | None = None
    """Company of the credentials; None for a provider, or if no Company is named."""
    profile: str | None = None
    """The profile that replaced the variables, and its file, for messages."""

    @classmethod
    def from_env(
        cls,
        environ: Mapping[str, str] | None = None,
        *,
        profile: str | None = None,
        company: str | None = None,
        credentials: Credentials | CredentialProvider | GrantProvider | None = None,
        region: Region | None = None,
        trusted_hosts: Iterable[str] | None = None,
    ) -> Settings:
        """Read ``profile``, or the environment variables and the profile that they name.

        With ``profile``, all variables but ``WOSDK_CONFIG`` are ignored, because they may belong to another
        Company. If no profile is named, the profile ``default`` applies. It does not apply if its Company is
        not the named one, or if ``credentials``, ``region``, ``trusted_hosts`` or one of their variables is
        set. Arguments override their variables; ``region`` also overrides the variables of its addresses.

        Raises:
            ConfigurationError: a setting is invalid; the message names the variable, or file and key, and the
                remedy.
        """
        _require_mapping(environ)
        if isinstance(trusted_hosts, str) or not isinstance(trusted_hosts, Iterable | None):
            raise ConfigurationError(
                f"trusted_hosts is {shown_address(trusted_hosts)}; it must be a list of host names"
            )
        env = hidden_variables(os.environ if environ is None else environ)
        del environ  # it contains secrets, and tracebacks show local variables
        given = {key: value for key, value in env.items() if value}
        if profile:
            settings = named_profile(profile, env)
        elif name := given.get("WOSDK_PROFILE"):
            settings = _profile_below(named_profile(name, env), given) | given
        elif credentials or region or trusted_hosts is not None or not given.keys().isdisjoint(_VARIABLES):
            settings = given  # without the profile ``default``, which may belong to another Company
        else:
            _require_named_file(given)
            settings = given | default_profile(env, given.get(_COMPANY) if company is None else company)
        _warn_of_misspelt(given)
        company = company if company is not None else settings.get(_COMPANY)
        trusted_hosts = _hosts(settings) if trusted_hosts is None else tuple(trusted_hosts)
        if region is None:
            region = _region(settings)
            _require_addresses(region, settings, HostRules(trusted=trusted_hosts))
        replaced = f"profile {profile!r} in {settings_file(env)}" if profile else None
        return cls(
            region=region,
            company=company,
            credentials=credentials or _credentials(settings, replaced),
            trusted_hosts=trusted_hosts,
            # facts 1: an id and secret belong to one Company. A command gets the Company's name, so it can
            # serve several.
            pair_of=None if credentials or _CLIENT_ID not in settings else company,
            profile=replaced,
        )


def _require_mapping(environ: object) -> None:
    if environ is not None and not isinstance(environ, Mapping):
        shown = repr(environ)[:80] if isinstance(environ, str | os.PathLike) else type(environ).__name__
        raise ConfigurationError(
            f"environ is {shown}; it must be a mapping of variables, such as os.environ. To select a "
            "Company, pass company=; a profile, profile=. For a settings file, set WOSDK_CONFIG"
        )


def _hosts(env: Mapping[str, Any]) -> tuple[str, ...]:
    hosts = env.get("WOSDK_TRUSTED_HOSTS", "").split(",")
    given = tuple(host.strip() for host in hosts if host.strip())
    host_names("WOSDK_TRUSTED_HOSTS", given)
    return given


def _region(env: Mapping[str, Any]) -> Region:
    name = env.get("WOSDK_REGION", "americas")
    try:
        region = Region.named(name)
    except KeyError:
        raise ConfigurationError(f"WOSDK_REGION is {name!r}; use one of {', '.join(_REGIONS)}") from None
    return attrs.evolve(
        region,
        token_url=env.get("WOSDK_TOKEN_URL", region.token_url),
        locator_url=env.get("WOSDK_LOCATOR_URL", region.locator_url),
    )


def _require_addresses(region: Region, env: Mapping[str, Any], rules: HostRules) -> None:
    """Raise ConfigurationError if an address is unusable, or if the two cannot be used together."""
    urls = {"WOSDK_TOKEN_URL": region.token_url, "WOSDK_LOCATOR_URL": region.locator_url}
    given = {name: rules.endpoint(name, url) for name, url in urls.items() if name in env}
    if len(given) != 1:
        return
    ((name, url),) = given.items()
    # A test installation may have its own locator with the usual token host (facts 1, 2), but that token host
    # must not be combined with a locator on this machine.
    if is_local(url) or not url.startswith("https:"):
        (other,) = urls.keys() - given
        raise ConfigurationError(
            f"{name} is {shown_address(url)}, and {other} is not set, so {urls[other]} would be used; "
            "set both"
        )


def _credentials(env: Mapping[str, Any], profile: str | None) -> Credentials | CredentialProvider | None:
    client_id, secret = env.get(_CLIENT_ID), env.get("WOSDK_CLIENT_SECRET")
    file, command = env.get("WOSDK_CLIENT_SECRET_FILE"), env.get(_COMMAND)
    where = f" in the {profile}, which replaces the environment variables" if profile else ""
    if secret and file:
        raise ConfigurationError(
            f"WOSDK_CLIENT_SECRET and WOSDK_CLIENT_SECRET_FILE are both set{where}; set one of them"
        )
    if command and client_id and (secret or file):
        raise ConfigurationError(f"{_CLIENT_ID} and {_COMMAND} are both set{where}; set one of them")
    if client_id and secret:
        return Credentials(client_id, secret)
    if client_id and file:
        return from_file(client_id, file)
    if client_id or secret or file:
        name = "WOSDK_CLIENT_SECRET" if client_id or secret else "WOSDK_CLIENT_SECRET_FILE"
        given, missing = (_CLIENT_ID, name) if client_id else (name, _CLIENT_ID)
        raise ConfigurationError(f"{missing} is not set{where}, but {given} is; set both or neither")
    if command:
        return from_command(_split_command(command))
    return None


def _profile_below(profile: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a profile, without its addresses or secret if a variable names another region or secret."""
    own = profile.get("WOSDK_REGION", _REGIONS[0])
    left_out = _ADDRESSES if given.get("WOSDK_REGION", own) != own else ()
    if not given.keys().isdisjoint(_SECRETS):
        left_out += (*_SECRETS, _COMMAND)
    if _CLIENT_ID in given:
        left_out += (_COMMAND,)
    if _COMMAND in given:
        left_out += (*_SECRETS, _CLIENT_ID)
    return {key: value for key, value in profile.items() if key not in left_out}


def _require_named_file(env: Mapping[str, Any]) -> None:
    """Raise ConfigurationError if ``WOSDK_CONFIG`` names a missing settings file."""
    if (path := env.get("WOSDK_CONFIG")) and not os.path.exists(path):
        raise ConfigurationError(
            f"WOSDK_CONFIG names the settings file {path}, which does not exist",
            remedies=(Remedy.SETTINGS_FILE,),
        )


def ignored_profile(env: Mapping[str, Any]) -> list[str]:
    """Return the variables that keep the profile ``default`` from being read, if any."""
    found = sorted(name for name in _VARIABLES if env.get(name))
    named = env.get("WOSDK_PROFILE")
    return found if found and not named and default_profile(env, env.get(_COMPANY) or None) else []


_misspelt: set[str] = set()  # names already warned of; harmless if two threads both warn of one


def _warn_of_misspelt(given: Iterable[str]) -> None:
    """Warn once about each unknown variable that resembles a known one."""
    for name in given:
        if name.startswith(PREFIX) and name not in _KNOWN | _misspelt:
            _misspelt.add(name)
            if near := suggestion(name, _KNOWN, cutoff=_NEAR):
                _log.warning("the variable %s is not a setting%s", name, near)


# --- credentials from a file or command ----------------------------------------------------------

_MAX_SECRET = 64 * 1024  # maximum bytes of a secret file, and of a command's output


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
    # Raised outside the handler, because the chained decoding error would contain the secret.
    del content
    raise ConfigurationError(f"the secret cannot be read from {path}: {why}")


def from_command(words: Sequence[str]) -> CredentialProvider:
    """Return a provider that runs a command, without a shell, and reads the credentials that it prints.

    The command prints ``{"client_id": "...", "client_secret": "..."}``. It gets the Company's
    name in the environment variable ``WOSDK_COMPANY``.
    """
    if not words:
        raise ConfigurationError("the credentials command is empty")

    async def run(company: str) -> Credentials:
        return _pair(words[0], await _output(words, company))

    return CommandProvider(words[0], run)


def _split_command(command: Secret) -> list[str]:
    try:
        return shlex.split(command.reveal())
    except ValueError as cause:
        why = str(cause)
    # Raised outside the handler, because the chained parse error would contain the command.
    raise ConfigurationError(
        f"WOSDK_CREDENTIALS_COMMAND cannot be split into words: {why}; quote its words as in a shell"
    )


class _Command(asyncio.SubprocessProtocol):
    def __init__(self) -> None:
        self.output: list[Secret] = []
        self.size = 0
        self.ended = asyncio.Event()
        """Set once the command has exited and its output is closed."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._kill = transport.close

    def pipe_data_received(self, _: int, data: bytes) -> None:
        self.output.append(Secret(data))
        self.size += len(data)
        if self.size > _MAX_SECRET:
            self._kill()

    def connection_lost(self, _: Exception | None) -> None:
        self.ended.set()


async def _output(words: Sequence[str], company: str) -> Secret:
    process: asyncio.SubprocessTransport | None = None
    command = _Command()
    try:
        if any("\0" in word for word in words):  # uvloop would cut the word off there
            raise ValueError("a word contains a null character")
        process, _ = await asyncio.get_running_loop().subprocess_exec(
            lambda: command,
            *map(os.fsencode, words),
            stdin=subprocess.DEVNULL,
            stderr=None,
            env={**os.environ, "WOSDK_COMPANY": company},
        )
    except OSError as cause:
        why = str(cause.strerror)
    except ValueError as cause:  # a word that no program can get
        why = str(cause)
    if process is None:
        # Raised outside the handler, because the chained error may contain a word of the command, and so a
        # secret.
        raise ConfigurationError(f"the credentials command {words[0]!r} cannot be run: {why}")
    try:
        await command.ended.wait()
    finally:
        # Kills the command and closes its output, which a child of it may hold open; kill() leaves it open.
        process.close()
        await command.ended.wait()
    if command.size > _MAX_SECRET:
        raise ConfigurationError(
            f"the credentials command {words[0]!r} printed more than {_MAX_SECRET:,} bytes"
        )
    if status := process.get_returncode():
        raise ConfigurationError(f"the credentials command {words[0]!r} exited with {status}")
    return Secret(b"".join(piece.encode() for piece in command.output))


def _pair(name: str, output: Secret) -> Credentials:
    found: Any = None
    try:
        found = json.loads(output.encode())
        return Credentials(found["client_id"], found["client_secret"])
    except ConfigurationError as cause:
        why = f"printed unusable credentials: {cause}"
    except (ValueError, TypeError, KeyError, RecursionError):
        why = 'must print {"client_id": "...", "client_secret": "..."}'
    # Raised outside the handler, because the chained parse error would contain the output.
    del found
    raise ConfigurationError(f"the credentials command {name!r} {why}")
