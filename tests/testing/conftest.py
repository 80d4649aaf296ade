"""The plugin, also where the package was installed without its entry point."""

from __future__ import annotations

import pytest

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
