"""The README's main job: an import against a local Company, then an export."""

import os
import subprocess

examples = os.path.join(os.environ["ROOT"], "docs", "examples")


def wosdk(*words: str) -> None:
    done = subprocess.run(["wosdk", *words], capture_output=True, text=True)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"


wosdk("import", f"{examples}/requests.csv", "--map", f"{examples}/sf311.toml", "--sandbox", "--job", "made")
wosdk("export", "Customer", "-o", "customers.parquet")
wosdk("query", "Customer", "--csv")
