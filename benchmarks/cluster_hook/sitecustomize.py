"""Install the notes of ``benchmarks.cluster_notes`` in a process that Python starts."""

import os
import sys
from pathlib import Path

if (folder := os.environ.get("CLUSTER_NOTES")) and "multiprocessing.resource_tracker" not in str(
    sys.orig_argv
):
    from benchmarks.cluster_notes import install

    install(Path(folder))
