"""Every option is checked where it is given: a WosdkError names the value and what is taken instead."""

from __future__ import annotations

import ast
import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import attrs
import httpx
import httpx2
import pytest

from tests.support.facts import having
from tests.support.laws import case, each_of
from tests.support.service import SECRET, Service
from tests.support.virtual import World, reply
from tests.transport.script import hang
from wosdk_async import (
    CallOptions,
    Client,
    ClientOptions,
    ConfigurationError,
    Credentials,
    DeadlineError,
    DryRun,
    Limits,
    RetryPolicy,
    Timeouts,
)
from wosdk_async import client as client_module
from wosdk_async import options as options_module
from wosdk_async.client import ClientArguments, EnvArguments

NAN, INF = float("nan"), float("inf")
NO_TIMES: list[Any] = [-1, -0.001, NAN, INF, -INF, "5", True, [5], 10**400, 1e10]


def client(**settings: Any) -> Client:
    return Client(**{"credentials": Credentials("id", SECRET), "company": "Acme", **settings})


def with_options(**changes: Any) -> Any:
    return client().company().with_options(**changes)


SECONDS: list[Any] = [
    (CallOptions, "deadline"),
    (CallOptions, "settle"),
    (with_options, "deadline"),
    (with_options, "settle"),
    (RetryPolicy, "wait_initial"),
    (RetryPolicy, "wait_max"),
    (RetryPolicy, "max_retry_after"),
    (Timeouts, "connect"),
    (Timeouts, "read"),
    (Timeouts, "write"),
    (Timeouts, "pool"),
    (Limits, "keepalive"),
    (Limits, "lifetime"),
    (client, "rate"),
    (client, "retry_quota"),
]


def test_what_is_no_number_of_seconds() -> None:
    """Negative, without end, no number, a text or a truth value."""
    for make, name in SECONDS:
        for value in NO_TIMES:
            with case(make.__name__, name, repr(value)[:80]):
                with pytest.raises(ConfigurationError) as caught:
                    make(**{name: value})
                assert f"{name} is {repr(value)[:80]}" in str(caught.value)
                assert "it must be" in str(caught.value)
                assert len(str(caught.value)) < 250


@pytest.mark.parametrize("value", [INF, 1e18, 2**63])
def test_a_number_that_is_too_high_is_refused_with_the_maximum(value: float) -> None:
    """It is 0 or more, as the message asks; only the maximum tells what is wrong."""
    for make, name in ((CallOptions, "deadline"), (Timeouts, "read"), (client, "rate")):
        with pytest.raises(ConfigurationError, match=r", at most 1e\+09$"):
            make(**{name: value})


COUNTS: list[Any] = [
    (RetryPolicy, "attempts"),
    (Limits, "connections"),
    (Limits, "head"),
    (Limits, "headers"),
    (Limits, "body"),
    (client, "in_flight"),
    (client, "max_queued"),
]


def test_what_is_no_whole_number() -> None:
    """Counters are whole."""
    for make, name in COUNTS:
        for value in [-1, 1.5, NAN, INF, "5", True]:
            with case(make.__name__, name, value):
                with pytest.raises(ConfigurationError, match=f"{name} is .*; it must be"):
                    make(**{name: value})


ABOVE_ZERO: list[Any] = [
    (RetryPolicy, "attempts"),
    (Limits, "connections"),
    (Timeouts, "read"),
    (client, "in_flight"),
    (client, "rate"),
]


def test_what_lets_nothing_through() -> None:
    """A bound of 0 would refuse or hold up every call."""
    for make, name in ABOVE_ZERO:
        with case(make.__name__, name):
            with pytest.raises(ConfigurationError, match=f"{name} is 0; it must be"):
                make(**{name: 0})


@pytest.mark.parametrize("make", [client, with_options])
def test_an_unknown_option(make: Callable[..., Any]) -> None:
    """It is Python's own error, though the signature is written elsewhere."""
    with pytest.raises(TypeError, match=r"\(\) got an unexpected keyword argument 'timeout'"):
        make(timeout=1)


@each_of(
    ("name", "value", "remedy"),
    [
        ("region", "emea", "Region.EMEA"),
        ("company", 5, "name of a Company"),
        ("options", {"deadline": 5}, "CallOptions"),
        ("read_only", None, "True or False"),
        ("before_send", 5, "function"),
        ("before_send", DryRun, r"before_send is the class DryRun; pass DryRun\(\)"),
        ("http_client", httpx.AsyncClient, r"is the class AsyncClient; pass AsyncClient\(\)"),
        ("transport", httpx.MockTransport, r"is the class MockTransport; pass MockTransport\(\)"),
        ("http_client", httpx2.AsyncClient, r"is the class AsyncClient; pass AsyncClient\(\)"),
        ("http_client", httpx.MockTransport(print), "a MockTransport; pass a transport as transport="),
        ("http_client", httpx2.MockTransport(print), "a MockTransport; pass a transport as transport="),
        ("on_in_doubt", "print", "function"),
        ("ssl_context", True, "SSLContext"),
        ("limits", 5, "Limits"),
        ("timeouts", 5, "Timeouts"),
    ],
)
def test_other_arguments_of_a_client(name: str, value: Any, remedy: str) -> None:
    """A value of the wrong type says what is taken."""
    with pytest.raises(ConfigurationError, match=remedy) as caught:
        client(**{name: value})
    assert name in str(caught.value)


def test_a_number_that_has_no_text() -> None:
    """Python refuses to print it; the message is still one of ours."""
    with pytest.raises(ConfigurationError, match="deadline is an int; it must be"):
        with_options(deadline=10**5000)


def test_retries_that_are_no_policy() -> None:
    """A number of attempts is not a policy."""
    with pytest.raises(ConfigurationError, match=r"CallOptions\.retry is an int; it must be a RetryPolicy"):
        with_options(retry=3)


@each_of("given", [("id-1", SECRET), ["id-1", SECRET], {"id-1": SECRET}, "id-1:" + SECRET])
def test_a_pair_that_is_no_credentials(given: Any) -> None:
    """The remedy is named, and the secret is not."""
    for make in (lambda: client(credentials=given), lambda: client().company("A", credentials=given)):
        with pytest.raises(ConfigurationError, match=r"Credentials\(client_id, client_secret\)") as caught:
            make()
        assert SECRET not in repr(caught.value)


ODD_HOSTS: list[Any] = [
    "host:8080",
    "http://host",
    "https://host/",
    "host/path",
    "a b",
    "",
    "*",
    "1:2",
    None,
    5,
    b"h",
]


def test_a_host_that_would_never_match() -> None:
    """Scheme, port and path are refused with what to write instead."""
    for host in ODD_HOSTS:
        for setting in ["trusted_hosts", "host_suffixes"]:
            with case(setting, host):
                with pytest.raises(ConfigurationError, match=f"{setting} has .*without scheme, "):
                    client(**{setting: [host]})


@pytest.mark.parametrize("given", ["host", b"host", 5])
def test_hosts_that_are_no_list(given: Any) -> None:
    """A text is not taken for a list of letters."""
    with pytest.raises(ConfigurationError, match="a list of host names"):
        client(trusted_hosts=given)


def test_what_is_taken() -> None:
    """The edges, and an address of IPv6 with and without its brackets."""
    client(
        trusted_hosts=["[::1]", "::1", "10.0.0.1", "*.Example.com", ".example.com"], host_suffixes=["a-b.c"]
    )
    client(max_queued=0, rate=0.1, retry_quota=0, in_flight=1, options=CallOptions(deadline=0, settle=0))
    Timeouts(connect=None, read=None, write=None, pool=0.1)
    Limits(keepalive=0, body=2**40)
    RetryPolicy(attempts=1, wait_initial=0, wait_max=0, max_retry_after=0)
    with_options(deadline=None)


@each_of("grace", [-1, NAN, INF, "5", None])
async def test_a_grace_that_is_no_time(grace: Any) -> None:
    """Refused before anything is closed."""
    async with Service() as service, service.client() as made:
        with pytest.raises(ConfigurationError, match="grace is"):
            await made.aclose(grace)
        assert await made.company().get("Thing", 1) == {"Id": 1}


# --- a deadline that has passed -------------------------------------------------------------


async def test_a_deadline_of_nothing_sends_nothing() -> None:
    """On a warm client neither a read nor a create leaves, and `connect` of a cold one asks for no token."""
    async with Service() as service, service.client() as warm, service.client() as cold:
        await warm.company().get("Thing", 1)
        for company in (warm.company(), cold.company()):
            with pytest.raises(DeadlineError) as caught:
                await company.with_options(deadline=0).run("WoCreateCommand", {})
            assert (caught.value.phase, caught.value.attempts) == ("queue", 0)
            with pytest.raises(DeadlineError):
                await company.with_options(deadline=0).get("Thing", 1)
        with pytest.raises(DeadlineError, check=having(phase="session")):
            await cold.company().with_options(deadline=0).connect()
        await warm.company().with_options(deadline=0).connect()  # it is open already
        assert (len(service.calls), len(service.tokens)) == (1, 1)


async def test_what_the_hook_takes_is_taken_from_the_deadline() -> None:
    """A call that was held back until its time was up is not sent."""

    async def slow(*_: Any) -> None:
        await world.time.sleep(3.0)

    world = World(lambda *_: asyncio.sleep(0, reply({"Data": {"Id": 1}})), before_send=slow)
    for deadline, kind in ((2.0, DeadlineError), (4.0, type(None))):
        task = asyncio.create_task(world.company(deadline=deadline).get("Thing", 1))
        await world.time.finish(task)
        assert isinstance(task.exception(), kind)
    assert world.tokens == 1


@each_of("given", [5, True, float("nan"), b"http://a:1", "", " ", "x", "a b", "http://a b:1"])
def test_a_proxy_that_is_no_address(given: Any) -> None:
    """Said when the client is made, without the value: it may hold a password."""
    with pytest.raises(ConfigurationError, match=r"^proxy .* such as http://proxy.example:8080") as caught:
        client(proxy=given)
    assert not str(given).strip() or repr(given) not in str(caught.value)


@pytest.mark.parametrize("given", ["http://proxy.example", "proxy.example:8080", "https://u:p@10.0.0.1:3128"])
def test_a_proxy_that_is_an_address(given: str) -> None:
    """A scheme or a port makes it one."""
    client(proxy=given)


def test_a_pair_that_is_no_text() -> None:
    """Of which kind it is, and never what it is."""
    pair: Any = (b"a-client", b"a-secret")
    with pytest.raises(ConfigurationError, match="client_id has the type bytes; it must be text") as caught:
        Credentials(*pair)
    assert "a-client" not in str(caught.value)


def test_a_class_that_is_no_credentials() -> None:
    """The class itself is callable and would be taken for a function."""
    given: Any = Credentials
    for make in (lambda: client(credentials=given), lambda: client().company("A", credentials=given)):
        with pytest.raises(ConfigurationError, match=r"credentials is the class Credentials; pass Cred"):
            make()


async def test_a_function_for_credentials_that_is_not_async() -> None:
    """Named with the remedy; nothing is sent."""
    plain: Any = lambda _: Credentials("id", SECRET)  # noqa: E731
    async with client(credentials=plain) as made:
        with pytest.raises(ConfigurationError, match="is not async; define it with async"):
            await made.company("Acme").connect()


@pytest.mark.parametrize(
    "given", [{}, {"in_flight": 32}, {"in_flight": 128, "limits": Limits(connections=32)}], ids=str
)
def test_adaptive_with_nothing_to_try(given: dict[str, Any]) -> None:
    """It starts with 32 calls in flight: bounds up to that would switch it off without a word."""
    with pytest.raises(ConfigurationError) as caught:
        client(adaptive=True, **given)
    assert "in_flight" in str(caught.value)
    client(adaptive=True, in_flight=33, limits=Limits(connections=33))


def names_of(arguments: Any) -> list[str]:
    return [field.name for field in attrs.fields(arguments)]


def test_arguments_are_the_options() -> None:
    """``help()`` and editors see each option of the class as an argument, with its default."""
    known = inspect.signature(Client).parameters
    assert list(known) == names_of(ClientArguments)
    assert (known["in_flight"].default, known["retry_quota"].default) == (32, 500)
    assert set(names_of(ClientOptions)) < set(known)
    from_env = inspect.signature(Client.from_env).parameters
    assert set(from_env) == {*known, "environ", "profile"} == set(names_of(EnvArguments))
    assert from_env["environ"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD


def test_each_option_has_a_docstring() -> None:
    """It stands below the option, where editors look for it."""
    for module in (options_module, client_module):
        tree = ast.parse(inspect.getsource(module))
        for cls in (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name != "Client"):
            for here, below in zip(cls.body, [*cls.body[1:], None], strict=True):
                if isinstance(here, ast.AnnAssign) and isinstance(here.target, ast.Name):
                    with case(cls.name, here.target.id):
                        is_text = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
                        assert is_text or here.target.id == "PREFIX"


def test_credentials_show_no_secret() -> None:
    pair = Credentials("id-1", "hunter2hunter2")
    assert "hunter2" not in f"{pair} {pair!r} {[pair]}"
    assert "id-1" in repr(pair)


def test_arguments_show_no_secret() -> None:
    """Neither the pair, nor the proxy's password, nor variables of the environment."""
    given = EnvArguments(
        {"WOSDK_CLIENT_SECRET": SECRET}, credentials=Credentials("id", SECRET), proxy=f"http://u:{SECRET}@p:1"
    )
    assert SECRET not in repr(given)


async def test_a_deadline_without_a_session_names_the_address_that_is_silent() -> None:
    """Before the first attempt has failed, too; and statistics say the same meanwhile."""

    for place, address in (("on_token", "the token address"), ("on_discovery", "the locator address")):
        world = World(hang)
        setattr(world, place, hang)
        begun, task = world.time.seconds, asyncio.create_task(world.company(deadline=8.0).connect())
        await world.time.finish(task)
        assert world.time.seconds - begun == pytest.approx(8.0, abs=0.011)
        assert isinstance(task.exception(), DeadlineError)
        assert f"within 8 s: {address} https://" in str(task.exception())
        assert " has not responded" in str(task.exception())
