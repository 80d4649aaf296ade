"""The token goes to no host that it should not see."""

from __future__ import annotations

import pytest

from wosdk_async.errors import ConfigurationError, DiscoveryError, DownloadError
from wosdk_async.transport.hosts import HostRules, is_loopback


@pytest.mark.parametrize(
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


def test_endpoints_keep_their_path() -> None:
    """A token address has a path; only its trailing slash goes."""
    rules = HostRules()
    assert rules.endpoint("x", "https://login.example/OAuth/token/") == "https://login.example/OAuth/token"
    with pytest.raises(ConfigurationError, match="in clear"):
        rules.endpoint("x", "http://login.example/OAuth/token")


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("localhost", True),
        ("10.0.0.1", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example", False),
        ("", False),
    ],
)
def test_loopback(host: str, loopback: bool) -> None:
    """Only addresses of this machine are loopback, not names that begin like one."""
    assert is_loopback(host) is loopback


def test_a_bare_text_is_no_list() -> None:
    """A string given for a list of hosts would be read letter by letter."""
    with pytest.raises(ConfigurationError, match="list"):
        HostRules(trusted="mine.example")


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
        ("http://[::1]:9200/_search", False, False),
        ("ftp://any.example/a", True, False),
        ("//any.example/a", True, False),
        ("https://user:x@any.example/a", True, False),
        ("https://any.example/a\r\nX: y", True, False),
        ("https://any.example/" + "a" * 9000, True, False),
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
