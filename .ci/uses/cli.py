"""The command line: help, a check of the way to the Company, reads and an import."""

import os
import subprocess


def wosdk(*words: str, status: int = 0) -> str:
    done = subprocess.run(["wosdk", *words], capture_output=True, text=True)
    assert done.returncode == status, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


examples = os.path.join(os.environ["ROOT"], "docs", "examples")
assert "query" in wosdk("--help")
wosdk("check")
assert "Customer" in wosdk("describe", "WorkOrder")
wosdk("import", f"{examples}/requests.csv", "--map", f"{examples}/sf311.toml", "--job", "made", "--yes")
assert int(wosdk("query", "WorkOrder", "--count").split()[0].replace(",", "")) > 0
assert "wosdk_async[cli,sandbox]" in wosdk("sandbox", "serve", "--store", "s.db", status=2)
