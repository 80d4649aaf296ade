"""``wosdk completion``: the script that completes names in a shell."""

from __future__ import annotations

import click

__all__ = ["completion_command"]


@click.command("completion", short_help="Print the script that completes names in a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands, entities, properties and enum names.

    \b
      eval "$(wosdk completion bash)"  # in ~/.bashrc
      eval "$(wosdk completion zsh)"   # in ~/.zshrc
      wosdk completion fish > ~/.config/fish/completions/wosdk.fish
    """
    from click.shell_completion import get_completion_class

    root = ctx.find_root()
    completion = get_completion_class(shell)
    if completion is None:  # a later click may have dropped the shell
        raise click.UsageError(f"click has no completion for {shell}")
    click.echo(completion(root.command, {}, "wosdk", "_WOSDK_COMPLETE").source())
