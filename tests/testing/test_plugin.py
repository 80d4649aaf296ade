"""pytest with the plugin, as users run it: in its own processes, under both async plugins."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.laws import some

ASYNCIO = "pytest_asyncio.plugin"
SCOPE = ["-o", "asyncio_default_fixture_loop_scope=function"]
ANYIO = "anyio.pytest_plugin"

FIXTURES = """
    import asyncio
    import pytest
    from wosdk_async import Client, Company, Customer, WorkOrder

    {mark}

    async def test_company(wosdk_company):
        assert isinstance(wosdk_company, Company)
        assert (await wosdk_company.get(Customer, 512)).name == "Lindqvist Dental LLC"

    async def test_client(wosdk_client, wosdk_sandbox):
        assert isinstance(wosdk_client, Client)
        await wosdk_client.company().create(Customer(name="new", display_as="new"))
        assert wosdk_sandbox.requests[-1].status == 200

    async def test_closed_by_the_test(wosdk_client):
        async with wosdk_client:
            await wosdk_client.company().get(Customer, 512)

    async def test_faults_and_clock(wosdk_company, wosdk_faults, wosdk_clock):
        await wosdk_company.connect()
        wosdk_faults.add("status", status=503, first=1, retry_after=30)
        before = wosdk_clock.now
        await wosdk_company.get(Customer, 512)
        assert (wosdk_clock.now - before).total_seconds() >= 30
        assert wosdk_faults.injected == {{"status": 1}}

    async def test_left_in_the_middle(wosdk_company, wosdk_faults):
        await wosdk_company.connect()
        wosdk_faults.add("late_commit", operation="retrieve")
        call = asyncio.ensure_future(wosdk_company.get(Customer, 512))
        await asyncio.sleep(0)
"""


WITHOUT_A_LOOP = """
    import asyncio
    from wosdk_async import Customer

    def test_without_a_loop(wosdk_company):
        assert asyncio.run(wosdk_company.get(Customer, 512)).id == 512
"""


FIXTURES_UNDER = {
    "auto": (ASYNCIO, "", ["-o", "asyncio_mode=auto", *SCOPE]),
    "strict": (ASYNCIO, "pytestmark = pytest.mark.asyncio", ["-o", "asyncio_mode=strict", *SCOPE]),
    "one loop": (
        ASYNCIO,
        "pytestmark = pytest.mark.asyncio(loop_scope='module')",
        ["-o", "asyncio_mode=strict", *SCOPE],
    ),
    "anyio": (
        ANYIO,
        "pytestmark = [pytest.mark.anyio, pytest.mark.parametrize('anyio_backend', ['asyncio'])]",
        [],
    ),
    "anyio auto": (ANYIO, "", ["-o", "anyio_mode=auto", "-k", "asyncio or without"]),
}


@pytest.mark.parametrize(
    ("plugin", "mark", "options"),
    some(FIXTURES_UNDER.values(), 3),
    ids=some(FIXTURES_UNDER, 3),
)
def test_fixtures_work_under(quick_kit: pytest.Pytester, plugin: str, mark: str, options: list[str]) -> None:
    """All fixtures, with warnings as errors: nothing is left open, in the order of teardown of either."""
    quick_kit.makepyfile(test_async=FIXTURES.format(mark=mark), test_sync=WITHOUT_A_LOOP)
    # Not by kit.plugins: pytest 8.4.0 takes only the first of them.
    result = quick_kit.runpytest_subprocess("-p", plugin, "-W", "error", "--strict-markers", *options)
    result.assert_outcomes(passed=6)


MARKERS = """
    import asyncio

    import pytest
    from wosdk_async import Trace

    def envelope(company):
        trace = Trace()
        asyncio.run(company.traced(trace).get("Customer", 512))
        return trace.reply.body.decode()

    @pytest.mark.wosdk(company="Lakeside")
    def test_marked(wosdk_sandbox):
        assert wosdk_sandbox.name == "Lakeside"

    def test_ini(wosdk_sandbox):
        assert wosdk_sandbox.name == "Ini Company"

    @pytest.mark.wosdk(company="Outer", seed={"Customer": [{"Name": "x"}]})
    class TestNearest:
        @pytest.mark.wosdk(company="Inner")
        def test_nearest(self, wosdk_sandbox):
            assert wosdk_sandbox.name == "Inner"

    @pytest.mark.wosdk(dialect="spec")
    def test_spec(wosdk_company):
        assert "Entities" in envelope(wosdk_company)

    def test_recorded(wosdk_company):
        assert "Entities" not in envelope(wosdk_company)

    @pytest.mark.wosdk(dialect="klingon")
    def test_wrong_dialect(wosdk_sandbox): ...

    @pytest.mark.wosdk(compny="x")
    def test_misspelled(wosdk_sandbox): ...

    @pytest.mark.wosdk("x")
    def test_unnamed(wosdk_sandbox): ...

    @pytest.mark.wosdk(seed={"Custmer": [{}]})
    def test_wrong_seed(wosdk_sandbox): ...
"""


def test_markers_and_ini(quick_kit: pytest.Pytester) -> None:
    """The nearest marker wins over those around it and the ini file; mistakes are expected in one line."""
    quick_kit.makepyfile(MARKERS)
    quick_kit.makeini("[pytest]\nwosdk_company = Ini Company\nwosdk_dialect = recorded\n")
    result = quick_kit.runpytest_subprocess("--strict-markers")
    result.assert_outcomes(passed=5, errors=4)
    result.stdout.fnmatch_lines_random(
        [
            "*@pytest.mark.wosdk has 'compny'; it takes company, *",
            "*@pytest.mark.wosdk has 'x' without a name; it takes *",
            "*@pytest.mark.wosdk: *Custmer*",
        ]
    )


LAZY = """
    import sys

    def test_lazy():
        ours = {name for name in sys.modules if name.startswith("wosdk_async")}
        parts = {"pydantic_hook", "testing", "testing.plugin", "version"}
        assert ours == {"wosdk_async", *(f"wosdk_async.{part}" for part in parts)}
        assert not {"httpx", "httpx2", "starlette", "uvicorn", "sqlite3"} & set(sys.modules)
"""


def test_pytest_starts_without_the_client(kit: pytest.Pytester) -> None:
    """A run that uses no fixture of ours imports five small modules, and no library."""
    kit.makepyfile(LAZY)
    kit.runpytest_subprocess().assert_outcomes(passed=1)


def test_the_plugin_imports_nothing_more() -> None:
    """On top of pytest: not one module of the standard library or of anybody else."""
    code = (
        "import sys, pytest; before = set(sys.modules); import wosdk_async.testing.plugin;"
        "print(*sorted(set(sys.modules) - before))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    parts = ("pydantic_hook", "testing", "testing.plugin", "version")
    assert out.split() == ["wosdk_async", *(f"wosdk_async.{part}" for part in parts)]


def test_without_the_sandbox_extra(kit: pytest.Pytester) -> None:
    """The fixtures say what to install; tests that do without them pass."""
    kit.makeconftest("import sys\nsys.modules['uvicorn'] = None")
    kit.makepyfile("def test_without(): ...\ndef test_with(wosdk_company): ...")
    result = kit.runpytest_subprocess()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*pip install 'wosdk_async[[]sandbox[]]'*"])


def test_the_sandbox_itself_without_the_extra() -> None:
    """Without pytest too; a name that does not exist is another error."""
    code = (
        "import sys; sys.modules['starlette'] = None\n"
        "import wosdk_async.testing as kit\n"
        "try: kit.Sandbox\nexcept ModuleNotFoundError as error: print(error)\n"
        "try: kit.Sandbx\nexcept AttributeError as error: print(error)\n"
        "try: import wosdk_async.sandbox\nexcept ModuleNotFoundError as error: print(error)\n"
        "sys.modules['pydantic'] = sys.modules['pydantic_core'] = None\n"
        "try: import wosdk_async.web.pydantic\nexcept ModuleNotFoundError as error: print(error.name)\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines() == [
        "Sandbox needs an extra: pip install 'wosdk_async[sandbox]'",
        "module 'wosdk_async.testing' has no attribute 'Sandbx'",
        "the sandbox needs the package starlette: pip install 'wosdk_async[sandbox]'",
        "pydantic",
    ]


def test_pytest_finds_the_plugin() -> None:
    """The package names it as an entry point of pytest."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"wosdk": "wosdk_async.testing.plugin"}
    assert not any(each.startswith("pytest") for each in project["dependencies"])


UNMATCHED = """
    from wosdk_async import Customer, WoCreateCommand

    {filter}

    async def test_order(wosdk_company, wosdk_faults):
        wosdk_faults.add("reset", operation="create", carried_out=True)
        await wosdk_company.run("WoCreateCommand", {{"WorkOrder": {{
            "SubType": {{"Id": 259}}, "TypeCategory": "Request", "Customer": {{"Id": 512}},
            "Items": [{{"Asset": {{"Id": 20440}}, "Task": {{"Id": 14211}}}}],
        }}}})

    async def test_delete(wosdk_company, wosdk_faults):
        wosdk_faults.add("reset", operation="delete")
        await wosdk_company.get(Customer, 512)

    async def test_not_wanted(wosdk_company, wosdk_faults):
        wosdk_faults.add("reset", operation="delete")
        await wosdk_company.get(Customer, 512)
        wosdk_faults.clear()

    async def test_matched_before_another_was_added(wosdk_company, wosdk_faults):
        wosdk_faults.add("status", status=503, operation="retrieve", first=1)
        await wosdk_company.get(Customer, 512)
        wosdk_faults.add("status", status=503, operation="query", first=1)
        await wosdk_company.query(Customer).limit(1).all()

    async def test_matched_and_not_due(wosdk_company, wosdk_faults):
        wosdk_faults.add("reset", operation="retrieve", every=2)
        await wosdk_company.get(Customer, 512)

    async def test_preempted(wosdk_company, wosdk_faults):
        wosdk_faults.add("status", status=429, retry_after=1, operation="retrieve", first=1)
        wosdk_faults.add("reset", operation="retrieve", first=1)
        await wosdk_company.get(Customer, 512)
        assert wosdk_faults.injected == {{"status": 1}}

    async def test_preempted_before_another_was_added(wosdk_company, wosdk_faults):
        wosdk_faults.add("status", status=503, operation="retrieve", first=1, retry_after=1)
        wosdk_faults.add("reset", operation="retrieve", first=1)
        await wosdk_company.get(Customer, 512)
        wosdk_faults.add("latency", fixed=1, operation="retrieve")
        await wosdk_company.get(Customer, 512)

    async def test_one_after_the_other(wosdk_company, wosdk_faults):
        wosdk_faults.add("status", status=429, retry_after=1, operation="retrieve", first=1)
        wosdk_faults.add("reset", operation="retrieve", first=2)
        await wosdk_company.get(Customer, 512)
        assert wosdk_faults.injected == {{"status": 1, "reset": 1}}
"""
IGNORED = """import pytest
    pytestmark = pytest.mark.filterwarnings("ignore::wosdk_async.testing.UnmatchedFaultWarning")
"""


def test_a_fault_without_effect_is_a_warning(quick_kit: pytest.Pytester) -> None:
    """Such a test shows nothing; the warning names the rule, and what to write instead.

    Where warnings are errors the test itself passes, its end does not; a filter by the category turns it off.
    """
    quick_kit.makepyfile(
        test_usual=UNMATCHED.format(filter=""), test_ignored=UNMATCHED.format(filter=IGNORED)
    )
    result = quick_kit.runpytest_subprocess("-p", ASYNCIO, "-W", "error", "-o", "asyncio_mode=auto", *SCOPE)
    result.assert_outcomes(passed=16, errors=4)
    result.stdout.fnmatch_lines_random(
        [
            "ERROR test_usual.py::test_order*",
            "*UnmatchedFaultWarning: the fault add('reset', operation='create', carried_out=True) matched"
            " none of the 3 requests of this test and had no effect; a command creates work orders:"
            " use operation='WoCreateCommand'. If intended, end the test with wosdk_faults.clear()",
            "ERROR test_usual.py::test_delete*",
            "*matched none of the 3 requests of this test and had no effect. If intended, *",
            "ERROR test_usual.py::test_preempted -*",
            "*fault add('reset', operation='retrieve', first=1) had no effect, because earlier rules *",
            "ERROR test_usual.py::test_preempted_before_another_was_added*",
        ]
    )


def test_a_wrong_value_of_a_marker_is_not_blamed_on_an_equal_one_in_the_ini_file(
    kit: pytest.Pytester,
) -> None:
    kit.makeini("[pytest]\nwosdk_company = North\n")
    kit.makepyfile("import pytest\n@pytest.mark.wosdk(dialect='North')\ndef test_it(wosdk_company): ...")
    result = kit.runpytest_subprocess("-p", "no:cacheprovider")
    assert "@pytest.mark.wosdk: " in result.stdout.str()


@pytest.mark.parametrize("name", ["dialect", "company"])
def test_a_wrong_value_in_the_ini_file_is_not_blamed_on_a_marker(kit: pytest.Pytester, name: str) -> None:
    ini = kit.makeini(f"[pytest]\nwosdk_{name} = é\n")
    kit.makepyfile("import pytest\n@pytest.mark.wosdk(empty=True)\ndef test_it(wosdk_company): ...")
    result = kit.runpytest_subprocess("-p", "no:cacheprovider")
    assert f"{ini}: wosdk_{name}: " in result.stdout.str()
