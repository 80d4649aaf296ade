"""``wosdk check``: diagnose the connection to the Company step by step."""

from __future__ import annotations

import time
from pathlib import Path

import click

from wosdk_async.cli.diagnostics import Step, StepReport, failed
from wosdk_async.cli.options import Target, json_option, output_option, target_of, target_options
from wosdk_async.cli.output.files import Output, opened
from wosdk_async.cli.runner import Runner
from wosdk_async.errors import ConfigurationError
from wosdk_async.settings.environment import Settings


@click.command("check")
@json_option
@output_option
@target_options(hidden=True)
@click.pass_context
def check_command(ctx: click.Context, as_json: bool, output: Path | None) -> None:
    """Diagnose the connection: settings, credentials, token, discovery and one read.

    Each step shows its host and proxy. The log-in and the read time out after 10 s each, or after --deadline.
    The check changes nothing and shows no secrets. Exit status: 2 bad setting, 3 refused, 5 log-in failed, 6
    unreachable.

    \b
      wosdk check
      wosdk --profile stage check --json
    """
    with opened(Output("json" if as_json else "table", output)) as file:
        report = StepReport(None if as_json else file)
        _check(target_of(ctx), report)
        if as_json:
            report.write_json(file)
    ctx.exit(report.last.status)


def _check(target: Target, report: StepReport) -> None:
    from wosdk_async.cli.diagnostics import steps

    started = time.monotonic()
    try:
        settings = Settings.from_env(profile=target.profile, company=target.company)
        with Runner(target) as runner:
            company, seconds = runner.company, time.monotonic() - started
            detail = f"Company {company.name!r} in region {settings.region.name}"
            report.add(Step(step="settings", seconds=seconds, detail=detail))
            runner.run(report.add_all(steps(settings, company, target.deadline, target.verbose)))
    except ConfigurationError as error:
        report.add(failed("settings", error, time.monotonic() - started))
