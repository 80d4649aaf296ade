"""``wosdk check``: can this machine work with the Company, and if not, why."""

from __future__ import annotations

import time
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from wosdk_async.cli.exit_codes import Exit, one_line, unusable
from wosdk_async.cli.options import Output, Target, target_of, target_options

if TYPE_CHECKING:
    from wosdk_async.cli.diagnostics import Step
    from wosdk_async.cli.runner import Runner
    from wosdk_async.settings import Settings

__all__ = ["check_command"]


@click.command("check", short_help="Try the way to the Company step by step, and say what is wrong.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object with all steps.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write there instead of to stdout.",
)
@target_options(hidden=True)
@click.pass_context
def check_command(ctx: click.Context, as_json: bool, output: Path | None) -> None:
    """Try settings, credentials, token, discovery and one read, and say what is wrong.

    Nothing is changed, and no secret is shown. The exit status tells the kind: 2 a setting, 5 the login,
    6 not reached, 3 refused.

    \b
      wosdk check
      wosdk --profile stage check --json
    """
    with unusable():
        from wosdk_async.cli.output.forms import opened

        with opened(Output("json" if as_json else "table", output)) as file:
            taken = _Taken(None if as_json else file)
            _take(target_of(ctx), taken)
            if as_json:
                taken.write_json(file)
    ctx.exit(taken.status)


def _take(target: Target, taken: _Taken) -> None:
    from wosdk_async.cli.diagnostics import Step, failed
    from wosdk_async.cli.runner import Runner
    from wosdk_async.errors import ConfigurationError
    from wosdk_async.settings import Settings

    started = time.monotonic()
    try:
        settings = Settings.from_env(profile=target.profile)
        with Runner(target) as link:
            region, name = settings.region.name, link.company.name
            seconds = time.monotonic() - started
            taken.add(Step(step="settings", seconds=seconds, detail=f"Company {name!r} in region {region}"))
            link.do(_others(settings, link, target, taken))
    except ConfigurationError as error:
        taken.add(failed("settings", error, time.monotonic() - started))


async def _others(settings: Settings, link: Runner, target: Target, taken: _Taken) -> None:
    from wosdk_async.cli.diagnostics import steps

    async for step in steps(settings, link.company, target.deadline):
        taken.add(step)


class _Taken:
    """The steps so far, shown as they come when there is a ``file`` for people."""

    def __init__(self, file: IO[str] | None) -> None:
        self._file = file
        self._steps: list[Step] = []

    @property
    def status(self) -> Exit:
        return self._steps[-1].status

    def add(self, step: Step) -> None:
        self._steps.append(step)
        if self._file is None:
            return
        tick = "✓" if step.ok else "✗"
        self._file.write(f"{tick} {step.step:<12}{step.seconds:6.3f} s  {one_line(step.detail)}\n")
        if step.remedy:
            self._file.write(f"{'':24}{one_line(step.remedy)}\n")
        self._file.flush()

    def write_json(self, file: IO[str]) -> None:
        from wosdk_async.cli.output.sanitize import json_text

        data = {"ok": self.status is Exit.DONE, "steps": [step.as_dict() for step in self._steps]}
        file.write(f"{json_text(data)}\n")
