"""``wosdk sandbox``: serve local Companies, and prepare the store that holds them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from wosdk_async.cli.exit_codes import CliError, extra, say
from wosdk_async.cli.help import Group
from wosdk_async.cli.output.files import require_not_needed, require_not_store, require_writable
from wosdk_async.cli.texts import counted

if TYPE_CHECKING:
    from wosdk_async.sandbox.storage.companies import StoredCompany
    from wosdk_async.sandbox.storage.store import Store

__all__ = ["sandbox_command"]

_MAX_ENV_FILE = 100_000  # characters; serve writes less than a thousand
_FILE = click.Path(path_type=Path)
_PORT = click.IntRange(0, 65535)
_new_store = click.option("--store", type=_FILE, required=True, help="The file; created if needed.")
_store = click.option("--store", type=_FILE, required=True, help="The file; it must exist.")
_one_company = click.option("--company", metavar="NAME", help="The Company; without it the first.")


@click.group("sandbox", cls=Group)
def sandbox_command() -> None:
    """Local Companies that respond like the service, kept in one SQLite file."""


@sandbox_command.command()
@_new_store
@click.option(
    "--port", type=_PORT, metavar="PORT", default=8900, show_default=True, help="0 picks a free one."
)
@click.option(
    "--dialect",
    type=click.Choice(["spec", "recorded"]),
    default="spec",
    show_default=True,
    help="Respond as the specification says, or as a recorded release does where it differs.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--company", "companies", metavar="NAME", multiple=True, help="A Company, created if needed; repeatable."
)
@click.option(
    "--verification/--no-verification",
    default=None,
    help="Whether its Companies have the verification step (default: as the store says; new ones have it).",
)
@click.option("--env-file", type=_FILE, help="Write the variables there, for its owner only, not to stdout.")
@click.option("--force", is_flag=True, help="Overwrite an --env-file that serve did not write.")
@click.option("--open-admin", is_flag=True, help="Let other machines use /_sandbox/ too.")
@click.option("--log/--no-log", default=True, help="Record requests for the console.")
@click.option("--faults", type=_FILE, help="A TOML file of faults to inject.")
@click.option(
    "--certificate", type=_FILE, metavar="PEM", help="A key and its certificate, to serve https with."
)
@click.option(
    "--second-port", type=_PORT, metavar="PORT", default=0, help="Where a fault moves the Company to."
)
def serve(
    store: Path,
    port: int,
    dialect: str,
    host: str,
    companies: tuple[str, ...],
    verification: bool | None,
    env_file: Path | None,
    force: bool,
    open_admin: bool,
    log: bool,
    faults: Path | None,
    certificate: Path | None,
    second_port: int,
) -> None:
    """Serve the Companies of a store until Ctrl-C.

    Once it accepts connections it prints the variables that lead a client to the first Company, one
    KEY=VALUE on each line, quoted for a shell where needed:

    \b
      wosdk sandbox serve --store company.db --env-file company.env &
      set -a; . ./company.env; set +a  # once it is there
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
            port=port,
            companies=companies,
            verification=verification,
            dialect=dialect,
            open_admin=open_admin,
            log=log,
            faults=Faults(faults),
            certificate=certificate,
            second_port=second_port,
            announce=announce,
        )


def _say_variables(variables: dict[str, str], env_file: Path | None) -> None:
    from wosdk_async.sandbox.env import assignments, write_assignments

    if env_file is None:
        click.echo(assignments(variables), nl=False)
    else:
        write_assignments(variables, env_file)
        say(f"the variables are in {env_file}")


def _say_addresses(locator: str, host: str, certificate: Path | None) -> None:
    """Say where the console is, how other machines reach the sandbox, and what its certificate lacks."""
    from wosdk_async.sandbox.access import EVERYWHERE
    from wosdk_async.sandbox.certificate import read_certificate
    from wosdk_async.sandbox.server import console_of

    if console := console_of(locator):
        say(f"the console is at {console}")
    if host in EVERYWHERE:
        say(_for_other_machines(locator))
    if certificate is not None:
        for warning in read_certificate(certificate).warnings(urlsplit(locator).hostname or ""):
            say(f"warning: {warning}")


@sandbox_command.command("add-company")
@_new_store
@click.argument("name")
@click.option("--host", default="", help="The only host name that serves it, such as acme.localhost.")
@click.option("--live", is_flag=True, help="A live Company; without it a stage or preview one.")
@click.option("--empty", is_flag=True, help="Without the records that a new Company starts with.")
@click.option("--no-verification", is_flag=True, help="Without the verification step.")
def add_company(store: Path, name: str, host: str, live: bool, empty: bool, no_verification: bool) -> None:
    """Add a Company to a store; a server that serves it serves the new one, too."""
    with _opened(store, make=True) as opened:
        from wosdk_async.sandbox.seed.initial import create_company

        company = create_company(
            opened, name, host=host, live=live, seeded=not empty, verification=not no_verification
        )
        say(f"added {company.name}; `wosdk sandbox companies` shows how to reach it")


@sandbox_command.command()
@_store
@click.option("--url", default="http://127.0.0.1:8900", show_default=True, help="Where the store is served.")
def companies(store: Path, url: str) -> None:
    """Print the Companies of a store as profiles of a settings file (TOML)."""
    with _opened(store) as opened:
        from wosdk_async.sandbox.env import profiles

        click.echo(profiles(opened.companies(), url.rstrip("/")), nl=False)


@sandbox_command.command()
@_store
@click.argument("file", type=_FILE)
@click.option("--entity", metavar="TYPE", help="The entity type of all rows; a CSV file needs it.")
@_one_company
def seed(store: Path, file: Path, entity: str | None, company: str | None) -> None:
    """Add the rows of FILE to a Company: all of them, or none when one does not fit.

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
@click.option("--to", type=_FILE, required=True, help="The file of the snapshot; an older one is replaced.")
def snapshot(store: Path, to: Path) -> None:
    """Copy a store at one moment, also while it is served."""
    require_not_store("--to", to, store)
    with _opened(store) as opened:
        opened.take_snapshot(to)
        say(f"copied {store} to {to}")


@sandbox_command.command()
@_store
@click.option(
    "--to", type=_FILE, help="A snapshot to return to; without it the Companies are as they started."
)
def reset(store: Path, to: Path | None) -> None:
    """Reset a store, also while it is served: clients keep their credentials and tokens."""
    with _opened(store) as opened:
        from wosdk_async.sandbox.seed.initial import reset as reset_store

        reset_store(opened, to)
        say(f"{store} is as in {to}" if to else f"{store} is as it started")


def _for_other_machines(root: str) -> str:
    """Return what a client on another machine sets in place of the variables for this one."""
    parts = urlsplit(root)
    there = f"{parts.scheme}://HOST:{parts.port}"
    return (
        f"on another machine set WOSDK_LOCATOR_URL={there}, WOSDK_TOKEN_URL={there}/OAuth/token and "
        "WOSDK_TRUSTED_HOSTS=HOST; HOST is this machine's name or address there"
    )


def _require_replaceable(env_file: Path, force: bool) -> None:
    """Refuse an env file that cannot be written, and one that may hold something else."""
    from wosdk_async.sandbox.env import are_assignments

    require_writable(env_file)
    if not env_file.exists():
        return
    if not env_file.is_file():
        raise CliError(f"--env-file {env_file} is not a regular file; name another")
    with env_file.open(encoding="utf-8", errors="replace") as file:
        text = file.read(_MAX_ENV_FILE)
    if text and not force and not are_assignments(text):
        text = f"{env_file} exists already, and `wosdk sandbox serve` did not write it"
        raise CliError(f"{text}; name another file, or add --force to overwrite it")


@contextmanager
def _opened(path: Path, *, make: bool = False) -> Iterator[Store]:
    """Open a store and turn its errors into CliError; a new one is removed when the block fails.

    Without ``make`` the store must exist: a misspelt name would otherwise make an empty one.
    """
    with extra("sandbox", "the sandbox"):
        from wosdk_async.sandbox import open_store
    if not make and not path.exists():
        raise CliError(f"there is no store {path}; `wosdk sandbox serve` and `add-company` make one")
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
        raise ValueError(f"There is no Company '{name}' in the store, only {names}.")
    return found[0]
