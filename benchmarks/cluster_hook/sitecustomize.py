"""Imported by every Python that is started with this folder on its path: installs what CLUSTER_HOOK names."""

import os

if hook := os.environ.get("CLUSTER_HOOK"):
    from benchmarks.cluster_hooks import install

    install(hook)
