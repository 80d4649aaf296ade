"""A certificate that is refused, and variables that name no certificates: faults of the configuration."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest

from tests.engine.conftest import serving
from tests.engine.raw import RawServer
from tests.support.certificates import FUTURE, PAST, VALID, certificate_file
from tests.support.facts import having
from tests.support.service import Service
from wosdk_async import (
    AssetMatchByTaskCodeCommand,
    Client,
    ConfigurationError,
    Credentials,
    Customer,
    NotSentError,
    Region,
    problem_of,
)
from wosdk_async.calls.outcome import Failed
from wosdk_async.text.remedies import Remedy

COMMAND = AssetMatchByTaskCodeCommand(task_code="x")

pytestmark = pytest.mark.plain("its servers choose their own certificates")

AUTHORITY = {
    "native": "load its certificate into your ssl_context",
    "client of httpx": "pass its certificate to your httpx client: verify=",
    "client of httpx2": "pass its certificate to your httpx client: verify=",
}
"""What to do about an authority that is not trusted."""

SENDERS: dict[str, Callable[[ssl.SSLContext], dict[str, Any]]] = {
    "native": lambda context: {"ssl_context": context},
    "client of httpx": lambda context: {"http_client": httpx.AsyncClient(verify=context)},
    "client of httpx2": lambda context: {"http_client": httpx2.AsyncClient(verify=context)},
}


@pytest.mark.parametrize("sender", SENDERS)
@pytest.mark.parametrize(
    ("names", "dates", "trusted", "reason", "remedy"),
    [
        ("IP:127.0.0.1", VALID, False, "self-signed certificate", ""),
        ("DNS:elsewhere.example", VALID, True, "not valid for", "a host name that the certificate"),
        ("IP:127.0.0.1", PAST, True, "certificate has expired", "check this machine's clock"),
        ("IP:127.0.0.1", FUTURE, True, "not yet valid", "the certificate's start date"),
    ],
)  # fmt: skip
async def test_it_is_refused_once_with_the_remedy(
    tmp_path: Path, sender: str, names: str, dates: tuple[str, str], trusted: bool, reason: str, remedy: str
) -> None:
    """Never sent and never retried: each call says the host, the reason and what to do."""
    path = certificate_file(tmp_path / "its.pem", names, dates)
    context = ssl.create_default_context(cafile=path if trusted else None)
    settings = SENDERS[sender](context)
    async with Service(context=serving(path)) as service, service.client(**settings) as client:
        async with client.company().run_many([COMMAND] * 20) as run:
            outcomes = [outcome async for outcome in run]
    if http := settings.get("http_client"):
        await http.aclose()
    errors = [outcome.error for outcome in outcomes if isinstance(outcome, Failed)]
    assert len(errors) == 20
    for error in errors:
        assert isinstance(error, NotSentError)
        assert (error.attempts, error.waits) == (1, ())
        parts = (service.url, "certificate verify failed", reason, remedy or AUTHORITY[sender])
        assert all(part in str(error) for part in parts)
        assert len(error.remedies) == 1
        assert problem_of(error).status == 502
        assert "retry_after" not in problem_of(error).body
    assert not service.tokens


@pytest.mark.parametrize(
    ("names", "trusted", "reason"),
    [("IP:127.0.0.1", False, "self-signed certificate"), ("DNS:elsewhere.example", True, "not valid for")],
)
async def test_a_client_without_options_verifies_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: str, trusted: bool, reason: str
) -> None:
    """Who signed it, and the host that it names: with the certificates of the system, or of the variable."""
    path = certificate_file(tmp_path / "its.pem", names)
    for each in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(each, raising=False)
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(path))
    async with Service(context=serving(path)) as service, service.client() as client:
        with pytest.raises(NotSentError, match=f"certificate verify failed.*{reason}"):
            await client.company().get(Customer, 7)
        assert not service.tokens


@pytest.mark.parametrize(
    ("variable", "content", "reason"),
    [
        ("SSL_CERT_FILE", None, "No such file or directory"),
        ("SSL_CERT_FILE", "no certificate", "no certificate or crl found"),
        ("SSL_CERT_DIR", None, "not a readable folder"),
        ("SSL_CERT_DIR", "a file", "not a readable folder"),
    ],
)
async def test_a_variable_that_names_no_certificates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, content: str | None, reason: str
) -> None:
    """OpenSSL ignores it, and every host would be refused: the error names the variable and the path.

    The client is not made; and a call says it, too, if the file has gone since.
    """
    path = tmp_path / "given"
    if content is not None:
        path.write_text(content)
    for each in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(each, raising=False)
    its = certificate_file(tmp_path / "its.pem", "IP:127.0.0.1")
    async with Service(context=serving(its)) as service:
        async with service.client() as client:
            monkeypatch.setenv(variable, str(path))
            with pytest.raises(ConfigurationError, match=f"{variable} is '{path}'"):
                service.client()
            with pytest.raises(ConfigurationError, match=f"{variable} is '{path}'"):
                Client(credentials=Credentials("id-1", "x")).company("Acme")
            for _ in range(2):
                with pytest.raises(ConfigurationError, match=reason) as caught:
                    await client.company().get(Customer, 7)
                assert f"{variable} is '{path}'" in caught.value.message
                assert (caught.value.attempts, caught.value.operation) == (1, "token")
        assert not service.connections
        assert not service.tokens


async def test_folders_of_which_one_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``SSL_CERT_DIR`` may name several, as OpenSSL takes it; one is enough."""
    its = certificate_file(tmp_path / "its.pem", "IP:127.0.0.1")
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", f"{tmp_path}/missing:{tmp_path}")
    async with Service(context=serving(its)) as service, service.client() as client:
        with pytest.raises(NotSentError, check=having(remedies=(Remedy.AUTHORITY,))):
            await client.company().get(Customer, 7)


async def test_a_context_of_the_callers_own_reads_no_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With ``ssl_context=`` a wrong variable does not matter."""
    its = certificate_file(tmp_path / "its.pem", "IP:127.0.0.1")
    own = ssl.create_default_context(cafile=its)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing"))
    async with Service(context=serving(its)) as service, service.client(ssl_context=own) as client:
        assert (await client.company().get(Customer, 1)).id == 1


def test_a_client_is_made_without_reading_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program without https needs no certificates, and neither does one with connections of its own."""
    monkeypatch.setenv("SSL_CERT_FILE", "missing")
    plain = Region("here", locator_url="http://127.0.0.1:1", token_url="http://127.0.0.1:1/token")
    pair = Credentials("id-1", "x")
    Client(region=plain, credentials=pair).company("Acme")
    mock = httpx.MockTransport(lambda _: httpx.Response(500))
    Client(transport=mock, region=Region.EMEA, credentials=pair).company("Acme")


async def test_a_file_without_the_authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the file that was used, not how to name one."""
    its = certificate_file(tmp_path / "its.pem", "IP:127.0.0.1")
    other = certificate_file(tmp_path / "other.pem", "IP:127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(other))
    async with Service(context=serving(its)) as service, service.client() as client:
        with pytest.raises(NotSentError) as caught:
            await client.company().connect()
    assert caught.value.remedies == (Remedy.AUTHORITY_IN_FILE,)
    assert f"SSL_CERT_FILE ('{other}') lacks" in str(caught.value)


async def test_a_new_client_trusts_a_file_that_was_renewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    its = certificate_file(tmp_path / "its.pem", "IP:127.0.0.1")
    file = certificate_file(tmp_path / "trusted.pem", "IP:127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    async with Service(context=serving(its)) as service:
        async with service.client() as client:
            with pytest.raises(NotSentError):
                await client.company().connect()
        file.write_bytes(its.read_bytes())
        async with service.client() as client:
            await client.company().connect()


@pytest.mark.parametrize("sender", SENDERS)
async def test_tls_where_there_is_none(sender: str) -> None:
    """Never sent, once, with the likely cause."""
    settings = SENDERS[sender](ssl.create_default_context())

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()

    async with RawServer(answer) as server:
        url = server.url.replace("http:", "https:")
        region = Region("test", locator_url=url, token_url=f"{url}/OAuth/token")
        async with Client(region=region, credentials=Credentials("id-1", "x"), **settings) as client:
            with pytest.raises(NotSentError, check=having(remedies=(Remedy.NOT_TLS,))) as caught:
                await client.company("Acme").connect()
    if http := settings.get("http_client"):
        await http.aclose()
    assert caught.value.attempts == 1
    assert problem_of(caught.value).status == 502
