"""The plugin, also where the package was installed without its entry point."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from tests.support.preloaded import Preloaded, python
from wosdk_async.testing import plugin


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    if not pluginmanager.has_plugin("wosdk"):
        pluginmanager.register(plugin, "wosdk")


@pytest.fixture
def kit(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Run pytest as a user does, with the plugins that a test names and no others."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    pytester.plugins = ["wosdk_async.testing.plugin"]
    return pytester


@pytest.fixture
def quick_kit(kit: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Run pytest like `kit`, in a process that has imported pytest and the package already."""

    def fork(command: tuple[str, ...], **streams: Any) -> Preloaded:
        assert command[1] == "-mpytest"
        streams["stdin"] = subprocess.DEVNULL
        return python(
            "import pytest; raise SystemExit(pytest.main())", *command[2:], modules=["pytest"], **streams
        )

    monkeypatch.setattr(kit, "popen", fork)
    return kit
