"""Fixtures and routes in a test of a user, found by pytest itself."""

import subprocess
import sys
from pathlib import Path

TEST = """
from wosdk_async import Customer
from wosdk_async.testing import Sandbox, routes


async def test_renaming(wosdk_company, wosdk_faults):
    wosdk_faults.add("status", status=503, first=1)
    await wosdk_company.update(Customer(id=512), name="New Name")
    assert (await wosdk_company.get(Customer, 512)).name == "New Name"


def test_routes_for_mocks():
    assert callable(routes)
    assert Sandbox
"""

SETTINGS = "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"

Path("pytest.ini").write_text(SETTINGS, encoding="utf-8")
Path("test_user.py").write_text(TEST, encoding="utf-8")
done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-W", "error"], capture_output=True, text=True)
assert "2 passed" in done.stdout, done.stdout + done.stderr
