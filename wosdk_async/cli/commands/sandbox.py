"""``wosdk sandbox``: serve local Companies and manage their store."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from errno import EADDRINUSE
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from wosdk_async.cli.exit_codes import CliError, extra, say
from wosdk_async.cli.help import Group
from wosdk_async.cli.options import Whole
from wosdk_async.cli.output.files import require_not_input, require_not_store, require_writable
from wosdk_async.cli.texts import counted, shell_words
from wosdk_async.regular_files import open_user_path

if TYPE_CHECKING:
    from wosdk_async.sandbox.storage.store import Store

_CONNECT_TIMEOUT = 1.0  # seconds; a server on this machine accepts at once
_MAX_ENV_FILE = 100_000  # characters to read; a file written by `serve` has fewer than a thousand
_FILE = click.Path(path_type=Path)
_PORT = Whole(0, 65535)
_new_store = click.option("--store", type=_FILE, required=True, help="Store file, created if needed.")
_store = click.option("--store", type=_FILE, required=True, help="Store file.")


@click.group("sandbox", cls=Group)
def sandbox_command() -> None:
    """Local Companies that behave like the service, stored in one SQLite file."""


@sandbox_command.command()
@_new_store
@click.option(
    "--port", type=_PORT, metavar="PORT", default=8900, show_default=True, help="Port; 0 picks a free one."
)
@click.option(
    "--dialect",
    type=click.Choice(["spec", "recorded"]),
    default="spec",
    show_default=True,
    help="Behave like the specification or a recorded release.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--company",
    "companies",
    metavar="NAME",
    multiple=True,
    help="Company to serve (ASCII, repeatable); created if needed.",
)
@click.option(
    "--verification/--no-verification",
    default=None,
    help="Verification step (default: the store's setting; on for a new store).",
)
@click.option("--env-file", type=_FILE, help="Write the variables to a private file (default: stdout).")
@click.option("--force", is_flag=True, help="Overwrite any --env-file.")
@click.option("--background", is_flag=True, help="Return once the server accepts connections.")
@click.option("--open-admin", is_flag=True, help="Let other machines use /_sandbox/.")
@click.option("--log/--no-log", default=True, help="Record requests for the console.")
@click.option("--faults", type=_FILE, help="TOML file of faults to inject.")
@click.option("--certificate", type=_FILE, metavar="PEM", help="Key and certificate for https.")
@click.option(
    "--second-port",
    type=_PORT,
    metavar="PORT",
    default=0,
    help="Port for moved_host faults (default: a free one).",
)
def serve(
    store: Path,
    host: str,
    env_file: Path | None,
    force: bool,
    background: bool,
    faults: Path | None,
    certificate: Path | None,
    **options: Any,
) -> None:
    """Serve the Companies of a store until Ctrl-C.

    When ready, print the variables that connect a client to the first Company, as KEY=VALUE lines for a
    shell:

    \b
      wosdk sandbox serve --store company.db --env-file company.env --background
      set -a && . ./company.env && set +a
      wosdk import requests.csv --map map.toml

    The --env-file exists while the server runs; its last line shows the `kill` command that stops the server.
    """
    with extra("sandbox", "the sandbox"):
        from wosdk_async.sandbox import Faults, FaultScriptError, StoreError
        from wosdk_async.sandbox.env import assignments, write_assignments
        from wosdk_async.sandbox.server import serve as serve_store
    if env_file is not None:
        require_not_store("--env-file", env_file, store)
        require_not_input("--env-file", env_file, *(each for each in (faults, certificate) if each))
        _require_replaceable(env_file, force)
    release = _fork() if background else None

    def announce(variables: dict[str, str]) -> None:
        if env_file is None:
            click.echo(assignments(variables), nl=False)
        else:
            write_assignments(variables, env_file, os.getpid())
            say(f"the variables are in {env_file}")
        root = variables["WOSDK_LOCATOR_URL"]
        _say_addresses(root, host, certificate)
        if len(options["companies"]) > 1:
            words = shell_words("wosdk", "sandbox", "companies", "--store", str(store), "--url", root)
            say(f"`{words}` prints the settings of all Companies")
        say(f"serving {store}; {f'stop it with `kill {os.getpid()}`' if release else 'press Ctrl-C to stop'}")
        if release is not None:
            release()

    # Errors that remove a new store: full disk, invalid Company name, fault for an unknown Company
    with (
        _sandbox_errors(),
        _removed_on_error(store, StoreError, ValueError, FaultScriptError),
        _port_in_use(options["second_port"]),
        _removed_at_end(env_file),
    ):
        serve_store(
            store,
            host=host,
            faults=Faults(faults),
            certificate=certificate,
            announce=announce,
            **options,
        )


def _fork() -> Callable[[], None]:
    """Continue in a child process; the parent exits once the child ends or calls the returned function."""
    reader, writer = os.pipe()
    if child := os.fork():
        os.close(writer)
        with open(reader, "rb") as pipe:
            is_released = pipe.read() != b""
        sys.exit(0 if is_released else os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    os.close(reader)
    os.setsid()  # so that Ctrl-C and a closed terminal do not end the child

    def release() -> None:
        with open_user_path(os.devnull) as nowhere:
            for stream in range(3):  # a reader of the parent's output would wait for the child
                os.dup2(nowhere.fileno(), stream)
        os.write(writer, b".")
        os.close(writer)

    return release


def _say_addresses(locator: str, host: str, certificate: Path | None) -> None:
    from wosdk_async.sandbox.access import WILDCARDS
    from wosdk_async.sandbox.certificate import read_certificate
    from wosdk_async.sandbox.server import console_of

    if console := console_of(locator):
        say(f"the console is at {console}")
    if host in WILDCARDS:
        parts = urlsplit(locator)
        there = f"{parts.scheme}://HOST:{parts.port}"
        say(
            f"on other machines, set WOSDK_LOCATOR_URL={there}, WOSDK_TOKEN_URL={there}/OAuth/token and "
            "WOSDK_TRUSTED_HOSTS=HOST, where HOST is this machine's name or address"
        )
    if certificate is not None:
        for warning in read_certificate(certificate).warnings(urlsplit(locator).hostname or ""):
            say(f"warning: {warning}")


@sandbox_command.command("add-company")
@_new_store
@click.argument("name")
@click.option("--host", default="", help="Serve NAME at this host name only, such as acme.localhost.")
@click.option("--live", is_flag=True, help="Create a live Company, not a staging or preview one.")
@click.option("--empty", is_flag=True, help="Omit initial records.")
@click.option("--no-verification", is_flag=True, help="Omit the verification step.")
def add_company(store: Path, name: str, host: str, live: bool, empty: bool, no_verification: bool) -> None:
    """Add a Company to a store, even while a server uses it."""
    with _opened(store, create=True) as opened:
        from wosdk_async.sandbox.seed.initial import create_company

        company = create_company(
            opened, name, host=host, live=live, seeded=not empty, verification=not no_verification
        )
        say(f"added {company.name}; `wosdk sandbox companies` shows how to reach it")


@sandbox_command.command()
@_store
@click.option("--url", default="http://127.0.0.1:8900", show_default=True, help="Address printed by serve.")
def companies(store: Path, url: str) -> None:
    """Print a store's Companies as profiles for a settings file (TOML)."""
    with _opened(store) as opened:
        from wosdk_async.sandbox.env import profiles

        click.echo(f"# For a sandbox served at {url!r}; for another address, use --url.")
        click.echo(profiles(opened.companies(), url.rstrip("/")), nl=False)


@sandbox_command.command()
@_store
@click.argument("file", type=_FILE)
@click.option("--company", metavar="NAME", help="Company (default: the first).")
def seed(store: Path, file: Path, company: str | None) -> None:
    """Add all rows of a JSON FILE to a Company, or none if a row is invalid.

    FILE holds {entity type: [rows]}.

    \b
      wosdk sandbox seed --store company.db customers.json
    """
    with _opened(store) as opened:
        from wosdk_async.sandbox.schema.values import Moment
        from wosdk_async.sandbox.seed.rows import load_rows, read_rows

        rows, now = read_rows(file), Moment.at(time.time_ns())
        known = {each.name.lower(): each for each in opened.companies()}
        chosen = known.get(company.lower()) if company is not None else next(iter(known.values()), None)
        if chosen is None:
            names = ", ".join(each.name for each in known.values())
            raise ValueError(f"the store has no Company {company!r}; it has {names}")
        inside = load_rows(opened, chosen, rows, now) - len(rows)
        more = f", and {counted(inside, 'nested record')}" if inside else ""
        say(f"{chosen.name}: added {counted(len(rows), 'record')} from {file}{more}")


@sandbox_command.command()
@_store
@click.option("--to", type=_FILE, required=True, help="Snapshot file; overwritten if it exists.")
def snapshot(store: Path, to: Path) -> None:
    """Take a snapshot of a store, even while a server uses it."""
    require_not_store("--to", to, store)
    with _opened(store) as opened:
        replaced = ", replacing the earlier snapshot" if to.exists() else ""
        opened.take_snapshot(to)
        say(f"copied {store} to {to}{replaced}")


@sandbox_command.command()
@_store
@click.option("--to", type=_FILE, help="Snapshot to restore (default: the initial state).")
def reset(store: Path, to: Path | None) -> None:
    """Reset a store, even while a server uses it. Credentials and tokens stay valid."""
    with _opened(store) as opened:
        from wosdk_async.sandbox.seed.initial import reset as reset_store

        reset_store(opened, to)
        say(f"reset {store} to {to}" if to else f"reset {store} to the initial state")


def _require_replaceable(env_file: Path, force: bool) -> None:
    """Raise CliError if the env file is not writable or, without ``force``, must not be overwritten.

    Text that `serve` did not write and the file of a running server are kept. The file of a server that has
    ended is removed: a shell must not load it.
    """
    from wosdk_async.sandbox.env import are_assignments, server_of

    require_writable(env_file)
    if not env_file.exists():
        return
    if not env_file.is_file():
        raise CliError(f"--env-file {env_file} is not a regular file; name another file")
    text = _start_of(env_file)
    address, process = server_of(text)
    kept = ""
    if text and not are_assignments(text):
        kept = (
            f"{env_file} exists and was not written by `wosdk sandbox serve`; "
            "name another file or add --force"
        )
    elif address is not None and process is not None and _accepts(*address):
        with suppress(OSError, OverflowError):  # the process has ended
            os.kill(process, 0)
            kept = (
                f"{env_file} belongs to a running server; load the file to use that server, stop the server"
                f" with `kill {process}`, or name another file"
            )
    if not kept:
        env_file.resolve().unlink(missing_ok=True)
    elif not force:
        raise CliError(kept)


@contextmanager
def _removed_at_end(env_file: Path | None) -> Iterator[None]:
    """Remove the env file when this server ends, unless another server has replaced it."""
    from wosdk_async.sandbox.env import server_of

    try:
        yield
    finally:
        with suppress(OSError):
            if env_file is not None and server_of(_start_of(env_file))[1] == os.getpid():
                env_file.resolve().unlink()


def _accepts(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), _CONNECT_TIMEOUT).close()
    except OSError:
        return False
    return True


def _start_of(env_file: Path) -> str:
    with env_file.open(encoding="utf-8", errors="replace") as file:
        return file.read(_MAX_ENV_FILE)


@contextmanager
def _port_in_use(second_port: int) -> Iterator[None]:
    """Name the option of a port in use."""
    try:
        yield
    except OSError as error:
        if error.errno != EADDRINUSE:
            raise
        option = "--second-port" if f"port {second_port}:" in str(error) else "--port"
        raise CliError(f"{str(error.strerror).rstrip('.')}, with {option}") from error


@contextmanager
def _opened(path: Path, *, create: bool = False) -> Iterator[Store]:
    """Open a store; raise its errors as CliError. Remove a new store if the block fails.

    Without ``create`` the store must exist, so that a misspelt name does not create an empty one.
    """
    with extra("sandbox", "the sandbox"):
        from wosdk_async.sandbox import open_store
        from wosdk_async.sandbox.storage.store import Store
    is_new = not path.exists()
    if is_new and not create:
        raise CliError(f"{path}: no such store; `wosdk sandbox serve` creates one")
    opening = Store if is_new else open_store  # a new store has no Company yet
    with _sandbox_errors(), _removed_on_error(path, BaseException), closing(opening(path)) as store:
        yield store


@contextmanager
def _removed_on_error(store: Path, *errors: type[BaseException]) -> Iterator[None]:
    """Remove a newly created store if the block raises one of ``errors``."""
    existed = store.exists()
    try:
        yield
    except errors:
        for name in (store.name, f"{store.name}-wal", f"{store.name}-shm"):
            if not existed:
                store.with_name(name).unlink(missing_ok=True)
        raise


@contextmanager
def _sandbox_errors() -> Iterator[None]:
    """Turn sandbox errors into CliError."""
    from wosdk_async.sandbox import FaultScriptError, StoreError

    try:
        yield
    except (StoreError, FaultScriptError, ValueError) as error:
        for line in str(error).splitlines()[:-1]:
            say(line)
        raise CliError(str(error).splitlines()[-1]) from error
