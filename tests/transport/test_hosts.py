"""The token goes to no host that it should not see."""

from __future__ import annotations

import socket
from contextlib import suppress

import pytest

from tests.support.laws import each_of
from wosdk_async.errors import ConfigurationError, DiscoveryError, DownloadError
from wosdk_async.transport.session.hosts import HostRules


@each_of(
    ("named", "url"),
    [
        ("https://am-ce97c.corrigo.com/", "https://am-ce97c.corrigo.com"),
        ("https://AM-CE97C.corrigo.com", "https://am-ce97c.corrigo.com"),
        ("am-ce97c.corrigo.com/wsdk/service.asmx", "https://am-ce97c.corrigo.com"),
        ("https://am-ce97c.corrigo.com:8443/x?y", "https://am-ce97c.corrigo.com:8443"),
        ("https://corrigo.com", "https://corrigo.com"),
        ("http://127.0.0.1:8900/", "http://127.0.0.1:8900"),
        ("http://localhost:8900", "http://localhost:8900"),
        ("http://[::1]:8900/", "http://[::1]:8900"),
        ("http://stage.mine.example/", "http://stage.mine.example"),
        ("http://mine.example/", "http://mine.example"),
    ],
)
def test_allowed(named: str, url: str) -> None:
    """The origin is taken; path and letter case are dropped, a missing scheme is https (facts 2)."""
    assert HostRules(trusted=["mine.example"]).company_url(named, local=True) == url


@pytest.mark.parametrize(
    "named",
    [
        "https://evilcorrigo.com/",
        "https://corrigo.com.evil.example/",
        "https://evil.example/corrigo.com",
        "https://evil.example#.corrigo.com",
        "https://evil.example?.corrigo.com",
        "https://evil.example\\.corrigo.com",
        "https://am.corrigo.com@evil.example/",
        "https://user:pass@am.corrigo.com/",
        "http://am-ce97c.corrigo.com/",
        "ftp://am-ce97c.corrigo.com/",
        "https://127.0.0.1.corrigo.evil/",
        "http://localhost.evil.example/",
        "https://am.corrigo.com:99999/",
        "https://am.corrigo.com:x/",
        "https://am .corrigo.com/",
        "https://am\n.corrigo.com/",
        "https://ам.corrigo.com/",
        "https:///",
        "https://[::1",
        "",
        "//",
        "https://" + "a" * 3000 + ".corrigo.com",
        "https://notmine.example/",
        "http://10.0.0.1/",
    ],
)
def test_refused(named: str) -> None:
    """Anything outside the suffixes, in clear, or oddly written is refused and named in the error."""
    with pytest.raises(DiscoveryError):
        HostRules(trusted=["mine.example"]).company_url(named, local=True)


@pytest.mark.parametrize(
    "named", ["http://127.0.0.1:8900/", "http://localhost:8900", "https://localhost/", "http://[::1]:8900/"]
)
def test_only_a_locator_on_this_machine_may_name_this_machine(named: str) -> None:
    """Any other could have the token sent to whatever listens here; a trusted host is the user's word."""
    with pytest.raises(DiscoveryError, match="list it in trusted_hosts"):
        HostRules().company_url(named, local=False)
    trusting = HostRules(trusted=["localhost", "127.0.0.1", "::1"])
    assert trusting.company_url(named, local=False) == named.rstrip("/")


ODD_NUMBERS = [
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "127.0.0.01",
    "0x",
    "a.1",
    "1.2.3.4.5",
]


@pytest.mark.parametrize("host", ODD_NUMBERS)
def test_a_number_that_is_not_written_as_an_address(host: str) -> None:
    """Resolvers read such hosts as addresses, each in its own way: nothing is sent there."""
    rules = HostRules(suffixes=[host], trusted=[host])
    for scheme in ("http", "https"):
        with pytest.raises(DiscoveryError):
            rules.company_url(f"{scheme}://{host}/", local=True)
        with pytest.raises(ConfigurationError):
            rules.endpoint("x", f"{scheme}://{host}/")
        with pytest.raises(DownloadError):
            rules.require_download(f"{scheme}://{host}/a", local=True)


def own_names() -> list[str]:
    """Return the names of this machine, and its address if it has one beside loopback. No packet is sent."""
    names = [socket.gethostname(), f"{socket.gethostname().upper()}."]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))
        names.append(str(probe.getsockname()[0]))
    return names


@pytest.mark.parametrize("own", own_names())
def test_nothing_is_fetched_from_this_machine_by_its_own_name_or_address(own: str) -> None:
    """Whoever may write a document chooses its address, and could read what this machine serves to itself."""
    for local in (False, True):
        with pytest.raises(DownloadError):
            HostRules().require_download(f"https://{own}/a", local=local)
    HostRules(trusted=[own]).require_download(f"https://{own}/a", local=False)
    HostRules().require_download(f"https://x{socket.gethostname()}/a", local=False)


@pytest.mark.parametrize("name", ["web1", "web1.corp.example"])
def test_nothing_is_fetched_from_this_machine_in_any_domain(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its full name is not known for certain, so its first label decides; the service's hosts are others."""
    monkeypatch.setattr(socket, "gethostname", lambda: name)
    for own in ("web1", "WEB1.corp.example.", "web1.lan.example"):
        with pytest.raises(DownloadError):
            HostRules().require_download(f"https://{own}/a", local=False)
        HostRules(trusted=(own,)).require_download(f"https://{own}/a", local=False)
    for other in ("web1.corrigo.com", "db.corp.example", "web12.corp.example", "corp.example"):
        HostRules().require_download(f"https://{other}/a", local=False)


def test_endpoints_keep_their_path() -> None:
    """A token address has a path; only its trailing slash goes."""
    rules = HostRules()
    assert rules.endpoint("x", "https://login.example/OAuth/token/") == "https://login.example/OAuth/token"
    with pytest.raises(ConfigurationError, match="trusted_hosts"):
        rules.endpoint("x", "http://login.example/OAuth/token")


@pytest.mark.parametrize(
    ("url", "local", "allowed"),
    [
        ("https://enterprise.s3.amazonaws.com/a/b.jpg?X-Amz-Signature=" + "f" * 4000, False, True),
        ("https://any.example:8443/a", False, True),
        ("http://files.mine.example/a", False, True),
        ("http://127.0.0.1:8900/a", True, True),
        ("http://any.example/a", True, False),
        ("http://127.0.0.1:8900/a", False, False),
        ("https://localhost/a", False, False),
        ("https://localhost./a", False, False),
        ("https://any.localhost/a", False, False),
        ("https://localhost.localdomain/a", False, False),
        ("https://ip6-localhost/a", False, False),
        ("https://0.0.0.0/a", False, False),
        ("https://0.1.2.3/a", False, False),
        ("https://127.8.9.1/a", False, False),
        ("https://[::]/a", False, False),
        ("https://[::1]/a", False, False),
        ("https://[0:0:0:0:0:0:0:1]/a", False, False),
        ("https://[::127.0.0.1]/a", False, False),
        ("https://[::ffff:127.0.0.1]/a", False, False),
        ("https://[::ffff:7f00:1]/a", False, False),
        ("https://[64:ff9b::7f00:1]/a", False, False),
        ("https://[2001:db8::1]/a", False, True),
        ("https://192.0.2.7/a", False, True),
        ("http://0.0.0.0:8900/a", True, False),
        ("http://[::ffff:127.0.0.1]:8900/a", True, False),
        ("http://[::1]:9200/_search", False, False),
        ("ftp://any.example/a", True, False),
        ("//any.example/a", True, False),
        ("https://user:x@any.example/a", True, False),
        ("https://any.example/a\r\nX: y", True, False),
        ("https://any.example/" + "a" * 9000, True, False),
        ("https://any.example/a#sig=Signature", True, False),
        ("https://any.example/a b?sig=Signature", True, False),
        ("", True, False),
    ],
)
def test_where_files_are_fetched_from(url: str, local: bool, allowed: bool) -> None:
    """https, the user's own hosts, and this machine for a Company that is there: no other service of it."""
    rules = HostRules(trusted=["mine.example"])
    if allowed:
        rules.require_download(url, local=local)
        return
    with pytest.raises(DownloadError) as caught:
        rules.require_download(url, local=local)
    assert "Signature" not in str(caught.value)
