"""A certificate that is refused, and variables that name no certificates: faults of the configuration."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest

from tests.engine.conftest import serving
from tests.support.certificates import PAST, VALID, certificate_file
from tests.support.service import Service
from wosdk_async import AssetMatchByTaskCodeCommand, Client, ConfigurationError, Customer, NotSentError
from wosdk_async.outcome import Failed

COMMAND = AssetMatchByTaskCodeCommand(task_code="x")

pytestmark = pytest.mark.plain("its servers choose their own certificates")

SENDERS: dict[str, Callable[[ssl.SSLContext], dict[str, Any]]] = {
    "native": lambda context: {"ssl_context": context},
    "engine on httpx": lambda context: {"ssl_context": context, "http2": True},
    "client of httpx": lambda context: {"http_client": httpx.AsyncClient(verify=context)},
    "client of httpx2": lambda context: {"http_client": httpx2.AsyncClient(verify=context)},
}


@pytest.mark.parametrize("sender", SENDERS)
@pytest.mark.parametrize(
    ("names", "dates", "trusted", "reason", "remedy"),
    [
        ("IP:127.0.0.1", VALID, False, "self-signed certificate", "name its certificate in SSL_CERT_FILE or"),
        ("DNS:elsewhere.example", VALID, True, "not valid for", "a host name that the certificate"),
        ("IP:127.0.0.1", PAST, True, "certificate has expired", "check the clock of this machine"),
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
        assert all(
            part in error.message for part in (service.url, "certificate verify failed", reason, remedy)
        )
    assert not service.tokens


@pytest.mark.parametrize("sender", ["native", "engine on httpx"])
@pytest.mark.parametrize(
    ("variable", "content", "reason"),
    [
        ("SSL_CERT_FILE", None, "No such file or directory"),
        ("SSL_CERT_FILE", "no certificate", "no certificate or crl found"),
        ("SSL_CERT_DIR", None, "not a folder"),
        ("SSL_CERT_DIR", "a file", "not a folder"),
    ],
)
async def test_a_variable_that_names_no_certificates(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    sender: str,
    variable: str,
    content: str | None,
    reason: str,
) -> None:
    """OpenSSL ignores it, and every host would be refused: the error names the variable and the path."""
    path = tmp_path / "given"
    if content is not None:
        path.write_text(content)
    for each in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setenv(variable, str(path))
    its = certificate_file(tmp_path / "its.pem", "IP:127.0.0.1")
    async with Service(context=serving(its)) as service:
        async with service.client(http2=sender != "native") as client:
            for _ in range(2):
                with pytest.raises(ConfigurationError, match=reason) as caught:
                    await client.company().get(Customer, 7)
                assert f"{variable} is '{path}'" in caught.value.message
                assert (caught.value.attempts, caught.value.operation) == (1, "token")
        assert not service.connections or sender == "native"
        assert not service.tokens


async def test_folders_of_which_one_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``SSL_CERT_DIR`` may name several, as OpenSSL takes it; one is enough."""
    its = certificate_file(tmp_path / "its.pem", "IP:127.0.0.1")
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", f"{tmp_path}/missing:{tmp_path}")
    async with Service(context=serving(its)) as service, service.client() as client:
        with pytest.raises(NotSentError, match="certificate verify failed"):
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
    """The context is made when it is first needed, so a program without https needs no certificates."""
    monkeypatch.setenv("SSL_CERT_FILE", "missing")
    Client()
