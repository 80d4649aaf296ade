"""Help for narrow terminals, and suggestions for misspelt commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import click

from wosdk_async.text.suggestions import suggestion

_NARROW = 78  # characters per line; on narrower terminals the option column gets a third
_COLUMN = 24  # maximum width of the option column
_HYPHEN, _NO_BREAK_HYPHEN = re.compile(r"(?<=\w)-(?=\w)"), "\u2011"


class _HelpFormatter(click.HelpFormatter):
    """Formatter that does not break words at hyphens."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, _HYPHEN.sub(_NO_BREAK_HYPHEN, args), prefix)

    def write_text(self, text: str) -> None:
        super().write_text(_HYPHEN.sub(_NO_BREAK_HYPHEN, text))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = _COLUMN, col_spacing: int = 2) -> None:
        """Write a definition list; a name too long for the column gets its own line."""
        column = col_max if self.width >= _NARROW else min(col_max, self.width // 3)
        whole = [(name, _HYPHEN.sub(_NO_BREAK_HYPHEN, text)) for name, text in rows]
        super().write_dl(whole, column, col_spacing)

    def getvalue(self) -> str:
        return super().getvalue().replace(_NO_BREAK_HYPHEN, "-")


class _HelpContext(click.Context):
    formatter_class = _HelpFormatter


class Group(click.Group):
    """Command group whose help shows the full first sentence of each command."""

    context_class = _HelpContext

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command that uses the group's formatter."""
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            found.context_class = self.context_class
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a command, with our own suggestions, because click only knows imported commands."""
        name = args[0]
        if not name.startswith("-") and not ctx.resilient_parsing and self.get_command(ctx, name) is None:
            ctx.fail(f"No such command {name!r}{suggestion(name, self.list_commands(ctx)) or '.'}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands to the help."""
        found = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        texts = {name: each.get_short_help_str(1000) for name, each in found.items() if each}
        self.write_commands(formatter, {"Commands": texts})

    def write_commands(
        self, formatter: click.HelpFormatter, sections: Mapping[str, Mapping[str, str]]
    ) -> None:
        """Write the commands by section."""
        width = max(len(name) for names in sections.values() for name in names)
        for title, texts in sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), text) for name, text in texts.items()])
