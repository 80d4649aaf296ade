"""``wosdk sandbox``: serve local Companies, and prepare the store that holds them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from wosdk_async.cli.exit_codes import CliError, extra, say
from wosdk_async.cli.help import Group
from wosdk_async.cli.options import Whole
from wosdk_async.cli.output.files import require_not_needed, require_not_store, require_writable
from wosdk_async.cli.texts import counted

if TYPE_CHECKING:
    from wosdk_async.sandbox.storage.companies import StoredCompany
    from wosdk_async.sandbox.storage.store import Store

__all__ = ["sandbox_command"]

_MAX_ENV_FILE = 100_000  # characters; serve writes less than a thousand
_FILE = click.Path(path_type=Path)
_PORT = Whole(0, 65535)
_new_store = click.option("--store", type=_FILE, required=True, help="Store file, created if needed.")
_store = click.option("--store", type=_FILE, required=True, help="Store file.")


@click.group("sandbox", cls=Group)
def sandbox_command() -> None:
    """Local Companies that respond like the service, kept in one SQLite file."""


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
    help="Behave as specified, or as a recorded release.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--company",
    "companies",
    metavar="NAME",
    multiple=True,
    help="Company to serve, created if needed; repeatable.",
)
@click.option(
    "--verification/--no-verification",
    default=None,
    help="Verification step (default: as in the store, or with it).",
)
@click.option("--env-file", type=_FILE, help="Private file for the variables (default: stdout).")
@click.option("--force", is_flag=True, help="Overwrite an --env-file that serve did not write.")
@click.option("--open-admin", is_flag=True, help="Let other machines use /_sandbox/ too.")
@click.option("--log/--no-log", default=True, help="Record requests for the console.")
@click.option("--faults", type=_FILE, help="TOML file of faults to inject.")
@click.option("--certificate", type=_FILE, metavar="PEM", help="Key and certificate, to serve https.")
@click.option(
    "--second-port", type=_PORT, metavar="PORT", default=0, help="Port to which a fault moves the Company."
)
def serve(
    store: Path,
    host: str,
    env_file: Path | None,
    force: bool,
    faults: Path | None,
    certificate: Path | None,
    **options: Any,
) -> None:
    """Serve the Companies of a store until Ctrl-C.

    Once it accepts connections it prints the variables by which a client reaches the first Company, as
    KEY=VALUE lines for a shell:

    \b
      wosdk sandbox serve --store company.db --env-file company.env &
      set -a; . ./company.env; set +a  # once the file is there
      wosdk import requests.csv --map map.toml
    """
    if env_file is not None:
        require_not_store("--env-file", env_file, store)
        require_not_needed("--env-file", env_file, *(each for each in (faults, certificate) if each))
        _require_replaceable(env_file, force)
    with extra("sandbox", "the sandbox"):
        from wosdk_async.sandbox import Faults, FaultScriptError, StoreError
        from wosdk_async.sandbox.server import serve as serve_store

    def announce(variables: dict[str, str]) -> None:
        _say_variables(variables, env_file)
        _say_addresses(variables["WOSDK_LOCATOR_URL"], host, certificate)
        say(f"serving {store}; Ctrl-C ends it")

    # A full disk, a wrong name of a Company, a fault rule for an unknown Company.
    with _sandbox_errors(), _removed_on_error(store, StoreError, ValueError, FaultScriptError):
        serve_store(
            store,
            host=host,
            faults=Faults(faults),
            certificate=certificate,
            announce=announce,
            **options,
        )


def _say_variables(variables: dict[str, str], env_file: Path | None) -> None:
    from wosdk_async.sandbox.env import assignments, write_assignments

    if env_file is None:
        click.echo(assignments(variables), nl=False)
    else:
        write_assignments(variables, env_file)
        say(f"the variables are in {env_file}")


def _say_addresses(locator: str, host: str, certificate: Path | None) -> None:
    """Print the address of the console, the variables for other machines, and warnings of the certificate."""
    from wosdk_async.sandbox.access import EVERYWHERE
    from wosdk_async.sandbox.certificate import read_certificate
    from wosdk_async.sandbox.server import console_of

    if console := console_of(locator):
        say(f"the console is at {console}")
    if host in EVERYWHERE:
        parts = urlsplit(locator)
        there = f"{parts.scheme}://HOST:{parts.port}"
        say(
            f"on another machine set WOSDK_LOCATOR_URL={there}, WOSDK_TOKEN_URL={there}/OAuth/token and "
            "WOSDK_TRUSTED_HOSTS=HOST, with this machine's name or address there as HOST"
        )
    if certificate is not None:
        for warning in read_certificate(certificate).warnings(urlsplit(locator).hostname or ""):
            say(f"warning: {warning}")


@sandbox_command.command("add-company")
@_new_store
@click.argument("name")
@click.option("--host", default="", help="Only host name, such as acme.localhost.")
@click.option("--live", is_flag=True, help="Live Company (default: stage or preview).")
@click.option("--empty", is_flag=True, help="Without initial records.")
@click.option("--no-verification", is_flag=True, help="Without the verification step.")
def add_company(store: Path, name: str, host: str, live: bool, empty: bool, no_verification: bool) -> None:
    """Add a Company to a store, also while the store is served."""
    with _opened(store, make=True) as opened:
        from wosdk_async.sandbox.seed.initial import create_company

        company = create_company(
            opened, name, host=host, live=live, seeded=not empty, verification=not no_verification
        )
        say(f"added {company.name}; `wosdk sandbox companies` shows how to reach it")


@sandbox_command.command()
@_store
@click.option("--url", default="http://127.0.0.1:8900", show_default=True, help="Address of its server.")
def companies(store: Path, url: str) -> None:
    """Print the Companies of a store as profiles of a settings file (TOML)."""
    with _opened(store) as opened:
        from wosdk_async.sandbox.env import profiles

        click.echo(profiles(opened.companies(), url.rstrip("/")), nl=False)


@sandbox_command.command()
@_store
@click.argument("file", type=_FILE)
@click.option("--entity", metavar="TYPE", help="Entity type of all rows; required for CSV.")
@click.option("--company", metavar="NAME", help="Company (default: the first).")
def seed(store: Path, file: Path, entity: str | None, company: str | None) -> None:
    """Add all rows of FILE to a Company, or none if one does not fit.

    JSON holds {entity type: [rows]}; the columns of a CSV file are property paths.

    \b
      wosdk sandbox seed --store company.db customers.csv --entity Customer
    """
    with _opened(store) as opened:
        from wosdk_async.sandbox.schema.values import Moment
        from wosdk_async.sandbox.seed.files import read_rows
        from wosdk_async.sandbox.seed.rows import inner_records, load_rows

        rows, now = read_rows(file, entity), Moment.at(time.time_ns())
        added = load_rows(opened, _named(opened, company), rows, now)
        inside = inner_records(rows)
        more = f", and {counted(inside, 'record')} inside {'it' if added == 1 else 'them'}" if inside else ""
        say(f"added {counted(added, 'record')} of {file}{more}")


@sandbox_command.command()
@_store
@click.option("--to", type=_FILE, required=True, help="Snapshot file; replaced if it exists.")
def snapshot(store: Path, to: Path) -> None:
    """Take a snapshot of a store, also while it is served."""
    require_not_store("--to", to, store)
    with _opened(store) as opened:
        opened.take_snapshot(to)
        say(f"copied {store} to {to}")


@sandbox_command.command()
@_store
@click.option("--to", type=_FILE, help="Snapshot to return to (default: the initial state).")
def reset(store: Path, to: Path | None) -> None:
    """Reset a store, also while it is served: clients keep their credentials and tokens."""
    with _opened(store) as opened:
        from wosdk_async.sandbox.seed.initial import reset as reset_store

        reset_store(opened, to)
        say(f"{store} is as in {to}" if to else f"{store} is as it started")


def _require_replaceable(env_file: Path, force: bool) -> None:
    """Raise CliError for an env file that cannot be written, or that may hold something else."""
    from wosdk_async.sandbox.env import are_assignments

    require_writable(env_file)
    if not env_file.exists():
        return
    if not env_file.is_file():
        raise CliError(f"--env-file {env_file} is not a regular file; name another file")
    with env_file.open(encoding="utf-8", errors="replace") as file:
        text = file.read(_MAX_ENV_FILE)
    if text and not force and not are_assignments(text):
        raise CliError(
            f"{env_file} exists, and `wosdk sandbox serve` did not write it; use another, or --force"
        )


@contextmanager
def _opened(path: Path, *, make: bool = False) -> Iterator[Store]:
    """Open a store and turn its errors into CliError; a new one is removed when the block fails.

    Without ``make`` the store must exist: a misspelt name would otherwise create an empty one.
    """
    with extra("sandbox", "the sandbox"):
        from wosdk_async.sandbox import open_store
    if not make and not path.exists():
        raise CliError(f"{path}: no such store; `wosdk sandbox serve` creates one")
    with _sandbox_errors(), _removed_on_error(path, BaseException), closing(open_store(path)) as store:
        yield store


@contextmanager
def _removed_on_error(store: Path, *errors: type[BaseException]) -> Iterator[None]:
    """Remove the store that the block has created when it raises one of ``errors``."""
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
    """Turn the errors of the sandbox into CliError."""
    from wosdk_async.sandbox import FaultScriptError, StoreError

    try:
        yield
    except (StoreError, FaultScriptError, ValueError) as error:
        for line in str(error).splitlines()[:-1]:
            say(line)
        raise CliError(str(error).splitlines()[-1]) from error


def _named(store: Store, name: str | None) -> StoredCompany:
    known = store.companies()
    found = [company for company in known if name is None or company.name.lower() == name.lower()]
    if not found:
        names = ", ".join(company.name for company in known)
        raise ValueError(f"the store has no Company {name!r}, only {names}")
    return found[0]
