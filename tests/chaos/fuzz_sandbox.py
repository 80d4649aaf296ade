"""Fuzzing of the sandbox by its own OpenAPI document: odd requests are sent, and any 5xx is a failure.

Needs the extra `fuzz` in an environment of its own, because schemathesis installs its own test tools.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from tests.support import arguments
from tests.support.sandbox_process import log_in_form
from wosdk_async.sandbox import LocalCompany

# Two checks are missing: the service accepts and drops unknown data (facts 3.3), and it sends no Allow header
# for an unknown method.
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)


def main() -> int:
    parser = arguments.parser("tests.chaos.fuzz_sandbox", __doc__)
    parser.add_argument(
        "--examples", type=arguments.count, default=20, metavar="N", help="examples for each operation"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the examples")
    parser.add_argument("--only", metavar="PATTERN", help="regular expression: only these paths")
    parser.add_argument(
        "--phases", default="examples,coverage,fuzzing", help="phases, of which coverage takes the longest"
    )
    parser.add_argument("--checks", default=",".join(CHECKS), help="checks of each response")
    args = parser.parse_args()
    arguments.require(parser, "openapi_spec_validator", "schemathesis", extra="fuzz")
    from openapi_spec_validator import validate

    with LocalCompany() as local:
        names = local.variables
        root = names["WOSDK_LOCATOR_URL"]
        validate(json.load(urlopen(f"{root}/openapi.json")))
        print("The document is valid OpenAPI 3.1.", flush=True)
        return subprocess.run(_command(args, root, names), check=False).returncode


def _command(args: argparse.Namespace, root: str, names: dict[str, str]) -> list[str]:
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{root}/openapi.json"]
    command += ["--header", f"Authorization: Bearer {_token(names)}"]
    command += ["--header", f"CompanyName: {names['WOSDK_COMPANY']}"]
    command += ["--checks", args.checks, "--phases", args.phases]
    command += ["--max-examples", str(args.examples), "--seed", str(args.seed), "--continue-on-failure"]
    command += ["--generation-database", "none", "--request-timeout", "30"]
    return command + (["--include-path-regex", args.only] if args.only else [])


def _token(names: dict[str, str]) -> str:
    form = urlencode(log_in_form(names)).encode()
    response = json.load(urlopen(Request(names["WOSDK_TOKEN_URL"], form)))
    return str(response["access_token"])


if __name__ == "__main__":
    sys.exit(main())
